// Operations of image models: resampling, grids, boxes, regions; and those of object detectors.
#include "ir/views/vision.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "ir/checked_arithmetic.hpp"
#include "ir/inference.hpp"
#include "ir/ops/families.hpp"
#include "ir/ops/known_elements.hpp"
#include "ir/value_ranges.hpp"
#include "ir/views/detection.hpp"
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

/// The size of input `index` along `axis`; dynamic if the rank is.
Dimension size_of_input(const Node& node, std::size_t index, std::size_t axis) {
  return dimension_along(node.input(index).shape(), axis);
}

void require_size(const Node& node, std::size_t index, std::size_t axis, Dimension size) {
  const Dimension found = size_of_input(node, index, axis);
  if (!intersect(found, size))
    invalid("input " + std::to_string(index) + " has size " + to_string(found) + " along axis " +
            std::to_string(axis) + ", not " + to_string(size));
}

/// Fails unless input `index` can have `shape`, which has the rank of the operation table.
void require_shape(const Node& node, std::size_t index, const PartialShape& shape) {
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) require_size(node, index, axis, shape[axis]);
}

constexpr Dimension kAny;

/// The boxes around each point, by OpenVINO's formula: ratios are compared in single precision after rounding
/// to six digits.
std::int64_t prior_count(const Node& node) {
  const PriorBoxView prior_box = node;
  std::set<float> ratios{1.0F};
  const auto add_ratio = [&](double ratio) {
    constexpr double kDigits = 1e6;
    ratios.insert(static_cast<float>(std::round(ratio * kDigits) / kDigits));
  };
  for (const double ratio : prior_box.aspect_ratio()) {
    add_ratio(ratio);
    if (prior_box.flip()) add_ratio(1 / ratio);
  }
  const std::int64_t ratio_count = std::ssize(ratios);
  const std::int64_t min_sizes = std::ssize(prior_box.min_size());
  std::int64_t result = prior_box.scale_all_sizes()
                            ? ratio_count * min_sizes + std::ssize(prior_box.max_size())
                            : ratio_count + min_sizes - 1;
  if (!prior_box.fixed_size().empty()) result = ratio_count * std::ssize(prior_box.fixed_size());
  for (const double density : prior_box.density()) {
    constexpr double kMost = 1 << 15;
    require(density >= 0 && density < kMost, "a density is negative or too large");
    const auto side = static_cast<std::int64_t>(density);
    const std::int64_t fixed_ratios = std::ssize(prior_box.fixed_ratio());
    const std::int64_t repeated = fixed_ratios != 0 ? fixed_ratios : ratio_count;
    result = checked_add(result, checked_multiply(repeated, side * side - 1));
  }
  require(result >= 0, "the attributes give a negative number of boxes");
  return result;
}

/// Inputs: height and width of the feature map, of the image. Boxes and their variances.
void infer_prior_boxes(Node& node, std::int64_t boxes) {
  Dimension size;
  if (const auto map = known_integers(node, 0)) {
    require(map->size() == 2, "the feature map needs a height and a width");
    constexpr std::int64_t kCoordinates = 4;
    size = multiply(multiply(to_dimension((*map)[0]), to_dimension((*map)[1])),
                    Dimension(checked_multiply(boxes, kCoordinates)));
  }
  set_output(node, 0, ElementType::f32, PartialShape{2, size});
}

void infer_prior_box(Node& node) {
  infer_prior_boxes(node, prior_count(node));
}

void infer_prior_box_clustered(Node& node) {
  const PriorBoxClusteredView prior_box = node;
  require(prior_box.width().size() == prior_box.height().size(), "needs as many widths as heights");
  infer_prior_boxes(node, std::ssize(prior_box.width()));
}

