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

/// The number of a constant of rank 0.
std::optional<double> single_number(ir::Value constant) {
  return constant.shape().rank() == 0 ? source_number(constant) : std::nullopt;
}

/// (integers - zero point) * scale.
struct Dequantization {
  const ir::Node* multiply;
  ConvertedIntegers numbers;
  ir::Value scale;
  double zero;    ///< the number of the zero point
  double factor;  ///< the number of the scale
};

std::optional<Dequantization> dequantization_of(ir::MultiplyView multiply) {
  const auto numbers = converted_integers(multiply.a());
  if (!numbers) return std::nullopt;
  const auto zero = numbers->zero_point ? single_number(numbers->zero_point) : std::optional(0.0);
  const auto factor = single_number(multiply.b());
  if (!zero || !factor) return std::nullopt;
  return Dequantization{&multiply.node(), *numbers, multiply.b(), *zero, *factor};
}

ir::Value dequantize(ir::Builder& builder, const Dequantization& how, ir::Value integers) {
  ir::Value numbers = ir::convert(builder, integers, how.scale.type());
  if (how.numbers.zero_point) numbers = builder.op(ops::Subtract, {numbers, how.numbers.zero_point});
  const std::array factors{numbers, how.scale};
  return builder.node(ops::Multiply, factors, how.multiply->attributes()).value();
}

/// Interpolated numbers, rounded as the integers were.
ir::Value round_interpolated(ir::Builder& builder, ir::Value numbers, const Dequantization& how) {
  constexpr unsigned kBits = 8;
  const ir::ElementType type = how.numbers.integers.type();
  const bool has_grid = how.factor > 0 && ir::info(type).bits == kBits;
  if (!has_grid || numbers.type() != ir::ElementType::f32) return numbers;
  return round_to_grid(builder, numbers, {type, how.zero, how.factor});
}

ir::Value move_dequantized(ir::Builder& builder, ir::MultiplyView multiply) {
  const auto found = dequantization_of(multiply);
  if (!found) return {};
  const ir::Value integers = found->numbers.integers;
  const auto move = move_of(integers);
  if (!move || !is_rounded(integers)) return {};
  // A negative scale makes the largest integer the smallest number.
  if (move->node->is(ops::MaxPool) && found->factor < 0) return {};
  const auto pad = ir::match<ir::PadView>(*move->node);
  // Other modes add no number: OpenVINO does not compile their dequantised form.
  const auto padding = pad && pad->pad_mode() == "constant" ? source_number(pad->value()) : std::nullopt;
  if (pad && !padding) return {};
  std::vector<ir::Value> inputs(move->node->inputs().begin(), move->node->inputs().end());
  inputs.front() = dequantize(builder, *found, move->integers);
  if (padding) {
    inputs.resize(ir::PadView::Input::value);
    inputs.push_back(builder.number((*padding - found->zero) * found->factor, found->scale.type()));
  }
  if (move->node->is(ops::Interpolate))
    return round_interpolated(builder, builder.clone(*move->node, inputs).value(), *found);
  // The other outputs of a Split are dequantised in the same way: merge_equal_nodes merges the Splits.
  return builder.clone(*move->node, inputs).value(is_split(*move->node) ? integers.index : 0);
}

}  // namespace

bool dequantize_before_moving(ir::Model& model, PassContext&) {
  return rewrite_values(model, {ops::Multiply}, move_dequantized);
}

}  // namespace onnx2ir::passes
