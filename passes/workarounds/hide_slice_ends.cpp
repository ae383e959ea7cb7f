// Workaround for slice_from_both_ends: OpenVINO infers wrong bounds of the size if a Slice of an axis of
// dynamic size starts at a place that is counted from one end and ends at one that is counted from the other,
// or steps backwards to a place that is not before the start. The plugins fail, or give fewer elements. Here
// the end is hidden, so that the size is inferred at run time. A Reshape gives the result its static sizes
// again.

#include "ir/inference.hpp"
#include "ir/views/selection.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/support/run_time_values.hpp"

namespace onnx2ir::passes {
namespace {

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

bool is_affected(ir::SliceView slice) {
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

ir::Value hide_ends(ir::Builder& builder, ir::SliceView slice) {
  const ir::Value ends = slice.stop();
  const ir::Value sizes = ir::convert(builder, ir::compute_shape_of(builder, slice.data()), ends.type());
  const ir::Value list = ir::concat(builder, {ends, sizes});
  const ir::Value hidden = hide_elements(builder, list, ir::known_values(ends)->size());
  const ir::Value copy = ir::clone_with_input(builder, slice, ir::SliceView::Input::stop, hidden);
  return reshape_to_static_sizes(builder, copy, slice.output(0).shape);
}

}  // namespace

Workaround hide_slice_ends() {
  return {.stage = Stage::operations,
          .summary = "Hides the ends of Slices whose size OpenVINO infers wrongly",
          .rows = {row<is_affected, hide_ends>(Fault::slice_from_both_ends, {ops::Slice})}};
}

}  // namespace onnx2ir::passes
