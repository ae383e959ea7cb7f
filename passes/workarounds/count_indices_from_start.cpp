// Workarounds for indices and ends that count from the end of an axis. A GatherElements or GatherND with
// negative indices reads outside of the data or gives wrong elements: the size of the axis is added to them
// first. The end of a Slice whose bounds count from different ends is hidden, because OpenVINO infers wrong
// sizes from it.
#include <vector>

#include "ir/inference.hpp"
#include "ir/views/elementwise.hpp"
#include "ir/views/reduction.hpp"
#include "ir/views/selection.hpp"
#include "ir/views/unary.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/pattern.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether `value` is a size, or a few sizes, of a tensor.
bool are_sizes(ir::Value value) {
  const ir::Value sizes = before_conversions(value);
  const auto part = [&](ir::Op operation) { return matches(sizes, op(operation, op(ops::ShapeOf))); };
  return are_at_least(sizes, 0) || sizes.node->is(ops::ShapeOf) || part(ops::Gather) || part(ops::Slice);
}

/// Whether count_from_start() has emitted `indices`.
bool are_counted_from_start(ir::Value indices) {
  ir::Value original;
  ir::Value added;
  const auto is_negative = op(ops::Less, any(original), integer(0));
  return matches(indices, op(ops::Add, any(), op(ops::Select, is_negative, any(added), integer(0)))) &&
         indices.node->input(0) == original && are_sizes(added);
}

bool is_never_negative(ir::Value value) {
  const ir::Node& maker = *value.node;
  if (are_at_least(value, 0) || known_number(value).value_or(-1) >= 0 || are_counted_from_start(value))
    return true;
  if (maker.is_one_of({ops::NonZero, ops::ShapeOf})) return true;
  if (maker.is(ops::Maximum)) return are_at_least(maker.input(0), 0) || are_at_least(maker.input(1), 0);
  if (const auto range = ir::match<ir::RangeView>(value))
    return are_at_least(range->start(), 0) && are_at_least(range->step(), 0);
  const auto clamp = ir::match<ir::ClampView>(value);
  return (maker.is(ops::TopK) && value.index == 1) || (clamp && clamp->min() >= 0);
}

/// Whether the numbers are provably not negative: they are positions or sizes, or clamped.
bool are_never_negative(ir::Value numbers) {
  // Operations whose results are not negative if their first input is not, or if no input is. A sum or
  // product that overflows was no index before.
  constexpr ir::OperationSet kOfFirst = {ops::Broadcast, ops::Ceiling,   ops::Convert, ops::Floor,
                                         ops::Gather,    ops::Reshape,   ops::Round,   ops::Slice,
                                         ops::Squeeze,   ops::Transpose, ops::Tile,    ops::Unsqueeze};
  constexpr ir::OperationSet kOfAll = {ops::Add,      ops::Concat,  ops::Divide,
                                       ops::FloorMod, ops::Minimum, ops::Multiply};
  constexpr std::size_t kMaxValues = 32;
  std::vector<ir::Value> sources{numbers};
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const ir::Value value = sources[i];
    if (is_never_negative(value)) continue;
    const auto inputs = value.node->inputs();
    if (value.node->is_one_of(kOfAll)) {
      sources.insert(sources.end(), inputs.begin(), inputs.end());
    } else if (value.node->is_one_of(kOfFirst)) {
      sources.push_back(inputs.front());
    } else {
      return false;
    }
    if (sources.size() > kMaxValues) return false;
  }
  return true;
}

/// `indices`, to which `sizes` are added where they are negative.
ir::Value count_from_start(ir::Builder& builder, ir::Value indices, ir::Value sizes) {
  const ir::Value is_negative = builder.op(ops::Less, {indices, builder.integer(0, indices.type())});
  const ir::Value added = builder.op(ops::Select, {is_negative, ir::convert(builder, sizes, indices.type()),
                                                   builder.integer(0, indices.type())});
  return builder.op(ops::Add, {indices, added});
}

/// Strings are moved by gathers of their positions (moved_strings).
bool has_numbers(ir::Value data) {
  return data.type() != ir::ElementType::string;
}

bool gathers_negative_elements(ir::GatherElementsView gather) {
  return has_numbers(gather.data()) && !are_never_negative(gather.indices());
}

/// The size along `axis`, also of data of unknown rank: i64 [1].
ir::Value size_along(ir::Builder& builder, ir::Value data, std::int64_t axis) {
  if (data.shape().has_rank()) return ir::dimension_of(builder, data, axis);
  const ir::Value sizes = ir::shape_of(builder, data);
  return ir::gather(builder, sizes, builder.integers({axis}));
}

