// By default the CPU plugin rounds what is multiplied with quantised weights to 8 bits, if the CPU has VNNI:
// an error of about 1 % that the ONNX model does not have. A runtime option in the IR turns that off, unless
// the model allows it in all its products; a program that sets the property itself when it compiles the model
// overrides it.
#include <algorithm>

#include "passes/dequantized_weights.hpp"
#include "passes/graph_walk.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

bool may_round_input(const ir::Node& mat_mul) {
  return mat_mul.find_attribute("may_round_input") != nullptr && mat_mul.boolean("may_round_input");
}

bool has_exact_product(const ir::Graph& graph) {
  return graph.may_hold({"MatMul"}) && std::ranges::any_of(graph.nodes(), [](const ir::NodePointer& node) {
           return node->is("MatMul") && !may_round_input(*node) && weights_of(*node).has_value();
         });
}

}  // namespace

bool disable_dynamic_quantization(ir::Model& model, PassContext&) {
  const std::pair<std::string, std::string> option = {"DYNAMIC_QUANTIZATION_GROUP_SIZE", "0"};
  const bool is_set = std::ranges::find(model.runtime_options, option) != model.runtime_options.end();
  if (!is_set && std::ranges::any_of(graphs_of(model),
                                     [](const ir::Graph* graph) { return has_exact_product(*graph); })) {
    model.runtime_options.push_back(option);
  }
  return false;
}

}  // namespace onnx2ir::passes
