// Boxes and regions: NonMaxSuppression, RoiAlign.

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/operands.hpp"
#include "frontend/translators/onnx/region_maximum.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// An optional parameter as a scalar; `absent` if it is missing.
Value read_parameter(NodeContext& node, std::size_t index, Value absent) {
  if (!node.has_input(index)) return absent;
  return reshape_to_scalar(node, node.input(index));
}

/// Makes the last axis of boxes static, which has 4 entries.
Value set_last_axis(NodeContext& node, Value boxes) {
  const std::int64_t rank = node.rank(boxes);
  if (boxes.shape()[static_cast<std::size_t>(rank - 1)].is_static()) return boxes;
  Values shape = dimensions_of(node, boxes, 0, rank - 1);
  shape.push_back(node.integers({4}));
  return reshape(node, boxes, concat(node, shape));
}

/// NonMaxSuppression 10, 11.
Values non_max_suppression_10(NodeContext& node) {
  using Input = inputs::NonMaxSuppression;
  const Value most = convert(node, read_parameter(node, Input::max_output_boxes_per_class, node.integer(0)),
                             ElementType::i64);
  // A limit of 0, which is the default, selects no boxes; nor does a negative one in onnxruntime.
  if (ir::known_scalar(most).value_or(1) <= 0) return {emit_empty_constant(node, ElementType::i64, {0, 3})};
  const Value overlap = read_parameter(node, Input::iou_threshold, node.number(0.0, ElementType::f32));
  // Without a threshold, all scores count.
  const Value threshold =
      read_parameter(node, Input::score_threshold, node.number(-3.4028234663852886e38, ElementType::f32));
  const bool centre = node.flag_attribute("center_point_box");
  // With dynamic shapes, plugins return as many rows as there are selected boxes, without padding.
  return {node.op(
      ops::NonMaxSuppression,
      {set_last_axis(node, node.input(Input::boxes)), node.input(Input::scores), most, overlap, threshold},
      {{"box_encoding", centre ? "center" : "corner"},
       {"sort_result_descending", false},
       {"output_type", ElementType::i64}})};
}

/// RoiAlign 10 (no half pixels), 16 (coordinate_transformation_mode), 22.
Values roi_align_10(NodeContext& node) {
  using Input = inputs::RoiAlign;
  const bool is_old = node.opset() < 16;
  const bool half_pixel = node.text_attribute("coordinate_transformation_mode",
                                              is_old ? "output_half_pixel" : "half_pixel") == "half_pixel";
  const std::int64_t height = node.positive_attribute("output_height", 1);
  const std::int64_t width = node.positive_attribute("output_width", 1);
  const Value regions = set_last_axis(node, node.input(Input::rois));
  const Value batches = convert(node, node.input(Input::batch_indices), ElementType::i64);
  // Without regions, both modes give the same empty tensor.
  const bool has_regions = regions.shape()[0] != ir::Dimension(0);
  if (has_regions && node.text_attribute("mode", "avg") == "max") {
    return {emit_region_maximum(node, node.input(Input::X), regions, batches, half_pixel)};
  }
  return {node.op(ops::ROIAlign, {node.input(Input::X), regions, batches},
                  {{"pooled_h", height},
                   {"pooled_w", width},
                   {"sampling_ratio", node.integer_attribute("sampling_ratio", 0)},
                   {"spatial_scale", node.real_attribute("spatial_scale", 1.0)},
                   {"mode", "avg"},
                   {"aligned_mode", half_pixel ? "half_pixel_for_nn" : "asymmetric"}})};
}

/// MaxRoiPool 1, 22. Regions are rows of a batch index and the corners; an empty part of a region gives 0.
Values max_roi_pool_1(NodeContext& node) {
  const auto sizes = node.integer_list("pooled_shape");
  if (sizes.size() != 2 || sizes[0] < 1 || sizes[1] < 1)
    node.fail("pooled_shape must have two positive numbers");
  Value regions = node.input(1);
  // The CPU plugin rejects regions of unknown length.
  if (node.rank(regions) == 2 && !regions.shape()[1].is_static())
    regions = reshape(node, regions, std::vector<std::int64_t>{-1, 5});
  return {node.op(ops::ROIPooling, {node.input(0), regions},
                  {{"pooled_h", sizes[0]},
                   {"pooled_w", sizes[1]},
                   {"spatial_scale", node.real_attribute("spatial_scale", 1.0)},
                   {"method", "max"}})};
}

}  // namespace

std::vector<TranslatorRow> detection_translators() {
  return {
      {"NonMaxSuppression", 10, non_max_suppression_10},
      {"RoiAlign", 10, roi_align_10},
      {"MaxRoiPool", 1, max_roi_pool_1},
  };
}

}  // namespace onnx2ir::frontend
