// Operations of image models: resampling, grids, boxes, regions.
#include "ir/views/vision.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ir/checked_arithmetic.hpp"
#include "ir/inference.hpp"
#include "ir/ops/families.hpp"
#include "ir/ops/integer_inputs.hpp"
#include "ir/value_ranges.hpp"
#include "ir/views/groups.hpp"

namespace onnx2ir::ir {
namespace {

void infer_interpolate(Node& node) {
  const InterpolateView interpolate = node;
  const Value image = interpolate.data();
  PartialShape result = image.shape();
  const auto axes = exact_values(interpolate.axes());
  if (!result.has_rank() || !axes) {
    return set_output(node, 0, image.type(), result.without_sizes());
  }
  for (const CheckedView<std::int64_t> pads : {interpolate.pads_begin(), interpolate.pads_end()}) {
    for (std::size_t axis = 0; axis < std::min(pads.size(), result.rank()); ++axis)
      result[axis] = mapped(result[axis], [&](std::int64_t size) { return checked_add(size, pads[axis]); });
  }
  const bool by_scales = interpolate.shape_calculation_mode() == "scales";
  const auto sizes = by_scales ? std::nullopt : known_integers(node, 1);
  const auto scales = by_scales ? exact_numbers(interpolate.sizes()) : std::nullopt;
  for (std::size_t i = 0; i < axes->size(); ++i) {
    Dimension& dimension = result[normalize_axis((*axes)[i], result.rank())];
    if (sizes && i < sizes->size()) {
      dimension = to_dimension((*sizes)[i]);
    } else if (scales && i < scales->size()) {
      // The runtime adds a small number, so that sizes just below an integer are not rounded down.
      const auto scaled = [&](std::int64_t size) {
        return checked_size(static_cast<double>(
            std::floor(static_cast<float>(size) * static_cast<float>((*scales)[i]) + 1.0e-5F)));
      };
      dimension = mapped(dimension, scaled);
    } else {
      dimension = Dimension();
    }
  }
  set_output(node, 0, image.type(), result);
}

/// Image [N, C, H, W], grid [N, h, w, 2].
void infer_grid_sample(Node& node) {
  const GridSampleView grid_sample = node;
  const PartialShape& image = grid_sample.data().shape();
  const PartialShape& grid = grid_sample.grid().shape();
  const Dimension images = dimension_along(image, 0);
  set_output(node, 0, grid_sample.data().type(),
             {intersect(images, dimension_along(grid, 0)).value_or(images), dimension_along(image, 1),
              dimension_along(grid, 1), dimension_along(grid, 2)});
}

/// Boxes [N, B, 4], scores [N, C, B], maximum number of boxes per class, thresholds.
void infer_non_max_suppression(Node& node) {
  const AnyNmsView suppression = node;
  const ElementType index_type = suppression.output_type();
  require_index_type(index_type);
  const PartialShape& boxes = suppression.boxes().shape();
  const PartialShape& scores = suppression.scores().shape();
  const auto most = known_scalar(suppression.max_boxes());
  Dimension selected;
  if (boxes.has_rank() && scores.has_rank() && most && boxes[1].is_static() && scores[0].is_static() &&
      scores[1].is_static()) {
    const std::int64_t per_class = std::min(boxes[1].size(), std::max<std::int64_t>(*most, 0));
    selected =
        Dimension(0, checked_multiply(checked_multiply(per_class, scores[0].size()), scores[1].size()));
  }
  set_output(node, 0, index_type, PartialShape{selected, 3});
  set_output(node, 1, ElementType::f32, PartialShape{selected, 3});
  set_output(node, 2, index_type, PartialShape{1});
}

/// The height and the width of pooled regions.
std::pair<Dimension, Dimension> pooled_size(const Node& node) {
  const std::int64_t height = node.integer("pooled_h");
  const std::int64_t width = node.integer("pooled_w");
  require(height > 0 && width > 0, "the sizes of pooled regions must be positive");
  return {height, width};
}

/// Image [N, C, H, W], regions [R, 4], batch indices [R].
void infer_roi_align(Node& node) {
  const AnyROIAlignView align = node;
  const PartialShape& rois = align.rois().shape();
  require(is_floating(same_type(node, 0, 2)), "the image and the regions must be floating-point");
  require(align.sampling_ratio() >= 0, "the sampling ratio must not be negative");
  const Dimension numbers = dimension_along(rois, 1);
  require(numbers.admits(node.is(ops::ROIAlignRotated) ? 5 : 4),
          "ROIAlign: a region has another number of coordinates");
  const auto [height, width] = pooled_size(node);
  const Dimension regions =
      common_dimension(dimension_along(rois, 0), dimension_along(align.batch_indices().shape(), 0),
                       "ROIAlign: needs one batch index for each region");
  set_output(node, 0, align.data().type(),
             {regions, dimension_along(align.data().shape(), 1), height, width});
}

/// Image [N, C, H, W], regions [R, 5].
void infer_roi_pooling(Node& node) {
  const ROIPoolingView pooling = node;
  const auto [height, width] = pooled_size(node);
  set_output(node, 0, pooling.data().type(),
             {dimension_along(pooling.rois().shape(), 0), dimension_along(pooling.data().shape(), 1), height,
              width});
}

/// Inputs: image [N, C, ...], sizes of the spatial axes of the result.
void infer_adaptive_pool(Node& node) {
  const Value image = AdaptiveAvgPoolView(node).data();
  PartialShape result = image.shape();
  if (result.has_rank()) {
    require(result.rank() >= 3 && result.rank() <= 5, "AdaptiveAvgPool works on one to three spatial axes");
    const auto sizes = known_integers(node, 1);
    require(!sizes || sizes->size() + 2 == result.rank(),
            "AdaptiveAvgPool: needs a size for each spatial axis");
    for (std::size_t i = 2; i < result.rank(); ++i)
      result[i] = sizes ? to_dimension((*sizes)[i - 2]) : Dimension();
  }
  set_output(node, 0, image.type(), result);
}

/// Inputs: table [E, ...], indices [I], start of each bag in them [B], index for empty bags, factors [I].
void infer_embedding_bags(Node& node) {
  const EmbeddingBagOffsetsSumView bags = node;
  PartialShape result = bags.table().shape();
  require(!result.is_scalar(), "EmbeddingBagOffsetsSum: the table is a scalar");
  if (result.has_rank()) result[0] = dimension_along(bags.offsets().shape(), 0);
  set_output(node, 0, bags.table().type(), result);
}

}  // namespace

std::vector<OpFunction> vision_functions() {
  return {
      {ops::Interpolate, infer_interpolate},
      {ops::GridSample, infer_grid_sample},
      {ops::NonMaxSuppression, infer_non_max_suppression},
      {ops::ROIAlign, infer_roi_align},
      {ops::ROIPooling, infer_roi_pooling},
      {ops::NMSRotated, infer_non_max_suppression},
      {ops::ROIAlignRotated, infer_roi_align},
      {ops::AdaptiveAvgPool, infer_adaptive_pool},
      {ops::EmbeddingBagOffsetsSum, infer_embedding_bags},
  };
}

}  // namespace onnx2ir::ir
