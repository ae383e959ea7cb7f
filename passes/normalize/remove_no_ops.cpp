// Removes operations whose output equals an input.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "ir/inference.hpp"
#include "ir/size_rules.hpp"
#include "ir/views/elementwise.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/reshaping.hpp"
#include "ir/views/selection.hpp"
#include "ir/views/unary.hpp"
#include "passes/analysis/axes.hpp"
#include "passes/analysis/constant_values.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

bool same_static_shape(const ir::Node& node) {
  const auto before = node.input(0).shape().sizes();
  return before && before == node.output(0).shape.sizes();
}

/// Whether a Transpose moves no axis, or exchanges only axes of size 1.
bool keeps_order(ir::TransposeView transpose) {
  const auto order = ir::exact_order(transpose);
  return order && (std::ranges::is_sorted(*order) || (moves_only_unit_axes(transpose) &&
                                                      transpose.data().shape() == transpose.output(0).shape));
}

/// The smallest end of a Slice that is "to the end" for all sizes.
constexpr std::int64_t kEnd = std::numeric_limits<std::int32_t>::max();

/// Whether each axis of the Slice has the same static size before and after it, or ends provably at its size,
/// as in x[:, :y.shape[1]].
bool keeps_sizes(ir::SliceView slice, bool starts_at_0) {
  const ir::PartialShape& shape = slice.data().shape();
  const auto axes = ir::exact_values(slice.axes());
  if (!axes || !shape.has_rank()) return false;
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const std::size_t axis = ir::normalize_axis((*axes)[i], shape.rank());
    if (shape[axis].is_static() && slice.output(0).shape[axis] == shape[axis]) continue;
    if (!starts_at_0 || !ir::is_size_of(slice.stop(), i, slice.data(), axis)) return false;
  }
  return true;
}

/// Whether the Slice takes all elements, for example from 0 to the end of each axis, as x[:, i] is exported.
bool takes_all(ir::SliceView slice) {
  if (!are_all(slice.step(), 1)) return false;
  const bool starts_at_0 = are_all(slice.start(), 0);
  if (starts_at_0 && are_at_least(slice.stop(), kEnd)) return true;
  return same_static_shape(slice) || keeps_sizes(slice, starts_at_0);
}

/// The operand of the Unsqueeze that made `value`, if `axes` are those that it added. Otherwise null.
ir::Value before_unsqueeze(ir::Value value, ir::Value axes) {
  const auto unsqueeze = ir::match<ir::UnsqueezeView>(*value.node);
  if (!unsqueeze || !axes || !value.shape().has_rank()) return {};
  const auto added = sorted_axes(unsqueeze->axes(), value.shape().rank());
  return added && added == sorted_axes(axes, value.shape().rank()) ? unsqueeze->data() : ir::Value{};
}

/// A range of positions along one axis.
struct Range {
  std::int64_t begin;
  std::int64_t end;
};

/// The positions that a Slice of step 1, or a Gather of consecutive indices, reads along its only axis. No
/// value for other Slices and Gathers.
std::optional<Range> taken_range(ir::Node& node) {
  if (const auto slice = ir::match<ir::SliceView>(node)) {
    const auto starts = ir::exact_values(slice->start());
    const auto ends = ir::exact_values(slice->stop());
    const bool is_by_1 = ir::exact_values(slice->step()) == ir::Integers{1};
    if (!is_by_1 || !starts || !ends || starts->size() != 1) return std::nullopt;
    return Range{starts->front(), ends->front()};
  }
  const ir::GatherView gather = node;
  const auto indices = ir::exact_values(gather.indices());
  const auto is_gap = [](std::int64_t index, std::int64_t next) { return next != index + 1; };
  if (!indices || indices->empty() || gather.batch_dims() != 0 || !gather.indices().shape().has_rank(1) ||
      std::ranges::adjacent_find(*indices, is_gap) != indices->end())
    return std::nullopt;
  return Range{indices->front(), indices->back() + 1};
}

/// The input of a Concat that a Slice or Gather extracts from its result. Null if it extracts anything else,
/// or if the inferred shape of the input is less precise.
ir::Value taken_part(ir::Node& node) {
  const auto concat = ir::match<ir::ConcatView>(node.input(0));
  if (!concat || !concat->output(0).shape.has_rank()) return {};
  const ir::Value axes = node.is(ops::Slice) ? ir::SliceView(node).axes() : ir::GatherView(node).axis();
  const auto axis = axes ? ir::known_scalar(axes) : std::nullopt;
  const std::size_t joined = joined_axis(*concat);
  if (!axis || ir::normalize_axis(*axis, concat->output(0).shape.rank()) != joined) return {};
  const auto range = taken_range(node);
  if (!range || range->begin < 0) return {};
  std::int64_t begin = 0;
  for (const ir::Value& part : concat->parts()) {
    const ir::PartialShape& shape = part.shape();
    if (!shape.has_rank() || shape[joined].is_dynamic()) return {};
    const std::int64_t end = begin + shape[joined].size();
    const bool is_to_end = &part == &concat->parts().back() && range->end > end;
    if (begin == range->begin && (end == range->end || is_to_end) && end > begin)
      return shape == node.output(0).shape ? part : ir::Value{};
    begin = end;
  }
  return {};
}

