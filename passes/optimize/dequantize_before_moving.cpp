// Models in onnxruntime's QOperator format move quantised tensors as integers. OpenVINO's low-precision
// transformations follow numbers: this pass dequantises a tensor before it is moved, as models in QDQ format
// do. The runtime moves integers again.
#include <array>

#include "ir/shape_tools.hpp"
#include "passes/dequantized_weights.hpp"
#include "passes/passes.hpp"
#include "passes/rewrite.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether the elements of output 0 are elements of input 0, chosen by their place or by their size.
bool moves_elements(const ir::Node& node) {
  if (node.outputs().size() > 1 && !node.output(1).uses.empty()) return false;
  return node.op().traits.reshapes || node.op().traits.rearranges || node.is(ops::Slice) ||
         node.is(ops::MaxPool);
}

/// Whether `integers` are a few moves of numbers that a FakeQuantize has rounded.
bool is_rounded(ir::Value integers) {
  constexpr int kMaxMoves = 8;
  for (int i = 0; i < kMaxMoves && moves_elements(*integers.node); ++i) integers = integers.node->input(0);
  return integers.node->is(ops::Convert) && integers.node->input(0).node->is(ops::FakeQuantize);
}

bool is_single(ir::Value constant) {
  return source_constant(constant) != nullptr && constant.shape().element_count() == 1 &&
         constant.shape().rank() == 0;
}

ir::Value move_dequantized(ir::Builder& builder, const ir::Node& multiply) {
  const ir::Value numbers = multiply.input(0);
  const ir::Value scale = multiply.input(1);
  const bool has_zero_point = numbers.node->is(ops::Subtract);
  const ir::Value widened = has_zero_point ? numbers.node->input(0) : numbers;
  if (!widened.node->is(ops::Convert) || !is_single(scale)) return {};
  if (has_zero_point && !is_single(numbers.node->input(1))) return {};
  const ir::Value integers = widened.node->input(0);
  const ir::Node& move = *integers.node;
  if (!ir::is_integral(integers.type()) || integers.index != 0 || !moves_elements(move) ||
      !is_rounded(integers))
    return {};
  ir::Value before = ir::convert(builder, move.input(0), widened.type());
  if (has_zero_point) before = builder.op(ops::Subtract, {before, numbers.node->input(1)});
  const std::array factors{before, scale};
  const ir::Value dequantized = builder.node(ops::Multiply, factors, multiply.attributes()).value();
  std::vector<ir::Value> inputs(move.inputs().begin(), move.inputs().end());
  inputs.front() = dequantized;
  return builder.clone(move, inputs).value();
}

}  // namespace

bool dequantize_before_moving(ir::Model& model, PassContext&) {
  return rewrite_values(model, {ops::Multiply}, move_dequantized);
}

}  // namespace onnx2ir::passes
