// Workaround for roi_align_no_samples: empty regions have no samples, and their mean is 0.
#include <algorithm>

#include "ir/shape_tools.hpp"
#include "ir/views/elementwise.hpp"
#include "ir/views/vision.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/pattern.hpp"
#include "passes/support/clone_with_input.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

using ir::Value;

/// Whether the use is that of a Select which replaces the elements of some regions by 0.
bool is_filled(const ir::Use& use) {
  const auto select = ir::match<ir::SelectView>(*use.node);
  return select && use.index == ir::SelectView::Input::else_value && is_number(select->then_value(), 0) &&
         select->condition().shape().has_rank() && select->condition().shape().rank() == 4;
}

/// Of the other modes, asymmetric takes regions for at least one pixel wide.
bool may_have_no_samples(ir::ROIAlignView align) {
  const Value regions = align.rois();
  const bool has_regions = !regions.shape().has_rank() || regions.shape()[0] != ir::Dimension(0);
  return align.mode() == "avg" && align.aligned_mode() == "half_pixel_for_nn" &&
         align.sampling_ratio() <= 0 && has_regions && !std::ranges::all_of(align.output(0).uses, is_filled);
}

/// Whether a region is empty or inverted: boolean [R, 1, 1, 1].
Value find_regions_without_extent(ir::Builder& builder, Value regions) {
  const Value ends = ir::gather(builder, regions, builder.integers({2, 3}), 1);
  const Value begins = ir::gather(builder, regions, builder.integers({0, 1}), 1);
  const Value none = builder.op(ops::LessEqual, {ends, begins});
  return ir::unsqueeze(builder, ir::reduce_keep_dims(builder, ops::ReduceLogicalOr, none, {1}), {2, 3});
}

Value fill(ir::Builder& builder, ir::ROIAlignView align) {
  const Value mean = clone_with_input(builder, align, ir::ROIAlignView::Input::data, align.data()).value();
  const Value is_empty = find_regions_without_extent(builder, align.rois());
  return builder.op(ops::Select, {is_empty, builder.number_like(0, mean), mean});
}

}  // namespace

Workaround fill_empty_regions() {
  return {.name = "fill_empty_regions",
          .stage = Stage::operations,
          .summary = "Selects 0 as the mean over an empty region",
          .rows = {row(Fault::roi_align_no_samples, {ops::ROIAlign}, affects<may_have_no_samples>,
                       replace<fill>)}};
}

}  // namespace onnx2ir::passes