/// The same as count_from_start() for one size. Repeated indices are counted before they are repeated: each
/// feature of an embedding is often gathered with the same index.
ir::Value count_before_repetition(ir::Builder& builder, ir::Value indices, ir::Value size) {
  const bool is_repeated = indices.node->is_one_of({ops::Broadcast, ops::Tile});
  const ir::Value original = is_repeated ? indices.node->input(0) : indices;
  if (!is_repeated || !original.shape().has_rank() || original.shape().rank() == 0)
    return count_from_start(builder, indices, size);
  return ir::clone_with_input(builder, *indices.node, 0, count_before_repetition(builder, original, size));
}

ir::Value gather_elements(ir::Builder& builder, ir::GatherElementsView gather) {
  const ir::Value data = gather.data();
  const ir::Value size = size_along(builder, data, gather.axis());
  const ir::Value indices = count_before_repetition(builder, gather.indices(), size);
  return ir::clone_with_input(builder, gather, ir::GatherElementsView::Input::indices, indices);
}

bool gathers_negative_rows(ir::GatherNDView gather) {
  const ir::PartialShape& shape = gather.indices().shape();
  return has_numbers(gather.data()) && shape.has_rank() && shape.rank() > 0 &&
         shape[shape.rank() - 1].is_static() && !are_never_negative(gather.indices());
}

ir::Value gather_rows(ir::Builder& builder, ir::GatherNDView gather) {
  const ir::PartialShape& shape = gather.indices().shape();
  const std::int64_t first = gather.batch_dims();
  const std::int64_t count = shape[shape.rank() - 1].size();
  const ir::Value sizes = ir::slice(builder, ir::shape_of(builder, gather.data()), first, first + count, 0);
  const ir::Value indices = count_from_start(builder, gather.indices(), sizes);
  return ir::clone_with_input(builder, gather, ir::GatherNDView::Input::indices, indices);
}

/// Bounds beyond this stand for the end of any axis, and OpenVINO infers the right sizes from them.
constexpr std::int64_t kFar = 1'000'000;

bool is_misinferred(const ir::Dimension& size, std::int64_t start, std::int64_t end, std::int64_t step) {
  if (size.is_static() || end >= kFar || end <= -kFar) return false;
  if (step < 0 && start < 0 && end < 0) return start <= end;
  const bool has_bound = size.min > 0 || size.max != ir::Dimension::kUnbounded;
  return has_bound && (step > 0 ? start < 0 && end >= 0 : start >= 0 && end < 0);
}

bool is_misinferred(const ir::Dimension& size, const ir::ValueRange& start, const ir::ValueRange& end,
                    std::int64_t step) {
  return is_misinferred(size, start.min, end.min, step) || is_misinferred(size, start.min, end.max, step) ||
         is_misinferred(size, start.max, end.min, step) || is_misinferred(size, start.max, end.max, step);
}

/// Fault::slice_from_both_ends. OpenVINO infers wrong bounds of the size if a Slice of an axis of dynamic
/// size starts at a place that is counted from one end and ends at one that is counted from the other, or
/// steps backwards to a place that is not before the start. The plugins fail, or give fewer elements.
bool has_misinferred_size(ir::SliceView slice) {
  const ir::PartialShape& shape = slice.data().shape();
  const auto starts = ir::known_values(slice.start());
  const auto ends = ir::known_values(slice.stop());
  const auto steps = ir::exact_values(slice.step());
  const auto axes = ir::exact_values(slice.axes());
  if (!shape.has_rank() || !starts || !ends || !steps || !axes) return false;
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const ir::Dimension& size = shape[ir::normalize_axis((*axes)[i], shape.rank())];
    if (is_misinferred(size, (*starts)[i], (*ends)[i], (*steps)[i])) return true;
  }
  return false;
}

/// Hides the end, so that the size is inferred at run time. A Reshape gives the result its static sizes
/// again.
ir::Value hide_ends(ir::Builder& builder, ir::SliceView slice) {
  const ir::Value ends = slice.stop();
  const ir::Value sizes = ir::convert(builder, ir::compute_shape_of(builder, slice.data()), ends.type());
  const ir::Value list = ir::concat(builder, {ends, sizes});
  const ir::Value hidden = hide_elements(builder, list, ir::known_values(ends)->size());
  const ir::Value copy = ir::clone_with_input(builder, slice, ir::SliceView::Input::stop, hidden);
  return reshape_to_static_sizes(builder, copy, slice.output(0).shape);
}

}  // namespace

Workaround count_indices_from_start() {
  return {.summary =
              "Adds sizes to negative indices of GatherElements and GatherND, and hides ends of Slices that "
              "are misread",
          .stages = {{Stage::operations,
                      {row<gathers_negative_elements, gather_elements>(Fault::negative_gather_elements,
                                                                       {ops::GatherElements}),
                       row<gathers_negative_rows, gather_rows>(Fault::negative_gather_nd, {ops::GatherND}),
                       row<has_misinferred_size, hide_ends>(Fault::slice_from_both_ends, {ops::Slice})}}}};
}

}  // namespace onnx2ir::passes
