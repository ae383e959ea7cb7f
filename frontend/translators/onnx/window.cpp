#include "frontend/translators/onnx/window.hpp"

#include <algorithm>

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

namespace {

ir::Integers list_of(NodeContext& node, std::string_view name, std::int64_t count, std::int64_t absent) {
  auto values = node.integer_list(name);
  if (values.empty()) values.assign(static_cast<std::size_t>(count), absent);
  if (static_cast<std::int64_t>(values.size()) != count) {
    node.fail("attribute '" + std::string(name) + "' has " + std::to_string(values.size()) + " values, " +
              std::to_string(count) + " are needed");
  }
  return values;
}

}  // namespace

Window window_of(NodeContext& node, std::int64_t spatial) {
  if (spatial < 1) node.fail("the input has no spatial axes");
  ir::check_rank(static_cast<std::size_t>(spatial));
  Window window;
  window.kernel = node.integer_list("kernel_shape");
  if (!window.kernel.empty() && static_cast<std::int64_t>(window.kernel.size()) != spatial) {
    node.fail("kernel_shape has " + std::to_string(window.kernel.size()) + " values, the input has " +
              std::to_string(spatial) + " spatial axes");
  }
  check_values(node, "kernel_shape", window.kernel, 1);
  window.strides = list_of(node, "strides", spatial, 1);
  window.dilations = list_of(node, "dilations", spatial, 1);
  const auto pads = list_of(node, "pads", 2 * spatial, 0);
  check_values(node, "strides", window.strides, 1);
  check_values(node, "dilations", window.dilations, 1);
  check_values(node, "pads", pads, -(std::int64_t{1} << 31));
  window.pads_begin.assign(pads.begin(), pads.begin() + spatial);
  window.pads_end.assign(pads.begin() + spatial, pads.end());
  const std::string mode = node.text_attribute("auto_pad", "NOTSET");
  if (mode == "NOTSET" || mode.empty()) {
    window.auto_pad = "explicit";
  } else if (mode == "SAME_UPPER") {
    window.auto_pad = "same_upper";
  } else if (mode == "SAME_LOWER") {
    window.auto_pad = "same_lower";
  } else if (mode == "VALID") {
    window.auto_pad = "explicit";
    window.pads_begin.assign(window.pads_begin.size(), 0);
    window.pads_end.assign(window.pads_end.size(), 0);
  } else {
    node.fail("auto_pad '" + mode + "' does not exist");
  }
  return window;
}

void resolve_auto_pad(Window& window, Value input) {
  if (window.auto_pad == "explicit" || !input.shape().has_rank()) return;
  const auto spatial = window.strides.size();
  for (std::size_t i = 0; i < spatial; ++i) {
    if (input.shape()[i + 2].is_dynamic()) return;
  }
  for (std::size_t i = 0; i < spatial; ++i) {
    const std::int64_t size = input.shape()[i + 2].size();
    const std::int64_t places = ir::checked_add(size, window.strides[i] - 1) / window.strides[i];
    const std::int64_t extent = ir::checked_multiply(window.kernel[i] - 1, window.dilations[i]) + 1;
    const std::int64_t last = (places - 1) * window.strides[i];  // less than the sum of the size and a stride
    const std::int64_t pad = std::max<std::int64_t>(ir::checked_add(last, extent) - size, 0);
    const std::int64_t smaller = pad / 2;
    window.pads_begin[i] = window.auto_pad == "same_upper" ? smaller : pad - smaller;
    window.pads_end[i] = pad - window.pads_begin[i];
  }
  window.auto_pad = "explicit";
}

}  // namespace onnx2ir::frontend
