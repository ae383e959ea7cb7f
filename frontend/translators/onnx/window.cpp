#include "frontend/translators/onnx/window.hpp"

#include <algorithm>

#include "base/ascii_case.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"
#include "ir/checked_arithmetic.hpp"

namespace onnx2ir::frontend {

void check_values(NodeContext& node, std::string_view name, std::span<const std::int64_t> values,
                  std::int64_t least) {
  constexpr std::int64_t kMax = std::int64_t{1} << 31;
  for (const std::int64_t value : values) {
    if (value < least || value > kMax) {
      node.fail("attribute '" + std::string(name) + "' has the value " + std::to_string(value));
    }
  }
}

Window window_of(NodeContext& node, std::int64_t spatial) {
  if (spatial < 1) node.fail("the input has no spatial axes");
  const auto axes = static_cast<std::size_t>(spatial);
  ir::check_rank(axes);
  Window window;
  window.kernel = node.integer_list("kernel_shape");
  if (!window.kernel.empty() && static_cast<std::int64_t>(window.kernel.size()) != spatial) {
    node.fail("kernel_shape has " + std::to_string(window.kernel.size()) + " values, the input has " +
              std::to_string(spatial) + " spatial axes");
  }
  check_values(node, "kernel_shape", window.kernel, 1);
  window.strides = node.integer_list("strides", axes, 1);
  window.dilations = node.integer_list("dilations", axes, 1);
  const auto pads = node.integer_list("pads", 2 * axes, 0);
  check_values(node, "strides", window.strides, 1);
  check_values(node, "dilations", window.dilations, 1);
  check_values(node, "pads", pads, -(std::int64_t{1} << 31));
  window.pads_begin.assign(pads.begin(), pads.begin() + spatial);
  window.pads_end.assign(pads.begin() + spatial, pads.end());
  const std::string mode = node.text_attribute("auto_pad", "NOTSET");
  const bool is_same = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  if (!is_same && mode != "NOTSET" && mode != "VALID" && !mode.empty()) {
    node.fail("auto_pad '" + mode + "' does not exist");
  }
  window.auto_pad = is_same ? base::lower_case(mode) : "explicit";
  if (mode == "VALID") {
    window.pads_begin.assign(axes, 0);
    window.pads_end.assign(axes, 0);
  }
  return window;
}

std::vector<ir::Attribute> attributes_of(const ir::WindowSteps& window,
                                         std::initializer_list<ir::Attribute> others) {
  std::vector<ir::Attribute> attributes{{"strides", window.strides.unchecked()},
                                        {"dilations", window.dilations.unchecked()},
                                        {"pads_begin", window.pads_begin.unchecked()},
                                        {"pads_end", window.pads_end.unchecked()},
                                        {"auto_pad", window.auto_pad}};
  attributes.insert(attributes.end(), others.begin(), others.end());
  return attributes;
}

bool slides(const Window& window, std::size_t axis) {
  return window.kernel[axis] != 1 || window.strides[axis] != 1 || window.pads_begin[axis] != 0 ||
         window.pads_end[axis] != 0;
}

Value slide(NodeContext& node, Value input, const Window& window, const EmitSliding& emit,
            std::int64_t channels) {
  const std::size_t axes = window.kernel.size();
  if (axes <= kMostWindowAxes) return emit(input, window, {});
  Window rest;
  rest.auto_pad = window.auto_pad;
  std::vector<std::int64_t> order{0};
  if (channels != 1) order.push_back(1);
  std::vector<std::int64_t> last{channels};
  std::size_t remaining = channels == 1 ? axes : axes - 1;
  for (std::size_t i = 0; i < axes; ++i) {
    const auto axis = static_cast<std::int64_t>(i + 2);
    if (axis == channels) continue;
    // To move an axis before all others to the batch takes less time than to move one behind them.
    const bool moves = !slides(window, i) && (rest.kernel.empty() || remaining > kMostWindowAxes);
    if (moves && remaining > 1) {
      order.push_back(axis);
      --remaining;
      continue;
    }
    last.push_back(axis);
    rest.kernel.push_back(window.kernel[i]);
    rest.strides.push_back(window.strides[i]);
    rest.dilations.push_back(window.dilations[i]);
    rest.pads_begin.push_back(window.pads_begin[i]);
    rest.pads_end.push_back(window.pads_end[i]);
  }
  std::vector<std::int64_t> absent;
  for (std::int64_t axis = 2; axis < node.rank(input); ++axis) {
    if (axis == channels || std::ranges::count(order, axis) != 0) absent.push_back(axis);
  }
  const auto batch = static_cast<std::int64_t>(order.size());
  order.insert(order.end(), last.begin(), last.end());
  std::vector<std::int64_t> inverse(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    inverse[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);

  const Value ordered = transpose(node, input, order);
  const Values kept = dimensions_of(node, ordered, batch, node.rank(ordered));
  Values merged{node.integers({-1})};
  merged.append(kept.begin(), kept.end());
  const Value result = emit(reshape(node, ordered, concat(node, merged)), rest, absent);
  Values separate = dimensions_of(node, ordered, 0, batch);
  const Values places = dimensions_of(node, result, 1, node.rank(result));
  separate.append(places.begin(), places.end());
  return transpose(node, reshape(node, result, concat(node, separate)), inverse);
}

Value emit_deformable_convolution(NodeContext& node, const Values& inputs, std::string_view offset_groups,
                                  bool pads_when_interpolating) {
  if (node.rank(inputs[0]) != 4) node.fail("only two spatial axes can be expressed");
  const Window window = window_of(node, 2);
  return node.op(ops::DeformableConvolution, inputs,
                 attributes_of(window, {{"group", node.positive_attribute("group", 1)},
                                        {"deformable_group", node.positive_attribute(offset_groups, 1)},
                                        {"bilinear_interpolation_pad", pads_when_interpolating}}));
}

}  // namespace onnx2ir::frontend
