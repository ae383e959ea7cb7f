// By default the CPU plugin rounds what is multiplied with quantised weights to 8 bits, if the CPU has VNNI:
// an error of about 1 % that the ONNX model does not have. A runtime option in the IR turns that off; a
// program that sets the property itself when it compiles the model overrides it.
#include <algorithm>

#include "passes/dequantized_weights.hpp"
#include "passes/graph_walk.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

bool has_quantised_weights(const ir::Graph& graph) {
  return graph.may_hold({"MatMul"}) && std::ranges::any_of(graph.nodes(), [](const ir::NodePointer& node) {
           return node->is("MatMul") && weights_of(*node).has_value();
         });
}

}  // namespace

bool disable_dynamic_quantization(ir::Model& model, PassContext&) {
  const std::pair<std::string, std::string> option = {"DYNAMIC_QUANTIZATION_GROUP_SIZE", "0"};
  const bool is_set = std::ranges::find(model.runtime_options, option) != model.runtime_options.end();
  if (!is_set && std::ranges::any_of(graphs_of(model),
                                     [](const ir::Graph* graph) { return has_quantised_weights(*graph); })) {
    model.runtime_options.push_back(option);
  }
  return false;
}

}  // namespace onnx2ir::passes
