// By default, the CPU plugin rounds the input that is multiplied with quantised weights to 8 bits if the CPU
// has VNNI; the error is about 1 %. onnxruntime does the same in MatMulNBits with accuracy level 4, and it
// also makes that operation of a product of floats and DequantizeLinear of constants. If a model has other
// products with quantised weights, the model gets a runtime option that turns the rounding off. A program
// that sets the property when it compiles the model overrides it.
#include <algorithm>
#include <bit>

#include "passes/dequantized_weights.hpp"
#include "passes/graph_walk.hpp"
#include "passes/passes.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

bool has_note(const ir::Node& node, std::string_view name) {
  return node.find_attribute(name) != nullptr && node.boolean(name);
}

bool is_dequantized(ir::Value value) {
  while (value.node->is(ops::Convert) || value.node->is(ops::Reshape)) value = value.node->input(0);
  return value.node->is(ops::Multiply) && has_note(*value.node, "dequantizes");
}

/// Whether weights [inputs, outputs] have one scale, one per output, or one per output and block of inputs.
bool has_scales_of_outputs(const WeightsOfProduct& found) {
  constexpr std::int64_t kSmallestBlock = 16;
  const auto data = found.weights.data.shape().sizes();
  if (!data || found.is_transposed) return false;
  if (found.reshape != nullptr) {
    const std::int64_t block = data->size() == 3 ? (*data)[1] : 0;
    return block >= kSmallestBlock && std::has_single_bit(static_cast<std::uint64_t>(block));
  }
  const ir::PartialShape& scales = found.weights.scale.shape();
  return data->size() == 2 && (scales.rank() < 2 || scales[0] == ir::Dimension(1));
}

/// Whether onnxruntime rounds the left input, too.
bool may_round_input(const ir::Node& mat_mul, const WeightsOfProduct& found) {
  if (has_note(mat_mul, "may_round_input")) return true;
  const ir::Value weights = mat_mul.input(1);
  return has_note(*found.weights.product, "dequantizes") && !is_dequantized(mat_mul.input(0)) &&
         weights.node->output(weights.index).uses.size() == 1 && has_scales_of_outputs(found);
}

/// The plugin rounds the inputs in groups of 32. Whether the inputs do not fill the last group, and the
/// weights have less than 8 bits. Weights in blocks have full groups, or the blocks are the groups.
bool has_partial_group(const WeightsOfProduct& found) {
  constexpr std::int64_t kGroup = 32;
  const auto data = found.weights.data.shape().sizes();
  return data && found.reshape == nullptr && data->size() >= 2 &&
         ir::info(found.weights.data.type()).bits < 8 &&
         (*data)[data->size() - (found.is_transposed ? 1 : 2)] % kGroup != 0;
}

bool must_be_exact(const ir::Node& node, const PassContext& context) {
  if (!node.is(ops::MatMul)) return false;
  const auto found = weights_of(node);
  if (!found) return false;
  if (context.target.has(Fault::partial_rounding_groups) && has_partial_group(*found)) return true;
  switch (context.dynamic_quantization) {
    case DynamicQuantization::automatic:
      return !may_round_input(node, *found);
    case DynamicQuantization::never:
      return true;
    case DynamicQuantization::always:
      return false;
  }
  return true;
}

bool has_exact_product(const ir::Graph& graph, const PassContext& context) {
  return graph.may_hold({ops::MatMul}) &&
         std::ranges::any_of(graph.nodes(),
                             [&](const ir::NodePointer& node) { return must_be_exact(*node, context); });
}

}  // namespace

bool disable_dynamic_quantization(ir::Model& model, PassContext& context) {
  const std::pair<std::string, std::string> option = {"DYNAMIC_QUANTIZATION_GROUP_SIZE", "0"};
  const bool is_set = std::ranges::find(model.runtime_options, option) != model.runtime_options.end();
  if (!is_set && std::ranges::any_of(graphs_of(model), [&](const ir::Graph* graph) {
        return has_exact_product(*graph, context);
      })) {
    model.runtime_options.push_back(option);
  }
  return false;
}

}  // namespace onnx2ir::passes
