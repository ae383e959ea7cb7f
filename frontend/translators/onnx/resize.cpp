// Resize 10, 11 (roi, sizes, coordinate modes), 13, 18 (antialias, axes, policies), 19
// (half_pixel_symmetric), and Upsample 1, 7, 9.
//
// If OpenVINO's Interpolate can express the node, it becomes an Interpolate; otherwise it is resampled axis
// by axis.
#include <algorithm>
#include <cmath>

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/operands.hpp"
#include "frontend/translators/onnx/resampling.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"
#include "ir/size_rules.hpp"

namespace onnx2ir::frontend {
namespace {

constexpr ElementType kReal = ElementType::f32;

/// Selects the entries `keep` of every list.
void select_axes(NodeContext& node, ResizePlan& plan, const std::vector<std::int64_t>& keep) {
  const std::size_t before = plan.axes.size();
  const auto pick = [&](Value list) { return list ? gather(node, list, node.integers(keep)) : list; };
  const auto kept_of = [&](const auto& list) {
    auto kept = list;
    kept.resize(keep.size());
    std::ranges::transform(keep, kept.begin(),
                           [&](std::int64_t index) { return list[static_cast<std::size_t>(index)]; });
    return kept;
  };
  const auto known = plan.scales ? node.known_numbers(plan.scales) : std::nullopt;
  plan.scales = known ? node.numbers(kept_of(*known), kReal) : pick(plan.scales);
  plan.sizes = pick(plan.sizes);
  if (plan.roi) {
    std::vector<std::int64_t> both = keep;
    for (const std::int64_t index : keep) both.push_back(index + static_cast<std::int64_t>(before));
    plan.roi = gather(node, plan.roi, node.integers(both));
  }
  plan.axes = kept_of(plan.axes);
}

/// Removes axes whose scale is 1 or whose size does not change: most models list all axes and resize two.
void drop_unchanged_axes(NodeContext& node, ResizePlan& plan) {
  if (plan.coordinates == "tf_crop_and_resize") return;
  std::vector<std::int64_t> keep;
  for (std::size_t i = 0; i < plan.axes.size(); ++i) {
    bool unchanged = plan.scales && ir::exact_number(plan.scales, i) == 1.0;
    const ir::Dimension dimension = plan.image.shape()[static_cast<std::size_t>(plan.axes[i])];
    if (plan.sizes && dimension.is_static()) unchanged = ir::known_element(plan.sizes, i) == dimension.size();
    if (plan.sizes && !unchanged)
      unchanged = ir::is_size_of(plan.sizes, i, plan.image, static_cast<std::size_t>(plan.axes[i]));
    if (plan.policy != "stretch") unchanged = false;
    if (!unchanged) keep.push_back(static_cast<std::int64_t>(i));
  }
  if (keep.size() != plan.axes.size()) select_axes(node, plan, keep);
}

/// Whether only the last axis is resampled, linearly: then the image is resampled as a matrix of rows.
bool resamples_rows(const ResizePlan& plan, std::int64_t rank) {
  return plan.mode == "linear" && plan.axes == std::vector<std::int64_t>{rank - 1};
}

/// The axes of size 1 that are inserted before the axes of the image. The GPU plugin resamples linearly the
/// axes of a matrix, or all those after the first two, of which there are at least two; cubic weights need
/// four axes.
std::int64_t count_missing_axes(const ResizePlan& plan, std::int64_t rank) {
  const bool fits = plan.mode == "nearest" || (plan.mode == "linear" && rank == 2);
  return fits ? 0 : std::max<std::int64_t>(0, 4 - rank);
}

/// Whether this known scale, not 1, may leave the axis its size, of at least two elements.
bool may_keep_size(double scale, const ir::Dimension& size) {
  if (scale < 1 || size == ir::Dimension(1)) return false;
  const double smallest_that_grows = 1 / (scale - 1);
  return std::max<double>(2, static_cast<double>(size.min)) < smallest_that_grows;
}

/// Whether one axis of several may keep its size although it has another scale than 1: OpenVINO does not
/// resample such an axis. onnxruntime does, unless all axes keep their sizes.
bool may_skip_axis(const ResizePlan& plan) {
  const auto keeps_size = [&](std::size_t i) {
    const auto scale = plan.scales ? ir::exact_number(plan.scales, i) : std::nullopt;
    return scale && may_keep_size(*scale, plan.image.shape()[static_cast<std::size_t>(plan.axes[i])]);
  };
  std::size_t count = 0;
  bool is_dynamic = false;
  for (std::size_t i = 0; i < plan.axes.size(); ++i) {
    count += keeps_size(i) ? 1 : 0;
    is_dynamic = is_dynamic || plan.image.shape()[static_cast<std::size_t>(plan.axes[i])].is_dynamic();
  }
  return count > 0 && plan.axes.size() > 1 && (is_dynamic || count < plan.axes.size());
}

bool is_native(NodeContext& node, const ResizePlan& plan) {
  if (may_skip_axis(plan)) return false;
  if (plan.antialias || plan.exclude_outside || plan.policy != "stretch") return false;
  if (plan.coordinates == "tf_crop_and_resize" || plan.coordinates == "half_pixel_symmetric") return false;
  // Interpolate rounds the step between two positions, and so reads the neighbour of some elements.
  if (plan.mode == "nearest" && plan.coordinates == "align_corners") return false;
  const std::int64_t rank = node.rank(plan.image);
  if (resamples_rows(plan, rank) || (plan.mode == "linear" && rank == 2)) return true;
  const std::int64_t missing = count_missing_axes(plan, rank);
  if (rank + missing < 3 || rank + missing > 5) return false;
  if (plan.mode == "cubic" && (rank + missing != 4 || plan.axes.size() != 2)) return false;
  return std::ranges::all_of(plan.axes, [&](std::int64_t axis) { return axis + missing >= 2; });
}

/// Adds the axes from `first` on that keep their sizes. The axes are in order then, as the GPU plugin needs
/// them.
void add_unchanged_axes(NodeContext& node, ResizePlan& plan, std::int64_t first) {
  const std::vector<std::int64_t> all = numbers_between(first, node.rank(plan.image));
  if (plan.axes.size() == all.size()) return;
  constexpr double kUnchanged[] = {1};
  Value& list = plan.scales ? plan.scales : plan.sizes;
  Values entries;
  for (const std::int64_t axis : all) {
    const auto place = std::ranges::find(plan.axes, axis);
    if (place != plan.axes.end())
      entries.push_back(gather(node, list, node.integers({place - plan.axes.begin()})));
    else
      entries.push_back(plan.scales ? node.numbers(kUnchanged, kReal) : dimension_of(node, plan.image, axis));
  }
  list = concat(node, entries);
  plan.axes = all;
}

Value emit_interpolate(NodeContext& node, ResizePlan plan) {
  const std::int64_t rank = node.rank(plan.image);
  if (plan.mode != "nearest") add_unchanged_axes(node, plan, rank == 2 ? 0 : 2);
  const std::vector<std::int64_t> no_pads(static_cast<std::size_t>(rank), 0);
  return node.op(ops::Interpolate,
                 {plan.image, plan.scales ? plan.scales : plan.sizes, node.integers(plan.axes)},
                 {{"mode", plan.mode == "linear" ? std::string("linear_onnx") : plan.mode},
                  {"shape_calculation_mode", plan.scales ? "scales" : "sizes"},
                  {"coordinate_transformation_mode", plan.coordinates},
                  {"nearest_mode", plan.nearest},
                  {"antialias", false},
                  {"pads_begin", no_pads},
                  {"pads_end", no_pads},
                  {"cube_coeff", plan.cubic}});
}

Value interpolate(NodeContext& node, ResizePlan plan) {
  const bool whole = !ir::is_floating(plan.image.type());
  const Value image = whole ? convert(node, plan.image, kReal) : plan.image;
  const std::int64_t rank = node.rank(image);
  if (resamples_rows(plan, rank)) {
    const Value any = node.integers({-1});
    plan.image = reshape(node, image, concat(node, {any, dimension_of(node, image, rank - 1)}));
    plan.axes = {1};
    const Value rows = emit_interpolate(node, plan);
    Values sizes = dimensions_of(node, image, 0, rank - 1);
    sizes.push_back(dimension_of(node, rows, 1));
    return reshape(node, rows, concat(node, sizes));
  }
  const std::int64_t missing = count_missing_axes(plan, rank);
  const std::vector<std::int64_t> front = numbers_between(0, missing);
  plan.image = unsqueeze(node, image, front);
  for (std::int64_t& axis : plan.axes) axis += missing;
  return squeeze(node, emit_interpolate(node, plan), front);
}

/// Fails if a scale that is known is not positive or not finite, or a size is negative.
void check_numbers(NodeContext& node, const ResizePlan& plan) {
  const auto scales = plan.scales ? node.known_numbers(plan.scales) : std::nullopt;
  if (scales &&
      std::ranges::any_of(*scales, [](double scale) { return !(scale > 0) || std::isinf(scale); })) {
    node.fail("the scales must be positive");
  }
  const auto sizes = plan.sizes ? node.known_integers(plan.sizes) : std::nullopt;
  if (sizes && std::ranges::any_of(*sizes, [](std::int64_t size) { return size < 0; })) {
    node.fail("the sizes must not be negative");
  }
}

Values resize(NodeContext& node, ResizePlan plan) {
  const auto check_length = [&](Value list, std::string_view what, std::int64_t per_axis) {
    const auto count = list ? list.shape().element_count() : std::nullopt;
    if (!count || *count == per_axis * std::ssize(plan.axes)) return;
    node.fail("there are " + std::to_string(*count) + " " + std::string(what) + " for " +
              std::to_string(plan.axes.size()) + " axes");
  };
  check_length(plan.scales, "scales", 1);
  check_length(plan.sizes, "sizes", 1);
  check_length(plan.roi, "corners of the region", 2);
  check_numbers(node, plan);
  drop_unchanged_axes(node, plan);
  if (plan.axes.empty()) return {plan.image};
  if (plan.mode != "nearest" && plan.mode != "linear" && plan.mode != "cubic") {
    node.fail("mode '" + plan.mode + "' does not exist");
  }
  const Value resized = is_native(node, plan) ? interpolate(node, plan) : resample_axes(node, plan);
  return {convert_resampled(node, resized, plan)};
}

Value non_empty(NodeContext& node, std::size_t index) {
  const Value value = node.optional_input(index);
  return value && value.shape().element_count() != 0 ? value : Value{};
}

ResizePlan plan_of(NodeContext& node) {
  ResizePlan plan{};
  plan.image = node.input(0);
  const std::int64_t rank = node.rank(plan.image);
  plan.mode = node.text_attribute("mode", "nearest");
  plan.coordinates = node.text_attribute("coordinate_transformation_mode", "half_pixel");
  plan.nearest = node.text_attribute("nearest_mode", "round_prefer_floor");
  plan.policy = node.text_attribute("keep_aspect_ratio_policy", "stretch");
  plan.antialias = node.flag_attribute("antialias");
  plan.exclude_outside = node.flag_attribute("exclude_outside");
  plan.extrapolation = node.real_attribute("extrapolation_value", 0.0);
  plan.cubic = node.real_attribute("cubic_coeff_a", -0.75);
  plan.axes = node.integer_list("axes").unchecked();
  if (plan.axes.empty()) plan.axes = numbers_between(0, rank);
  for (std::int64_t& axis : plan.axes) axis = node.axis(axis, rank);
  reject_repeated_axes(node, plan.axes, rank);
  return plan;
}

Values resize_11(NodeContext& node) {
  using Input = inputs::Resize11;
  ResizePlan plan = plan_of(node);
  plan.scales = non_empty(node, Input::scales);
  plan.sizes = non_empty(node, Input::sizes);
  if (plan.sizes) {
    plan.sizes = convert(node, plan.sizes, ElementType::i64);
    plan.scales = {};
  }
  if (!plan.sizes && !plan.scales) node.fail("neither scales nor sizes are given");
  if (plan.coordinates == "tf_crop_and_resize") {
    if (!node.has_input(Input::roi)) node.fail("the region to crop is missing");
    plan.roi = convert(node, node.input(Input::roi), kReal);
  }
  return resize(node, std::move(plan));
}

/// Before version 11, output position p reads p / scale; nearest rounds down. Onnxruntime rounds up when it
/// shrinks an axis, which the specification leaves open: mode "simple" of Interpolate.
Values resize_early(NodeContext& node, Value scales) {
  ResizePlan plan = plan_of(node);
  plan.scales = scales;
  if (plan.mode == "bilinear") plan.mode = "linear";
  plan.coordinates = "asymmetric";
  const auto known = node.known_numbers(scales);
  const bool never_shrinks = known && std::ranges::all_of(*known, [](double scale) { return scale >= 1; });
  plan.nearest = never_shrinks ? "floor" : "simple";
  return resize(node, std::move(plan));
}

/// Resize 10 and Upsample 9.
Values resize_10(NodeContext& node) {
  return resize_early(node, node.input(1));
}

/// Upsample 1 (two scales as attributes) and 7 (a list).
Values upsample_1(NodeContext& node) {
  ir::Numbers scales = node.real_list("scales");
  if (scales.empty())
    scales = {1.0, 1.0, node.real_attribute("height_scale"), node.real_attribute("width_scale")};
  return resize_early(node, node.numbers(scales, kReal));
}

}  // namespace

std::vector<TranslatorRow> resize_translators() {
  return {
      {.name = "Resize", .since = 10, .translate = resize_10, .lists = {1, 2}},
      {.name = "Resize", .since = 11, .translate = resize_11, .lists = {1, 4}},
      {"Upsample", 1, upsample_1},
      {.name = "Upsample", .since = 9, .translate = resize_10, .lists = {1, 2}},
  };
}

}  // namespace onnx2ir::frontend
