// Boxes and regions: NonMaxSuppression, RoiAlign, MaxRoiPool.
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/operands.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// An optional parameter as a scalar; `absent` if it is missing.
Value read_parameter(NodeContext& node, std::size_t index, Value absent) {
  return node.has_input(index) ? reshape_to_scalar(node, node.input(index)) : absent;
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

/// The positions of the regions' samples along one axis of the image.
struct Samples {
  Value places;    ///< of the pixels before and after each sample, i32 [R, bins, 2 * samples]
  Value weights;   ///< of those pixels, f32
  Value are_none;  ///< regions without samples, boolean [R, 1, 1]; null: all have samples
};

/// One axis of the image: its size, and the first and last coordinate of the regions, f32 [R, 1, 1].
struct RegionAxis {
  Value size;
  Value first;
  Value last;
  std::int64_t bins;
};

Samples compute_samples(NodeContext& node, const RegionAxis& axis, bool half_pixel,
                        std::int64_t sampling_ratio) {
  const auto number = [&](double value) { return node.number(value, ElementType::f32); };
  Value extent = node.op(ops::Subtract, {axis.last, axis.first});
  if (!half_pixel) extent = node.op(ops::Maximum, {extent, number(1)});
  const Value bin = divide(node, extent, number(static_cast<double>(axis.bins)));

  // Without a sampling ratio, a bin has as many samples as pixels. All regions get the largest number of
  // samples; surplus samples repeat the last one.
  Samples result;
  Value count = number(static_cast<double>(sampling_ratio));
  Value most = count;
  if (sampling_ratio <= 0) {
    count = node.op(ops::Ceiling, {bin});
    result.are_none = node.op(ops::LessEqual, {count, number(0)});
    count = node.op(ops::Maximum, {count, number(1)});
    most = reduce(node, ops::ReduceMax, count, {0, 1, 2});
    most = node.op(ops::Maximum, {most, number(1)});  // for zero regions
  }
  Value index = emit_range(node, most, ElementType::f32);
  if (sampling_ratio <= 0) {
    index = node.op(ops::Minimum, {index, node.op(ops::Subtract, {count, number(1)})});
  }
  const Value offset =
      divide(node, node.op(ops::Multiply, {node.op(ops::Add, {index, number(0.5)}), bin}), count);
  const Value bin_count = number(static_cast<double>(axis.bins));
  const Value bins = unsqueeze(node, emit_range(node, bin_count, ElementType::f32), {1});
  const Value start = node.op(ops::Add, {axis.first, node.op(ops::Multiply, {bins, bin})});
  const Value sample = node.op(ops::Add, {start, offset});

  const Value is_outside = node.op(
      ops::LogicalOr, {node.op(ops::Less, {sample, number(-1)}), node.op(ops::Greater, {sample, axis.size})});
  const Value last_pixel = node.op(ops::Subtract, {axis.size, number(1)});
  const Value inside = node.op(ops::Minimum, {node.op(ops::Maximum, {sample, number(0)}), last_pixel});
  const Value before = node.op(ops::Floor, {inside});
  const Value after = node.op(ops::Minimum, {node.op(ops::Add, {before, number(1)}), last_pixel});
  const Value distance = node.op(ops::Subtract, {inside, before});
  const Value weight_after = node.op(ops::Select, {is_outside, number(0), distance});
  const Value weight_before =
      node.op(ops::Select, {is_outside, number(0), node.op(ops::Subtract, {number(1), distance})});
  result.places = convert(node, concat(node, {before, after}, 2), ElementType::i32);
  result.weights = concat(node, {weight_before, weight_after}, 2);
  return result;
}

/// Rows [R, a, s] and columns [R, b, t] combined by `op` to [R, a, b, s, t].
Value combine(NodeContext& node, ir::Op op, Value rows, Value columns) {
  return node.op(op, {unsqueeze(node, rows, {2, 4}), unsqueeze(node, columns, {1, 3})});
}

/// RoiAlign with mode "max", of regions [R, 4] of `image` [N, C, H, W]; `batches` [R] are the indices of the
/// images. If `half_pixel` is set, coordinates are pixel centres.
///
/// For the mean, a sample between four pixels has its interpolated value; for the maximum, ONNX uses the
/// greatest of the four weighted pixels instead of their sum. OpenVINO's ROIAlign uses the sum in both modes.
Value emit_region_maximum(NodeContext& node, Value image, Value regions, Value batches, bool half_pixel) {
  const std::int64_t ratio = node.integer_attribute("sampling_ratio", 0);
  const std::int64_t height = node.integer_attribute("output_height", 1);
  const std::int64_t width = node.integer_attribute("output_width", 1);
  Value scaled =
      node.op(ops::Multiply, {convert(node, regions, ElementType::f32),
                              node.number(node.real_attribute("spatial_scale", 1.0), ElementType::f32)});
  if (half_pixel) scaled = node.op(ops::Subtract, {scaled, node.number(0.5, ElementType::f32)});
  const auto edge = [&](std::int64_t column) {
    return unsqueeze(node, gather(node, scaled, node.integers({column}), 1), {2});
  };
  const auto size = [&](std::int64_t axis, ElementType type) {
    return convert(node, size_of(node, image, axis), type);
  };
  const Samples rows =
      compute_samples(node, {size(2, ElementType::f32), edge(1), edge(3), height}, half_pixel, ratio);
  const Samples columns =
      compute_samples(node, {size(3, ElementType::f32), edge(0), edge(2), width}, half_pixel, ratio);

  // One row of `pixels` per pixel of all images.
  const Value channels = dimension_of(node, image, 1);
  const Value channels_last = transpose(node, image, {0, 2, 3, 1});
  const Value pixels = reshape(node, channels_last, concat(node, {node.integers({-1}), channels}));
  const Value image_row =
      node.op(ops::Multiply, {convert(node, batches, ElementType::i32), size(2, ElementType::i32)});
  const Value row = node.op(ops::Add, {rows.places, unsqueeze(node, image_row, {1, 2})});
  const Value place =
      combine(node, ops::Add, node.op(ops::Multiply, {row, size(3, ElementType::i32)}), columns.places);
  const Value weight = combine(node, ops::Multiply, rows.weights, columns.weights);

  const Value parts = node.op(ops::Multiply, {gather(node, pixels, place),
                                              convert(node, unsqueeze(node, weight, {5}), image.type())});
  Value greatest = reduce(node, ops::ReduceMax, parts, {3, 4});
  greatest = transpose(node, greatest, {0, 3, 1, 2});
  if (!rows.are_none) return greatest;
  const Value are_none = unsqueeze(node, node.op(ops::LogicalOr, {rows.are_none, columns.are_none}), {3});
  return node.op(ops::Select, {are_none, node.number_like(0, greatest), greatest});
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