/// What a Squeeze, or a Gather of one element, takes from the axes of size 1 that an Unsqueeze added: its
/// operand.
ir::Value input_of_undone(ir::Node& node) {
  if (const auto squeeze = ir::match<ir::SqueezeView>(node))
    return before_unsqueeze(squeeze->data(), squeeze->axes());
  const auto gather = ir::match<ir::GatherView>(node);
  if (!gather || !gather->indices().shape().is_scalar()) return {};
  const auto index = ir::known_scalar(gather->indices());
  return index == 0 || index == -1 ? before_unsqueeze(gather->data(), gather->axis()) : ir::Value{};
}

bool is_no_op(ir::Node& node) {
  if (const auto convert = ir::match<ir::ConvertView>(node))
    return convert->data().type() == convert->output(0).type;
  // Such as ids.view(-1, ids.shape[1]).
  if (node.is(ops::Reshape)) return ir::have_equal_shapes(node.input(0), node.value());
  if (node.op().traits.reshapes || node.is_one_of({ops::Broadcast, ops::Tile}))
    return same_static_shape(node);
  if (node.is(ops::Transpose)) return keeps_order(node);
  if (node.is(ops::Concat)) return node.inputs().size() == 1;
  if (node.is(ops::Slice)) return takes_all(node);
  const auto pad = ir::match<ir::PadView>(node);
  return pad && are_all(pad->begins(), 0) && are_all(pad->ends(), 0);
}

/// The result of a Select between two values that are the same; null if they are not. OpenVINO 2024.6 does
/// not compile a Select between a number and itself.
ir::Value value_of_both(ir::Builder& builder, ir::SelectView select) {
  const ir::Value value = select.then_value();
  if (!are_equal(value, select.else_value())) return {};
  const ir::PartialShape& condition = select.condition().shape();
  const auto sizes = value.shape().sizes();
  if (condition.is_scalar() || (sizes && sizes == select.output(0).shape.sizes())) return value;
  if (!value.shape().is_scalar() || !condition.has_rank()) return {};
  return ir::broadcast_to(builder, value, ir::compute_shape_of(builder, select.condition()));
}

/// Whether `value` is integers of 8 bits, converted and multiplied by finite numbers. It is never NaN; wider
/// integers may be infinite in f16.
bool is_dequantized(ir::Value value) {
  constexpr int kBits = 8;
  const ConstantStep step = value.node->is(ops::Multiply) ? constant_step(*value.node) : ConstantStep{};
  const auto numbers = step.operand ? converted_integers(step.operand) : std::nullopt;
  return numbers && ir::info(numbers->integers.type()).bits <= kBits && are_finite(step.constant);
}

/// What a condition is for all elements, if it is known.
std::optional<bool> known_condition(ir::Value condition) {
  const auto test = ir::match<ir::IsNaNView>(condition);
  if (test && is_dequantized(test->data())) return false;
  const auto values = ir::exact_values(condition);
  if (!values || values->empty() || std::ranges::adjacent_find(*values, std::not_equal_to()) != values->end())
    return std::nullopt;
  return values->front() != 0;
}

/// The value that a known condition chooses for all elements; null if it is broadcast.
ir::Value chosen_value(ir::Node& node) {
  const ir::SelectView select = node;
  const auto condition = known_condition(select.condition());
  if (!condition) return {};
  const ir::Value chosen = *condition ? select.then_value() : select.else_value();
  return ir::have_equal_shapes(chosen, node.value()) ? chosen : ir::Value{};
}

ir::Value input_of_no_op(ir::Builder& builder, ir::Node& node) {
  if (node.is(ops::Select)) {
    const ir::Value chosen = chosen_value(node);
    return chosen ? chosen : value_of_both(builder, node);
  }
  if (node.is(ops::Squeeze) || node.is(ops::Gather))
    if (const ir::Value value = input_of_undone(node)) return value;
  if (node.is(ops::Slice) || node.is(ops::Gather))
    if (const ir::Value part = taken_part(node)) return part;
  return is_no_op(node) ? node.input(0) : ir::Value{};
}

}  // namespace

bool remove_no_ops(ir::Model& model, PassContext&) {
  return rewrite_values(model,
                        {ops::Convert, ops::Reshape, ops::Squeeze, ops::Unsqueeze, ops::Broadcast, ops::Tile,
                         ops::Transpose, ops::Concat, ops::Slice, ops::Pad, ops::Select, ops::Gather},
                        input_of_no_op);
}

}  // namespace onnx2ir::passes
