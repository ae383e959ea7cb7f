// Workarounds for ROIAlign and NonMaxSuppression.
#include <algorithm>

#include "ir/views/elementwise.hpp"
#include "ir/views/vision.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/pattern.hpp"

namespace onnx2ir::passes {
namespace {

using ir::Value;

constexpr double kNext = 1.0 + 0x1p-23;
constexpr double kLeast = 1e-30;

/// Fault::nms_equal_overlap. The threshold becomes the next number above it, so that an overlap equal to the
/// threshold is below it.
bool removes_equal_overlaps(ir::NonMaxSuppressionView suppression) {
  const auto is_next = [](Value value) { return known_number(value) == static_cast<float>(kNext); };
  const auto is_least = [](Value value) { return known_number(value) == static_cast<float>(kLeast); };
  return !matches(suppression.iou_threshold(),
                  commutative(ops::Maximum, commutative(ops::Multiply, any(), is_next), is_least));
}

void raise_threshold(ir::Builder& builder, ir::Node& node) {
  const Value given = ir::NonMaxSuppressionView(node).iou_threshold();
  const Value threshold = ir::convert(builder, given, ir::ElementType::f32);
  const Value next = builder.op(ops::Multiply, {threshold, builder.number_like(kNext, threshold)});
  node.set_input(ir::NonMaxSuppressionView::Input::iou_threshold,
                 builder.op(ops::Maximum, {next, builder.number_like(kLeast, threshold)}));
}

/// The value that `value` is computed from by first inputs, if `found` holds for it after a few of them; null
/// otherwise.
template <typename Predicate>
Value before_steps(Value value, Predicate found) {
  constexpr int kMostSteps = 8;
  for (int step = 0; step < kMostSteps && !found(value); ++step) {
    if (value.node->inputs().empty()) return {};
    value = value.node->input(0);
  }
  return found(value) ? value : Value{};
}

/// Whether `condition` compares corners of `regions`.
bool compares_corners(Value condition, Value regions) {
  const Value comparison =
      before_steps(condition, [](Value value) { return value.node->is(ops::LessEqual); });
  const auto is_regions = [&](Value value) { return value == regions; };
  return comparison && std::ranges::all_of(comparison.node->inputs(), [&](Value corner) {
           return static_cast<bool>(before_steps(corner, is_regions));
         });
}

/// Whether the use is that of a Select which replaces the elements of empty regions by 0.
bool is_filled(const ir::Use& use, Value regions) {
  const auto select = ir::match<ir::SelectView>(*use.node);
  return select && use.index == ir::SelectView::Input::else_value && is_number(select->then_value(), 0) &&
         compares_corners(select->condition(), regions);
}

/// Fault::roi_align_no_samples. Empty regions have no samples, and their mean is 0. Of the other modes,
/// asymmetric takes regions for at least one pixel wide.
bool may_have_no_samples(ir::ROIAlignView align) {
  const Value regions = align.rois();
  if (align.mode() != "avg" || align.aligned_mode() != "half_pixel_for_nn" || align.sampling_ratio() > 0 ||
      !regions.shape().has_rank() || regions.shape()[0] == ir::Dimension(0))
    return false;
  return !std::ranges::all_of(align.output(0).uses,
                              [&](const ir::Use& use) { return is_filled(use, regions); });
}

/// Whether a region is empty or inverted: boolean [R, 1, 1, 1].
Value find_regions_without_extent(ir::Builder& builder, Value regions) {
  const Value ends = ir::gather(builder, regions, builder.integers({2, 3}), 1);
  const Value begins = ir::gather(builder, regions, builder.integers({0, 1}), 1);
  const Value none = builder.op(ops::LessEqual, {ends, begins});
  return ir::unsqueeze(builder, ir::reduce_keep_dims(builder, ops::ReduceLogicalOr, none, {1}), {2, 3});
}

Value fill_empty_regions(ir::Builder& builder, ir::ROIAlignView align) {
  const Value mean = ir::clone_with_input(builder, align, ir::ROIAlignView::Input::data, align.data());
  const Value is_empty = find_regions_without_extent(builder, align.rois());
  return builder.op(ops::Select, {is_empty, builder.number_like(0, mean), mean});
}

}  // namespace

Workaround legalize_regions() {
  return {
      .summary =
          "Selects 0 as the mean over an empty region, and raises the threshold of NonMaxSuppression to "
          "the next number",
      .stages = {
          {Stage::operations,
           {row<removes_equal_overlaps, raise_threshold>(Fault::nms_equal_overlap, {ops::NonMaxSuppression}),
            row<may_have_no_samples, fill_empty_regions>(Fault::roi_align_no_samples, {ops::ROIAlign})}}}};
}

}  // namespace onnx2ir::passes