/// Inputs: box offsets [N, P * 4], class scores [N, P * C], priors [N or 1, 2 or 1, P * 4]; two more for a
/// second stage.
void infer_detection_output(Node& node) {
  const DetectionOutputView detection_output = node;
  const ElementType type = same_type(node, 0, node.inputs().size());
  require(is_floating(type), "the inputs must be floating-point");
  require(node.inputs().size() != 4, "needs three or five inputs");
  const bool is_shared = detection_output.share_location();
  require_size(node, 2, 1, Dimension(detection_output.variance_encoded_in_target() ? 1 : 2));

  // The number of priors and of classes, as far as sizes give them; 0 otherwise.
  std::int64_t priors = 0;
  std::int64_t classes = 0;
  const auto quotient = [](Dimension size, std::int64_t divisor) -> std::int64_t {
    if (size.is_dynamic() || divisor == 0) return 0;
    if (size.size() % divisor != 0)
      invalid("a size of " + to_string(size) + " is not a multiple of " + std::to_string(divisor));
    return size.size() / divisor;
  };
  constexpr std::int64_t kCorners = 4;
  priors = quotient(size_of_input(node, 2, 2), detection_output.normalized() ? kCorners : kCorners + 1);
  if (priors == 0 && node.inputs().size() == 5) priors = quotient(size_of_input(node, 3, 1), 2);
  classes = quotient(size_of_input(node, 1, 1), priors);
  for (const std::size_t boxes : {0, 4}) {
    if (classes == 0 && !is_shared && boxes < node.inputs().size())
      classes = quotient(size_of_input(node, boxes, 1), checked_multiply(priors, kCorners));
  }
  const std::int64_t places = checked_multiply(is_shared ? 1 : classes, kCorners);
  if (priors == 0) priors = quotient(size_of_input(node, 0, 1), places);
  if (priors != 0 && (is_shared || classes != 0))
    require_size(node, 0, 1, Dimension(checked_multiply(priors, places)));

  Dimension images = size_of_input(node, 0, 0);
  require_size(node, 1, 0, images);
  if (images.is_dynamic() && size_of_input(node, 1, 0).is_static()) images = size_of_input(node, 1, 0);
  const auto known = [](std::int64_t count) { return count != 0 ? Dimension(count) : Dimension(); };
  require(detection_output.keep_top_k().size() != 0, "keep_top_k is empty");
  const std::int64_t kept = detection_output.keep_top_k()[0];
  const std::int64_t most = detection_output.top_k();
  Dimension rows = multiply(images, known(classes));
  if (kept > 0) {
    rows = multiply(images, Dimension(kept));
  } else if (kept == -1 && most > 0) {
    rows = multiply(rows, Dimension(most));
  } else {
    rows = multiply(rows, known(priors));
  }
  set_output(node, 0, type, PartialShape{1, 1, rows, 7});
}

/// The number of images is that of input 0, 2 and 3; the number of rois is at most `post_nms_count` for each.
/// Inputs: image sizes [N, 3 or 4], anchors [H, W, A, 4], offsets [N, A * 4, H, W], scores [N, A, H, W].
void infer_generate_proposals(Node& node) {
  const GenerateProposalsView proposals = node;
  const ElementType type = same_type(node, 0, 4);
  require_shape(node, 0, {kAny, Dimension(3, 4)});
  const Dimension anchors = size_of_input(node, 3, 1);
  const Dimension height = size_of_input(node, 3, 2);
  const Dimension width = size_of_input(node, 3, 3);
  require_shape(node, 1, {height, width, anchors, 4});
  require_shape(node, 2, {kAny, multiply(anchors, 4), height, width});
  Dimension images;
  for (const std::size_t input : {0, 2, 3})
    images =
        common_dimension(images, size_of_input(node, input, 0), "the inputs differ in the number of images");
  const Dimension most = multiply(images, Dimension(proposals.post_nms_count()));
  const Dimension rois(0, most.max);
  set_output(node, 0, type, PartialShape{rois, 4});
  set_output(node, 1, type, PartialShape{rois});
  set_output(node, 2, proposals.roi_num_type(), PartialShape{images});
}

/// Inputs: image size [3], anchors [A, 4], offsets [A * 4, H, W], scores [A, H, W].
void infer_proposals_of_one_image(Node& node) {
  const ElementType type = same_type(node, 0, 4);
  require_shape(node, 0, {3});
  require_shape(node, 1, {kAny, 4});
  require_shape(node, 2, {kAny, size_of_input(node, 3, 1), size_of_input(node, 3, 2)});
  const Dimension rois(ExperimentalDetectronGenerateProposalsSingleImageView(node).post_nms_count());
  set_output(node, 0, type, PartialShape{rois, 4});
  set_output(node, 1, type, PartialShape{rois});
}

