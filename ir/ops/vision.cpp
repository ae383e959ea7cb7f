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

namespace onnx2ir::ir {
namespace {

/// Inputs: image, sizes or scales of the axes, axes.
void infer_interpolate(Node& node) {
  const InterpolateView interpolate = node;
  const Value image = interpolate.data();
  PartialShape result = image.shape();
  const auto axes = exact_values(interpolate.axes());
  if (!result.has_rank() || !axes) {
    return set_output(node, 0, image.type(),
                      result.has_rank() ? PartialShape::of_rank(result.rank()) : result);
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
      const bool bounded = dimension.max != Dimension::kUnbounded;
      dimension = Dimension(scaled(dimension.min), bounded ? scaled(dimension.max) : Dimension::kUnbounded);
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
  PartialShape result = PartialShape::of_rank(4);
  if (image.has_rank()) {
    result[0] = image[0];
    result[1] = image[1];
  }
  if (grid.has_rank()) {
    if (const auto batch = intersect(result[0], grid[0])) result[0] = *batch;
    result[2] = grid[1];
    result[3] = grid[2];
  }
  set_output(node, 0, grid_sample.data().type(), result);
}

/// Boxes [N, B, 4], scores [N, C, B], maximum number of boxes per class, thresholds.
void infer_non_max_suppression(Node& node) {
  require_index_type(node.type("output_type"));
  const PartialShape& boxes = node.input(0).shape();
  const PartialShape& scores = node.input(1).shape();
  const auto most = exact_values(node.input(2));
  Dimension selected;
  if (boxes.has_rank() && scores.has_rank() && most && most->size() == 1 && boxes[1].is_static() &&
      scores[0].is_static() && scores[1].is_static()) {
    const std::int64_t per_class = std::min(boxes[1].size(), std::max<std::int64_t>(most->front(), 0));
    selected =
        Dimension(0, checked_multiply(checked_multiply(per_class, scores[0].size()), scores[1].size()));
  }
  set_output(node, 0, node.type("output_type"), PartialShape{selected, 3});
  set_output(node, 1, ElementType::f32, PartialShape{selected, 3});
  set_output(node, 2, node.type("output_type"), PartialShape{1});
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
  require(is_floating(same_type(node, 0, 2)), "the image and the regions must be floating-point");
  require(node.integer("sampling_ratio") >= 0, "the sampling ratio must not be negative");
  const PartialShape& image = node.input(0).shape();
  const PartialShape& regions = node.input(1).shape();
  const PartialShape& batches = node.input(2).shape();
  const auto [height, width] = pooled_size(node);
  PartialShape result{-1, -1, height, width};
  if (image.has_rank()) result[1] = image[1];
  if (regions.has_rank()) {
    const std::int64_t numbers = node.is(ops::ROIAlignRotated) ? 5 : 4;
    require(regions[1].admits(numbers), "ROIAlign: a region has another number of coordinates");
    result[0] = regions[0];
  }
  if (batches.has_rank()) {
    const auto count = intersect(result[0], batches[0]);
    require(count.has_value(), "ROIAlign: needs one batch index for each region");
    result[0] = *count;
  }
  set_output(node, 0, node.input(0).type(), result);
}

/// Image [N, C, H, W], regions [R, 5].
void infer_roi_pooling(Node& node) {
  const ROIPoolingView pooling = node;
  const PartialShape& image = pooling.data().shape();
  const PartialShape& regions = pooling.rois().shape();
  const auto [height, width] = pooled_size(node);
  PartialShape result{-1, -1, height, width};
  if (image.has_rank()) result[1] = image[1];
  if (regions.has_rank()) result[0] = regions[0];
  set_output(node, 0, pooling.data().type(), result);
}

/// Inputs: image [N, C, ...], sizes of the spatial axes of the result.
void infer_adaptive_pool(Node& node) {
  PartialShape result = node.input(0).shape();
  if (result.has_rank()) {
    require(result.rank() >= 3 && result.rank() <= 5, "AdaptiveAvgPool works on one to three spatial axes");
    const auto sizes = known_integers(node, 1);
    require(!sizes || sizes->size() + 2 == result.rank(),
            "AdaptiveAvgPool: needs a size for each spatial axis");
    for (std::size_t i = 2; i < result.rank(); ++i)
      result[i] = sizes ? to_dimension((*sizes)[i - 2]) : Dimension();
  }
  set_output(node, 0, node.input(0).type(), result);
}

/// Inputs: table [E, ...], indices [I], first position of each bag in the indices [B], index for empty bags,
/// factors [I].
void infer_embedding_bags(Node& node) {
  const EmbeddingBagOffsetsSumView embedding_bag_offsets_sum = node;
  PartialShape result = embedding_bag_offsets_sum.table().shape();
  const PartialShape& bags = embedding_bag_offsets_sum.offsets().shape();
  if (result.has_rank()) {
    require(result.rank() >= 1, "EmbeddingBagOffsetsSum: the table is a scalar");
    result[0] = bags.has_rank() ? bags[0] : Dimension();
  }
  set_output(node, 0, embedding_bag_offsets_sum.table().type(), result);
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
