// Models in onnxruntime's QOperator format move quantised tensors as integers. OpenVINO's low-precision
// transformations follow numbers: this pass dequantises a tensor before it is moved, as models in QDQ format
// do. The runtime moves integers again.
#include <array>
#include <optional>
#include <vector>

#include "ir/views/elementwise.hpp"
#include "ir/views/joining.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/passes.hpp"
#include "passes/pattern.hpp"
#include "passes/support/round_to_grid.hpp"

namespace onnx2ir::passes {
namespace {

/// An operation that moves integers, or interpolates them in f32.
struct Move {
  const ir::Node* node;
  ir::Value integers;  ///< before the operation
};

bool is_split(const ir::Node& node) {
  return node.is_one_of({ops::Split, ops::VariadicSplit});
}

/// Whether the elements of output 0, or of each output of a Split, are elements of input 0, chosen by their
/// place or by their size, or padding.
bool moves_or_pads_elements(const ir::Node& node) {
  if (is_split(node)) return true;
  if (node.outputs().size() > 1 && !node.output(1).uses.empty()) return false;
  return node.op().traits.reshapes || node.op().traits.rearranges || node.is(ops::Slice) ||
         node.is(ops::MaxPool) || node.is(ops::Pad);
}

std::optional<Move> move_of(ir::Value integers) {
  const ir::Node& node = *integers.node;
  if (!ir::is_integral(integers.type()) || (integers.index != 0 && !is_split(node))) return std::nullopt;
  if (moves_or_pads_elements(node)) return Move{&node, node.input(0)};
  ir::Value interpolated;
  ir::Value data;
  const auto widened = op(ops::Convert, any(data));
  if (!matches(integers, op(ops::Convert, any(interpolated, op(ops::Interpolate, widened)))) ||
      data.type() != integers.type())
    return std::nullopt;
  return Move{interpolated.node, data};
}

/// Whether `integers` are a few moves of numbers that a FakeQuantize has rounded.
bool is_rounded(ir::Value integers) {
  constexpr int kMaxMoves = 8;
  for (int i = 0; i < kMaxMoves; ++i) {
    const auto move = move_of(integers);
    if (!move) break;
    integers = move->integers;
  }
  return matches(integers, op(ops::Convert, op(ops::FakeQuantize)));
}

bool is_single(ir::Value constant) {
  return source_constant(constant) != nullptr && constant.shape().rank() == 0;
}

/// (integers - zero point) * scale.
struct Dequantization {
  const ir::Node* multiply;
  ir::Value integers;
  ir::Value zero_point;  ///< null: 0
  ir::Value scale;
};

std::optional<Dequantization> dequantization_of(ir::MultiplyView multiply) {
  const auto numbers = converted_integers(multiply.a());
  if (!numbers || !is_single(multiply.b())) return std::nullopt;
  if (numbers->zero_point && !is_single(numbers->zero_point)) return std::nullopt;
  return Dequantization{&multiply.node(), numbers->integers, numbers->zero_point, multiply.b()};
}

ir::Value dequantize(ir::Builder& builder, const Dequantization& how, ir::Value integers) {
  ir::Value numbers = ir::convert(builder, integers, how.scale.type());
  if (how.zero_point) numbers = builder.op(ops::Subtract, {numbers, how.zero_point});
  const std::array factors{numbers, how.scale};
  return builder.node(ops::Multiply, factors, how.multiply->attributes()).value();
}

/// The number that a Pad of integers adds; no value if it is dynamic.
std::optional<double> padding_of(ir::PadView pad, const Dequantization& how) {
  const auto integer = source_number(pad.value());
  const auto zero_point = how.zero_point ? source_number(how.zero_point) : std::optional(0.0);
  const auto scale = source_number(how.scale);
  if (!integer || !zero_point || !scale) return std::nullopt;
  return (*integer - *zero_point) * *scale;
}

/// Interpolated numbers, rounded as the integers were.
ir::Value round_interpolated(ir::Builder& builder, ir::Value numbers, const Dequantization& how) {
  constexpr unsigned kBits = 8;
  const auto zero_point = how.zero_point ? source_number(how.zero_point) : std::optional(0.0);
  const auto scale = source_number(how.scale);
  const ir::ElementType type = how.integers.type();
  const bool has_grid = zero_point && scale && *scale > 0 && ir::info(type).bits == kBits;
  if (!has_grid || numbers.type() != ir::ElementType::f32) return numbers;
  return round_to_grid(builder, numbers, {type, *zero_point, *scale});
}

ir::Value move_dequantized(ir::Builder& builder, ir::MultiplyView multiply) {
  const auto found = dequantization_of(multiply);
  if (!found) return {};
  const auto move = move_of(found->integers);
  if (!move || !is_rounded(found->integers)) return {};
  // A negative scale makes the largest integer the smallest number.
  if (move->node->is(ops::MaxPool) && source_number(found->scale).value_or(-1) < 0) return {};
  std::optional<double> padding;
  if (const auto pad = ir::match<ir::PadView>(*move->node)) {
    // Other modes add no number: OpenVINO does not compile their dequantised form.
    if (pad->pad_mode() == "constant") padding = padding_of(*pad, *found);
    if (!padding) return {};
  }
  std::vector<ir::Value> inputs(move->node->inputs().begin(), move->node->inputs().end());
  inputs.front() = dequantize(builder, *found, move->integers);
  if (padding) {
    inputs.resize(ir::PadView::Input::value);
    inputs.push_back(builder.number(*padding, found->scale.type()));
  }
  if (move->node->is(ops::Interpolate))
    return round_interpolated(builder, builder.clone(*move->node, inputs).value(), *found);
  // The other outputs of a Split are dequantised in the same way: merge_equal_nodes merges the Splits.
  return builder.clone(*move->node, inputs).value(is_split(*move->node) ? found->integers.index : 0);
}

}  // namespace

bool dequantize_before_moving(ir::Model& model, PassContext&) {
  return rewrite_values(model, {ops::Multiply}, move_dequantized);
}

}  // namespace onnx2ir::passes
