// Workaround for attention_constants and bf16_attention_fusion: the CPU plugin reads constant keys and values
// of an attention in the wrong order. They are replaced by a Gather of one row whose index is always 0, but
// computed at run time.
#include <algorithm>

#include "ir/shape_tools.hpp"
#include "passes/passes.hpp"
#include "passes/rewrite.hpp"
#include "passes/run_time_values.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

constexpr int kMaxSteps = 8;   ///< from a key up to the constants it is computed from
constexpr int kMaxNodes = 24;  ///< visited from a Softmax up to the product of query and key

bool is_computed_from_constants(ir::Value value, int steps = kMaxSteps) {
  const ir::Node& node = *value.node;
  if (node.is(ops::Const)) return true;
  if (steps == 0 || node.inputs().empty() || node.loop() != nullptr || node.branches() != nullptr)
    return false;
  return std::ranges::all_of(node.inputs(),
                             [&](ir::Value input) { return is_computed_from_constants(input, steps - 1); });
}

/// If there is only one matrix, the order of the heads cannot be wrong.
bool has_several_matrices(const ir::PartialShape& shape) {
  if (!shape.has_rank() || shape.rank() < 3) return false;
  for (std::size_t i = 0; i + 2 < shape.rank(); ++i) {
    if (shape[i] != ir::Dimension(1)) return true;
  }
  return false;
}

bool is_misread(ir::Value value) {
  return has_several_matrices(value.shape()) && is_computed_from_constants(value);
}

/// `constant` after operations that OpenVINO cannot fold. `source` is a value that is known only at run
/// time.
ir::Value hidden(ir::Builder& builder, ir::Value constant, ir::Value source) {
  const ir::Value flat = ir::flat(builder, source);
  const ir::Value zeros = builder.integers({0});
  const ir::Value ones = builder.integers({1});
  const ir::Value bit = zero_or_one(builder, builder.op(ops::Slice, {flat, zeros, ones, ones, zeros}));
  const ir::Value other_bit = builder.op(ops::Subtract, {builder.integer(1), bit});
  const ir::Value index = builder.op(ops::Multiply, {bit, other_bit});
  const ir::Value row = builder.op(ops::Unsqueeze, {constant, zeros});
  return ir::gather(builder, row, index);
}

/// The product of query and key whose Softmax `value` is, or null. OpenVINO fuses any elementwise operations
/// between the two. `budget` limits the number of visited nodes.
ir::Node* product_before(ir::Value value, int& budget) {
  ir::Node& node = *value.node;
  if (node.is(ops::MatMul)) return &node;
  if (--budget < 0 || node.inputs().size() > 3 || node.loop() != nullptr) return nullptr;
  for (const ir::Value input : node.inputs()) {
    if (ir::Node* const product = product_before(input, budget)) return product;
  }
  return nullptr;
}

bool hide_operands(ir::Node& node, std::size_t query, std::initializer_list<std::size_t> operands) {
  bool modified = false;
  for (const std::size_t operand : operands) {
    if (!is_misread(node.input(operand))) continue;
    ir::Builder builder(node.graph());
    builder.set_name(node.name);
    node.set_input(operand, hidden(builder, node.input(operand), node.input(query)));
    modified = true;
  }
  return modified;
}

bool hide_constants_of(ir::Node& node) {
  if (node.is(ops::ScaledDotProductAttention)) return hide_operands(node, 0, {1, 2});
  if (!node.input(0).node->is(ops::SoftMax)) return false;
  int budget = kMaxNodes;
  ir::Node* const scores = product_before(node.input(0).node->input(0), budget);
  if (scores == nullptr) return false;
  const bool is_key_hidden = hide_operands(*scores, 0, {1}) || hide_operands(*scores, 1, {0});
  return hide_operands(node, 0, {1}) || is_key_hidden;
}

}  // namespace

bool hide_attention_constants(ir::Model& model, PassContext& context) {
  bool modified = false;
  for (ir::Graph* graph : graphs_of(model)) {
    const std::size_t count = graph->nodes().size();
    for (std::size_t i = 0; i < count; ++i) {
      ir::Node& node = *graph->nodes()[i];
      if (!node.is(ops::MatMul) && !node.is(ops::ScaledDotProductAttention)) continue;
      const bool is_bf16 = node.output(0).type == ir::ElementType::bf16;
      if (context.has(is_bf16 ? Fault::bf16_attention_fusion : Fault::attention_constants))
        modified = hide_constants_of(node) || modified;
    }
  }
  return modified;
}

}  // namespace onnx2ir::passes
