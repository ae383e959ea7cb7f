// Operators that mmdeploy writes for rotated boxes: centre, size and angle in radians.
#include <limits>

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// NMSRotated: boxes [N, B, 5], scores [N, C, B]; the selected [batch, class, box].
Values nms_rotated(NodeContext& node) {
  Value boxes = node.input(0);
  if (!boxes.shape().has_rank() || boxes.shape().rank() != 3 || !boxes.shape()[2].is_static())
    boxes = reshape_keeping(node, boxes, {0, 0, 5});
  ir::Node& selected = node.node(
      ops::NMSRotated,
      {boxes, node.input(1), node.integer(std::numeric_limits<std::int32_t>::max()),
       node.number(node.real_attribute("iou_threshold"), ElementType::f32),
       node.number(node.real_attribute("score_threshold"), ElementType::f32)},
      {{"sort_result_descending", false}, {"output_type", ElementType::i64}, {"clockwise", true}}, 3);
  return {selected.value(0)};
}

/// MMCVRoIAlignRotated: image [N, C, H, W], regions [R, 6]: index of the image, centre, size, angle.
Values roi_align_rotated(NodeContext& node) {
  const Value regions = node.input(1);
  const double scale = node.real_attribute("spatial_scale", 1);
  const auto columns = [&](std::initializer_list<std::int64_t> indices) {
    return gather(node, regions, node.integers(indices), 1);
  };
  const Value column = gather(node, regions, node.integer(0), 1);
  const Value images = convert(node, column, ElementType::i32);
  Value boxes = columns({1, 2, 3, 4, 5});
  if (!node.flag_attribute("aligned", true)) {
    // The operation moves the centre by half a pixel, and mmdeploy does not. It also makes regions at least
    // one pixel large.
    const Value centre = node.op(ops::Add, {columns({1, 2}), node.number_like(0.5 / scale, regions)});
    const Value extent = node.op(ops::Maximum, {columns({3, 4}), node.number_like(1 / scale, regions)});
    boxes = concat(node, {centre, extent, columns({5})}, 1);
  }
  return {node.op(ops::ROIAlignRotated, {node.input(0), boxes, images},
                  {{"pooled_h", node.positive_attribute("output_height")},
                   {"pooled_w", node.positive_attribute("output_width")},
                   {"sampling_ratio", node.integer_attribute("sampling_ratio", 0)},
                   {"spatial_scale", scale},
                   {"clockwise_mode", node.flag_attribute("clockwise")}})};
}

}  // namespace

std::vector<TranslatorRow> mmdeploy_translators() {
  return {
      {"NMSRotated", 1, nms_rotated},
      {"MMCVRoIAlignRotated", 1, roi_align_rotated},
  };
}

}  // namespace onnx2ir::frontend
