// Operators of OpenVINO's own domain: IR operations under the same or a similar name. Old exporters of
// OpenVINO and NNCF also wrote them without a domain.
#include <algorithm>
#include <utility>

#include "base/portable_math.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"
#include "frontend/translators/onnx/window.hpp"
#include "ir/views/normalization.hpp"
#include "ir/views/spatial.hpp"

namespace onnx2ir::frontend {
namespace {

constexpr std::string_view kOpenvino = "org.openvinotoolkit";

/// The first `count` inputs, all of which must be present, for an IR operation that has the same.
Values take_inputs(const NodeContext& node, std::size_t count) {
  Values inputs;
  for (std::size_t i = 0; i < count; ++i) inputs.push_back(node.input(i));
  return inputs;
}

/// The value of the node's attribute for an attribute of an IR operation; 0, false or empty if it is absent.
ir::AttributeValue read_attribute(NodeContext& node, const ir::AttributeSpec& attribute) {
  using Kind = ir::AttributeSpec::Kind;
  if (attribute.kind == Kind::boolean) return node.flag_attribute(attribute.name);
  if (attribute.kind == Kind::integer) return node.integer_attribute(attribute.name, 0);
  if (attribute.kind == Kind::real) return node.real_attribute(attribute.name, 0);
  return node.real_list(attribute.name).unchecked();
}

/// The attributes of `operation`, which the node has under the same names, but for those that are `given`.
std::vector<ir::Attribute> read_attributes(NodeContext& node, ir::Op operation, AttributeList given = {}) {
  std::vector<ir::Attribute> attributes;
  for (const ir::AttributeSpec& attribute : ir::find_op(operation).attributes) {
    const auto* const found = std::ranges::find(given, attribute.name, &ir::Attribute::name);
    attributes.push_back(found != given.end() ? *found
                                              : ir::Attribute(attribute, read_attribute(node, attribute)));
  }
  return attributes;
}

/// A list of numbers; `absent` if the node does not have the attribute.
std::vector<double> reals(NodeContext& node, std::string_view name, std::vector<double> absent) {
  return node.has_attribute(name) ? node.real_list(name).unchecked() : std::move(absent);
}

/// An attribute for a number of boxes; -1 means all.
std::int64_t count(NodeContext& node, std::string_view name, std::int64_t absent) {
  const std::int64_t value = node.integer_attribute(name, absent);
  if (value < -1) node.fail("attribute '" + std::string(name) + "' is negative");
  return value;
}

/// Height and width of a batch of images.
Value emit_image_size(NodeContext& node, std::size_t input) {
  const Value image = node.input(input);
  if (node.rank(image) != 4)
    node.fail("input " + std::to_string(input) + " must be a batch of images, of rank 4");
  const Value height = dimension_of(node, image, 2);
  const Value width = dimension_of(node, image, 3);
  return concat(node, {height, width});
}

/// Boxes and variances [2, P] of the operation become [1, 2, P].
Values emit_prior_boxes(NodeContext& node, ir::Op operation, AttributeList given) {
  const Value map = emit_image_size(node, 0);
  const Value image = emit_image_size(node, 1);
  return {unsqueeze(node, node.op(operation, {map, image}, read_attributes(node, operation, given)), {0})};
}

Values prior_box(NodeContext& node) {
  return emit_prior_boxes(
      node, ops::PriorBox,
      {{"scale_all_sizes", node.flag_attribute("scale_all_sizes", true)},
       {"min_max_aspect_ratios_order", node.flag_attribute("min_max_aspect_ratios_order", true)}});
}

Values prior_box_clustered(NodeContext& node) {
  constexpr double kVariance = 0.1F;
  return emit_prior_boxes(node, ops::PriorBoxClustered, {{"variance", reals(node, "variance", {kVariance})}});
}

Values detection_output(NodeContext& node) {
  constexpr std::string_view kPrefix = "caffe.PriorBoxParameter.";
  std::string code = node.text_attribute("code_type", "CORNER");
  if (!code.starts_with(kPrefix)) code.insert(0, kPrefix);
  if (code != std::string(kPrefix) + "CORNER" && code != std::string(kPrefix) + "CENTER_SIZE")
    node.fail("attribute 'code_type' must be CORNER or CENTER_SIZE, it is " + code);
  ir::Integers kept = node.integer_list("keep_top_k");
  if (kept.empty()) kept.push_back(1);
  if (kept.size() != 1) node.fail("attribute 'keep_top_k' must be one number");
  const Values inputs = node.inputs();
  if (inputs.size() != 3 && inputs.size() != 5) node.fail("it must have three or five inputs");
  return {node.op(ops::DetectionOutput, inputs,
                  read_attributes(node, ops::DetectionOutput,
                                  {{"top_k", node.integer_attribute("top_k", -1)},
                                   {"keep_top_k", kept.unchecked()},
                                   {"code_type", code},
                                   {"share_location", node.flag_attribute("share_location", true)},
                                   {"nms_threshold", node.real_attribute("nms_threshold")},
                                   {"normalized", node.flag_attribute("normalized", true)},
                                   {"input_height", node.integer_attribute("input_height", 1)},
                                   {"input_width", node.integer_attribute("input_width", 1)}}))};
}

/// GenerateProposals: the anchors [A, 4] are the same for all pixels; the operation has them for each pixel.
Values generate_proposals(NodeContext& node) {
  struct Input {
    enum : std::size_t { scores, offsets, image_sizes, anchors };
  };
  const Value scores = node.input(Input::scores);
  const Value anchors = node.input(Input::anchors);
  if (node.rank(scores) != 4) node.fail("the scores must have rank 4");
  if (node.rank(anchors) != 2) node.fail("the anchors must have rank 2");
  const Value pixels = emit_image_size(node, Input::scores);
  const Value count_of_anchors = dimension_of(node, anchors, 0);
  const Value shape = concat(node, {pixels, count_of_anchors, node.integers({4})});
  const Value for_pixels = broadcast_to(node, anchors, shape);
  ir::Node& proposals =
      node.node(ops::GenerateProposals,
                {node.input(Input::image_sizes), for_pixels, node.input(Input::offsets), scores},
                {{"min_size", node.real_attribute("min_size", 1)},
                 {"nms_threshold", node.real_attribute("nms_thresh", 0.7F)},
                 {"pre_nms_count", count(node, "pre_nms_topN", 6000)},
                 {"post_nms_count", count(node, "post_nms_topN", 300)},
                 {"normalized", !node.flag_attribute("legacy_plus_one", true)},
                 {"nms_eta", 1.0},
                 {"roi_num_type", ElementType::i64}},
                3);
  return proposals.values();
}

Values proposals_of_one_image(NodeContext& node) {
  ir::Node& proposals =
      node.node(ops::ExperimentalDetectronGenerateProposalsSingleImage, take_inputs(node, 4),
                {{"min_size", node.real_attribute("min_size", 0)},
                 {"nms_threshold", node.real_attribute("nms_threshold", 0.7F)},
                 {"pre_nms_count", count(node, "pre_nms_count", 1000)},
                 {"post_nms_count", node.positive_attribute("post_nms_count", 1000)}},
                2);
  return proposals.values();
}

Values detectron_output(NodeContext& node) {
  constexpr float kLargestRatio = 1000.0F / 16.0F;
  ir::Node& detections = node.node(
      ops::ExperimentalDetectronDetectionOutput, take_inputs(node, 4),
      {{"score_threshold", node.real_attribute("score_threshold", 0.05F)},
       {"nms_threshold", node.real_attribute("nms_threshold", 0.5F)},
       {"max_delta_log_wh", node.real_attribute("max_delta_log_wh", base::natural_logarithm(kLargestRatio))},
       {"num_classes", node.positive_attribute("num_classes", 81)},
       {"post_nms_count", count(node, "post_nms_count", 2000)},
       {"max_detections_per_image", node.positive_attribute("max_detections_per_image", 100)},
       {"class_agnostic_box_regression", node.flag_attribute("class_agnostic_box_regression")},
       {"deltas_weights", reals(node, "deltas_weights", {10, 10, 5, 5})}},
      3);
  return detections.values();
}

Values prior_grid(NodeContext& node) {
  return {node.op(ops::ExperimentalDetectronPriorGridGenerator, take_inputs(node, 3),
                  read_attributes(node, ops::ExperimentalDetectronPriorGridGenerator,
                                  {{"flatten", node.flag_attribute("flatten", true)}}))};
}

Values roi_features(NodeContext& node) {
  ir::Integers scales = node.integer_list("pyramid_scales");
  if (scales.empty()) scales = {4, 8, 16, 32, 64};
  const Values inputs = node.inputs();
  // OpenVINO reads a scale for each level.
  if (inputs.size() < 2 || scales.size() + 1 < inputs.size())
    node.fail("it has " + std::to_string(inputs.size() - 1) +
              " levels of a pyramid, but attribute 'pyramid_scales' has " + std::to_string(scales.size()) +
              " values");
  ir::Node& features = node.node(ops::ExperimentalDetectronROIFeatureExtractor, inputs,
                                 {{"output_size", node.positive_attribute("output_size", 7)},
                                  {"sampling_ratio", node.integer_attribute("sampling_ratio", 2)},
                                  {"pyramid_scales", scales.unchecked()},
                                  {"aligned", node.flag_attribute("aligned")}},
                                 2);
  return features.values();
}

Values best_rois(NodeContext& node) {
  return {node.op(ops::ExperimentalDetectronTopKROIs, take_inputs(node, 2),
                  {{"max_rois", node.positive_attribute("max_rois", 1000)}})};
}

/// A constant bound with leading axes of size 1: OpenVINO counts the levels of other bounds wrongly if the
/// data is dynamic.
Value raise_to_full_rank(NodeContext& node, Value bound, Value x) {
  const auto sizes = bound.shape().sizes();
  if (!sizes || sizes->empty() || !x.shape().has_rank() || sizes->size() >= x.shape().rank()) return bound;
  std::vector<std::int64_t> shape(x.shape().rank() - sizes->size(), 1);
  shape.insert(shape.end(), sizes->begin(), sizes->end());
  return reshape_constant(node, bound, shape);
}

/// FakeQuantize: data, lower and upper bound of the input, lower and upper bound of the output.
Values fake_quantize(NodeContext& node) {
  const Value x = node.input(0);
  Values inputs{x};
  for (std::size_t i = 1; i < 5; ++i)
    inputs.push_back(raise_to_full_rank(node, convert(node, node.input(i), x.type()), x));
  return {node.op(ops::FakeQuantize, inputs, {{"levels", node.integer_attribute("levels")}})};
}

/// Parameters for each channel may have further axes of size 1.
Value reshape_to_vector(NodeContext& node, Value value) {
  return value.shape().has_rank() && value.shape().rank() == 1 ? value : flatten(node, value);
}

/// GroupNorm, ExperimentalDetectronGroupNorm.
Values group_norm(NodeContext& node) {
  using Input = ir::GroupNormalizationView::Input;
  const Value x = node.input(Input::data);
  const Value scale = reshape_to_vector(node, convert(node, node.input(Input::scale), x.type()));
  const Value bias = reshape_to_vector(node, convert(node, node.input(Input::bias), x.type()));
  return {node.op(ops::GroupNormalization, {x, scale, bias},
                  {{"num_groups", node.positive_attribute("num_groups")},
                   {"epsilon", node.real_attribute("eps", 1e-6F)}})};
}

/// Normalize: divides by the length of the vector of all channels of a pixel, or of all elements of an image,
/// and multiplies by a factor, or by one for each channel.
Values normalize(NodeContext& node) {
  const Value x = node.input(0);
  const std::int64_t rank = node.rank(x);
  if (rank < 2) node.fail("the input has no channels");
  const bool is_of_image = node.flag_attribute("across_spatial");
  const Value axes = emit_axes_between(node, 1, is_of_image ? rank : 2);
  const Value normal =
      node.op(ops::NormalizeL2, {x, axes}, {{"eps", node.real_attribute("eps", 0)}, {"eps_mode", "add"}});
  const Value factors = convert(node, node.input(1), x.type());
  if (node.flag_attribute("channel_shared"))
    return {node.op(ops::Multiply, {normal, require_scalar(node, factors, "the weight of all channels")})};
  return {node.op(ops::Multiply, {normal, reshape(node, factors, shape_along(1, rank))})};
}

/// Swish: x * sigmoid(beta * x).
Values swish(NodeContext& node) {
  const Value x = node.input(0);
  if (!node.has_input(1)) return {node.op(ops::Swish, {x})};
  const Value beta = require_scalar(node, node.input(1), "the factor beta");
  return {node.op(ops::Swish, {x, convert(node, beta, x.type())})};
}

/// DeformableConv2D: data, offsets, filters, optional masks.
Values deformable_convolution(NodeContext& node) {
  Values inputs = take_inputs(node, 3);
  using Input = ir::DeformableConvolutionView::Input;
  if (node.has_input(Input::mask)) inputs.push_back(node.input(Input::mask));
  return {emit_deformable_convolution(node, inputs, "deformable_groups", false)};
}

}  // namespace

std::vector<TranslatorRow> openvino_translators() {
  std::vector<TranslatorRow> rows{
      {"PriorBox", 1, prior_box, {}, "img_size=0 img_h=0 img_w=0 step_h=0 step_w=0"},
      {"PriorBoxClustered", 1, prior_box_clustered, {}, "flip=0 img_size=0 img_h=0 img_w=0"},
      {"DetectionOutput", 1, detection_output, {}, "num_classes eta=1"},
      {"ExperimentalDetectronGenerateProposalsSingleImage", 1, proposals_of_one_image},
      {"ExperimentalDetectronDetectionOutput", 1, detectron_output},
      {"ExperimentalDetectronPriorGridGenerator", 1, prior_grid},
      {"ExperimentalDetectronROIFeatureExtractor", 1, roi_features, {}, "distribute_rois_between_levels=1"},
      {"ExperimentalDetectronTopKROIs", 1, best_rois},
      {"FakeQuantize", 1, fake_quantize},
      {"GroupNorm", 1, group_norm},
      {"ExperimentalDetectronGroupNorm", 1, group_norm},
      {"Normalize", 1, normalize},
      {"Swish", 1, swish},
      {"DeformableConv2D", 1, deformable_convolution, "other than two spatial axes"},
  };
  // All of these are found in ONNX's domain as well.
  const std::size_t count = rows.size();
  for (std::size_t i = 0; i < count; ++i) rows.emplace_back(rows[i]).domain = kOpenvino;
  rows.push_back({"GenerateProposals", 1, generate_proposals, {}, {}, kOpenvino});
  return rows;
}

}  // namespace onnx2ir::frontend