/// Inputs: rois [R, 4], offsets [R, C * 4], scores [R, C], image size [1, 3].
void infer_detectron_output(Node& node) {
  const ExperimentalDetectronDetectionOutputView detections = node;
  const ElementType type = same_type(node, 0, 4);
  const Dimension classes(detections.num_classes());
  require_shape(node, 0, {kAny, 4});
  const Dimension rois = size_of_input(node, 0, 0);
  require_shape(node, 1, {rois, multiply(classes, 4)});
  require_shape(node, 2, {rois, classes});
  require_shape(node, 3, {1, 3});
  const Dimension most(detections.max_detections_per_image());
  set_output(node, 0, type, PartialShape{most, 4});
  set_output(node, 1, ElementType::i32, PartialShape{most});
  set_output(node, 2, type, PartialShape{most});
}

/// Inputs: priors [P, 4], feature map [N, C, H, W], image [N, C, h, w].
void infer_prior_grid(Node& node) {
  const ElementType type = same_type(node, 0, 3);
  require_shape(node, 0, {kAny, 4});
  require_shape(node, 2, {size_of_input(node, 1, 0), kAny, kAny, kAny});
  const Dimension priors = size_of_input(node, 0, 0);
  const Dimension height = size_of_input(node, 1, 2);
  const Dimension width = size_of_input(node, 1, 3);
  set_output(node, 0, type,
             ExperimentalDetectronPriorGridGeneratorView(node).flatten()
                 ? PartialShape{multiply(multiply(height, width), priors), 4}
                 : PartialShape{height, width, priors, 4});
}

/// Inputs: rois [R, 4], levels of a pyramid [1, C, H, W].
void infer_roi_features(Node& node) {
  const ElementType type = same_type(node, 0, node.inputs().size());
  require_shape(node, 0, {kAny, 4});
  Dimension channels;
  for (std::size_t input = 1; input < node.inputs().size(); ++input) {
    require_shape(node, input, {1, kAny, kAny, kAny});
    channels = common_dimension(channels, size_of_input(node, input, 1),
                                "the levels of the pyramid differ in the number of channels");
  }
  const Dimension rois = size_of_input(node, 0, 0);
  const Dimension size(ExperimentalDetectronROIFeatureExtractorView(node).output_size());
  set_output(node, 0, type, PartialShape{rois, channels, size, size});
  set_output(node, 1, type, PartialShape{rois, 4});
}

/// Inputs: rois [R, 4], probabilities [R].
void infer_best_rois(Node& node) {
  const ElementType type = same_type(node, 0, 2);
  require_shape(node, 0, {kAny, 4});
  require_shape(node, 1, {size_of_input(node, 0, 0)});
  set_output(node, 0, type, PartialShape{Dimension(ExperimentalDetectronTopKROIsView(node).max_rois()), 4});
}

}  // namespace

std::vector<OpFunction> vision_functions() {
  return {
      {ops::Interpolate, infer_interpolate},
      {ops::GridSample, infer_grid_sample},
      {{ops::NonMaxSuppression, ops::NMSRotated}, infer_non_max_suppression},
      {{ops::ROIAlign, ops::ROIAlignRotated}, infer_roi_align},
      {ops::ROIPooling, infer_roi_pooling},
      {ops::AdaptiveAvgPool, infer_adaptive_pool},
      {ops::EmbeddingBagOffsetsSum, infer_embedding_bags},
      {ops::PriorBox, infer_prior_box},
      {ops::PriorBoxClustered, infer_prior_box_clustered},
      {ops::DetectionOutput, infer_detection_output},
      {ops::GenerateProposals, infer_generate_proposals},
      {ops::ExperimentalDetectronGenerateProposalsSingleImage, infer_proposals_of_one_image},
      {ops::ExperimentalDetectronDetectionOutput, infer_detectron_output},
      {ops::ExperimentalDetectronPriorGridGenerator, infer_prior_grid},
      {ops::ExperimentalDetectronROIFeatureExtractor, infer_roi_features},
      {ops::ExperimentalDetectronTopKROIs, infer_best_rois},
  };
}

}  // namespace onnx2ir::ir
