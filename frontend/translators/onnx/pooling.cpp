// Pooling: maxima, averages and norms over windows or over all spatial axes.
#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/operands.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"
#include "frontend/translators/onnx/window.hpp"
#include "ir/checked_arithmetic.hpp"

namespace onnx2ir::frontend {
namespace {

/// The distance from the first to the last element of a window along a spatial axis.
std::int64_t extent_of(const Window& window, std::size_t axis) {
  return ir::checked_add(ir::checked_multiply(window.kernel[axis] - 1, window.dilations[axis]), 1);
}

bool has_dynamic_pixels(const ir::PartialShape& shape) {
  return std::any_of(shape.begin() + 2, shape.end(), [](const auto& size) { return size.is_dynamic(); });
}

/// Replaces same_upper and same_lower by pads if the sizes of `input` are static.
void resolve_auto_pad(Window& window, Value input) {
  const ir::PartialShape& shape = input.shape();
  if (window.auto_pad == "explicit" || !shape.has_rank() || has_dynamic_pixels(shape)) return;
  for (std::size_t i = 0; i < window.kernel.size(); ++i) {
    const std::int64_t size = shape[i + 2].size();
    const std::int64_t places = ir::checked_add(size, window.strides[i] - 1) / window.strides[i];
    const std::int64_t last = (places - 1) * window.strides[i];  // less than the sum of the size and a stride
    const std::int64_t pad = std::max<std::int64_t>(ir::checked_add(last, extent_of(window, i)) - size, 0);
    const std::int64_t smaller = pad / 2;
    window.pads_begin[i] = window.auto_pad == "same_upper" ? smaller : pad - smaller;
    window.pads_end[i] = pad - window.pads_begin[i];
  }
  window.auto_pad = "explicit";
}

/// Limits the kernel to the padded input along axes that the ceil mode gives one place although the kernel is
/// larger. OpenVINO refuses such kernels. onnxruntime ignores the part of the window beyond the
/// padding.
void limit_kernel(Window& window, const ir::PartialShape& shape) {
  if (window.auto_pad != "explicit") return;
  for (std::size_t i = 0; i < window.kernel.size(); ++i) {
    if (shape[i + 2].is_dynamic()) continue;
    const std::int64_t pads = ir::checked_add(window.pads_begin[i], window.pads_end[i]);
    const std::int64_t size = ir::checked_add(shape[i + 2].size(), pads);
    const std::int64_t extent = extent_of(window, i);
    if (size < 1 || extent <= size || extent - size >= window.strides[i]) continue;
    window.kernel[i] = (size - 1) / window.dilations[i] + 1;
    window.strides[i] = size;  // no second place, also if the dilated kernel is smaller than the input
  }
}

Window pool_window(NodeContext& node) {
  Window window = window_of(node, node.rank(node.input(0)) - 2);
  if (window.kernel.empty()) node.fail("kernel_shape is missing");
  resolve_auto_pad(window, node.input(0));
  if (node.flag_attribute("ceil_mode")) limit_kernel(window, node.input(0).shape());
  return window;
}

/// ONNX's ceil mode excludes windows that begin in the padding, like OpenVINO's ceil_torch.
std::string rounding(NodeContext& node) {
  return node.flag_attribute("ceil_mode") ? "ceil_torch" : "floor";
}

/// Whether the number of windows is rounded up, and none of them can begin in the padding at the end.
bool begins_in_input(const Window& window, std::string_view rounding) {
  if (rounding == "floor" || window.auto_pad != "explicit") return false;
  for (std::size_t i = 0; i < window.kernel.size(); ++i) {
    if (ir::checked_add(window.pads_end[i], window.strides[i]) > extent_of(window, i)) return false;
  }
  return true;
}

/// Replaces the ceil mode by padding at the end that makes the same windows, if sizes are dynamic: OpenVINO
/// refuses a kernel that is larger than the padded input when it runs the model. Returns whether it did.
bool pad_for_ceil_mode(Window& window, const ir::PartialShape& shape) {
  if (!has_dynamic_pixels(shape)) return false;
  for (std::size_t i = 0; i < window.kernel.size(); ++i) window.pads_end[i] += window.strides[i] - 1;
  return true;
}

/// slide() for a pool, which must slide along few axes.
Value slide_pool(NodeContext& node, Value input, const Window& window,
                 const std::function<Value(Value, const Window&)>& emit) {
  return slide(node, input, window, [&](Value data, const Window& rest, const auto&) {
    if (rest.kernel.size() > kMostWindowAxes) node.fail("the window slides along more than three axes");
    return emit(data, rest);
  });
}

/// Converts row-major positions to column-major ones.
Value convert_to_column_major(NodeContext& node, Value indices, Value input) {
  const std::int64_t rank = node.rank(input);
  if (rank == 3) return indices;
  if (rank != 4) node.fail("storage_order 1 needs an input with at most two spatial axes");
  const Value height = size_of(node, input, 2);
  const Value width = size_of(node, input, 3);
  const Value area = node.op(ops::Multiply, {height, width});
  const Value plane = divide(node, indices, area);
  const Value inside = node.op(ops::FloorMod, {indices, area});
  const Value row = divide(node, inside, width);
  const Value column = node.op(ops::FloorMod, {inside, width});
  const Value place = node.op(ops::Add, {node.op(ops::Multiply, {column, height}), row});
  return node.op(ops::Add, {node.op(ops::Multiply, {plane, area}), place});
}

/// MaxPool 1, 8 (indices), 10 (ceil_mode, dilations), 11, 12 (8-bit integers), 22.
Values max_pool_1(NodeContext& node) {
  const Value input = node.input(0);
  Window window = pool_window(node);
  std::string mode = rounding(node);
  if (begins_in_input(window, mode)) {
    // OpenVINO converts a MaxPool with the older ceil mode to a MaxPool without indices.
    mode = pad_for_ceil_mode(window, input.shape()) ? "floor" : "ceil";
  }
  const bool has_indices = node.has_output(outputs::MaxPool::Indices);
  if (has_indices && window.kernel.size() > kMostWindowAxes)
    node.fail("Indices need an input with at most three spatial axes");
  const auto emit = [&](Value data, const Window& rest) {
    return node.op(ops::MaxPool, {data},
                   attributes_of(rest, {{"kernel", rest.kernel.unchecked()},
                                        {"rounding_type", mode},
                                        {"index_element_type", ElementType::i64},
                                        {"axis", 0}}));
  };
  const Value largest = slide_pool(node, input, window, emit);
  if (!has_indices) return {largest};
  const Value indices = largest.node->value(1);
  return {largest,
          node.flag_attribute("storage_order") ? convert_to_column_major(node, indices, input) : indices};
}

bool has_pads(const Window& window) {
  const auto is_pad = [](std::int64_t size) { return size != 0; };
  return std::ranges::any_of(window.pads_begin, is_pad) || std::ranges::any_of(window.pads_end, is_pad);
}

Value emit_average(NodeContext& node, Value input, const Window& window, bool exclude_pad,
                   const std::string& rounding) {
  return slide_pool(node, input, window, [&](Value data, const Window& rest) {
    auto attributes = attributes_of(
        rest,
        {{"kernel", rest.kernel.unchecked()}, {"exclude-pad", exclude_pad}, {"rounding_type", rounding}});
    // Older versions of AvgPool have no dilations.
    const bool is_dilated = std::ranges::any_of(rest.dilations, [](auto dilation) { return dilation != 1; });
    if (!is_dilated) std::erase_if(attributes, [](const auto& each) { return each.name == "dilations"; });
    return node.op(ops::AvgPool, {data}, attributes);
  });
}

/// Removes windows that begin in the padding at the end, which ceil_mode excludes. `pooled` has the windows
/// of the floor mode over an input padded at the end by one less than the stride.
Value remove_windows_in_padding(NodeContext& node, Value pooled, const Window& window, Value input) {
  for (std::size_t i = 0; i < window.kernel.size(); ++i) {
    const auto axis = static_cast<std::int64_t>(i + 2);
    const std::int64_t stride = window.strides[i];
    const Value reach = node.op(
        ops::Add, {dimension_of(node, input, axis), node.integers({window.pads_begin[i] + stride - 1})});
    const Value places = divide(node, reach, node.integers({stride}));
    pooled = slice(node, pooled, node.integers({0}), places, axis);
  }
  return pooled;
}

/// `input` padded with zeros by the window's pads, and by one more window for the ceil mode.
Value pad(NodeContext& node, Value input, const Window& window, bool ceil) {
  std::vector<std::int64_t> begins{0, 0};
  std::vector<std::int64_t> ends{0, 0};
  for (std::size_t i = 0; i < window.kernel.size(); ++i) {
    begins.push_back(window.pads_begin[i]);
    ends.push_back(window.pads_end[i] + (ceil ? window.strides[i] - 1 : 0));
  }
  const Value before = node.integers(begins);
  return pad_with(node, input, before, node.integers(ends));
}

Window unpadded(Window window) {
  window.pads_begin.assign(window.pads_begin.size(), 0);
  window.pads_end = window.pads_begin;
  return window;
}

/// Whether the ceil mode may make a window that reaches beyond the padding at the end.
bool may_pass_padding(const Window& window, const ir::PartialShape& shape, std::string_view rounding) {
  if (rounding == "floor" || window.auto_pad != "explicit") return false;
  for (std::size_t i = 0; i < window.kernel.size(); ++i) {
    const std::int64_t stride = window.strides[i];
    if (shape[i + 2].is_dynamic() && stride > 1) return true;
    if (shape[i + 2].is_dynamic()) continue;
    const std::int64_t end = ir::checked_add(shape[i + 2].size(), window.pads_begin[i]);
    const std::int64_t room = ir::checked_add(end, window.pads_end[i]) - extent_of(window, i);
    const std::int64_t next = room < 0 ? 0 : (room / stride + 1) * stride;
    if (room % stride != 0 && next < end) return true;
  }
  return false;
}

/// The average over windows of the ceil mode where padding counts. In OpenVINO the part of a window beyond
/// the padding counts, too; in ONNX it does not.
Value emit_average_with_padding(NodeContext& node, Value input, const Window& window) {
  Window rest = unpadded(window);
  for (std::size_t i = 0; i < rest.kernel.size(); ++i)
    rest.pads_end[i] = std::min(rest.strides[i], extent_of(rest, i)) - 1;
  const Value mean = emit_average(node, pad(node, input, window, false), rest, true, "floor");
  return remove_windows_in_padding(node, mean, window, input);
}

/// AveragePool 1, 7 (count_include_pad), 10 (ceil_mode), 11, 19 (dilations), 22.
Values average_pool_1(NodeContext& node) {
  const Value input = node.input(0);
  Window window = pool_window(node);
  std::string mode = rounding(node);
  bool exclude_pad = !node.flag_attribute("count_include_pad");
  if (!exclude_pad && has_pads(window) && may_pass_padding(window, input.shape(), mode))
    return {emit_average_with_padding(node, input, window)};
  // What the ceil mode adds to the padding is never counted.
  if ((exclude_pad || !has_pads(window)) && begins_in_input(window, mode) &&
      pad_for_ceil_mode(window, input.shape())) {
    mode = "floor";
    exclude_pad = true;
  }
  return {emit_average(node, input, window, exclude_pad, mode)};
}

/// Attribute p of LpPool and GlobalLpPool, which is a float in version 1.
double norm_of(const NodeContext& node) {
  return node.opset() < 2 ? node.real_attribute("p", 2.0)
                          : static_cast<double>(node.integer_attribute("p", 2));
}

/// LpPool 1, 2 (integer p), 11, 18 (ceil_mode, dilations), 22: an average of powers, times the size of the
/// window.
Values lp_pool_1(NodeContext& node) {
  const Value input = node.input(0);
  const Window window = pool_window(node);
  const bool is_explicit = window.auto_pad == "explicit";
  const bool ceil = node.flag_attribute("ceil_mode") && is_explicit;
  const double p = norm_of(node);
  const Value exponent = node.number_like(p, input);
  const Value powers = node.op(ops::Power, {node.op(ops::Abs, {input}), exponent});
  // In floating point, where the product of large sizes cannot overflow.
  const double count = std::accumulate(window.kernel.begin(), window.kernel.end(), 1.0, std::multiplies<>());
  const Value padded = is_explicit ? pad(node, powers, window, ceil) : powers;
  Value mean = emit_average(node, padded, is_explicit ? unpadded(window) : window, false, "floor");
  if (ceil) mean = remove_windows_in_padding(node, mean, window, input);
  const Value sum = node.op(ops::Multiply, {mean, node.number_like(count, input)});
  return {node.op(ops::Power, {sum, node.number_like(1.0 / p, input)})};
}

std::vector<std::int64_t> spatial_axes(const NodeContext& node) {
  return numbers_between(2, node.rank(node.input(0)));
}

/// GlobalAveragePool 1, 22.
Values global_average_pool_1(NodeContext& node) {
  return {reduce_keep_dims(node, ops::ReduceMean, node.input(0), spatial_axes(node))};
}

/// GlobalMaxPool 1, 22. In onnxruntime, the maximum of f32 that are all -infinity is the lowest finite
/// number. It computes f16 as f32, so that their maximum is -infinity.
Values global_max_pool_1(NodeContext& node) {
  const Value largest = reduce_keep_dims(node, ops::ReduceMax, node.input(0), spatial_axes(node));
  if (largest.type() != ElementType::f32) return {largest};
  const Value lowest = node.number_like(std::numeric_limits<float>::lowest(), largest);
  return {node.op(ops::Maximum, {largest, lowest})};
}

/// GlobalLpPool 1, 2, 22.
Values global_lp_pool_1(NodeContext& node) {
  const Value input = node.input(0);
  const double p = norm_of(node);
  const Value powers = node.op(ops::Power, {node.op(ops::Abs, {input}), node.number_like(p, input)});
  const Value sum = reduce_keep_dims(node, ops::ReduceSum, powers, spatial_axes(node));
  return {node.op(ops::Power, {sum, node.number_like(1.0 / p, input)})};
}

/// Whether the indices are those of a MaxPool, which refer to its own input.
bool is_of_max_pool(Value indices) {
  constexpr int kMostSteps = 16;  // those of convert_to_column_major()
  for (int i = 0; i < kMostSteps && !indices.node->inputs().empty(); ++i) {
    if (indices.node->is(ops::MaxPool)) return true;
    indices = indices.node->input(0);
  }
  return false;
}

/// `values` at the places of `shape` that `indices` count; zeros elsewhere.
Value unpool(NodeContext& node, Value values, Value indices, Value shape) {
  const Value zeros = flatten(node, fill(node, 0, values.type(), shape));
  const Value places = flatten(node, indices);
  const Value result = scatter(node, zeros, places, flatten(node, values), 0);
  return reshape(node, result, shape);
}

/// MaxUnpool 9, 11, 22: scatters the values into zeros.
Values max_unpool_9(NodeContext& node) {
  using Input = inputs::MaxUnpool;
  const Value input = node.input(Input::X);
  const std::int64_t rank = node.rank(input);
  const Window window = window_of(node, rank - 2);
  if (window.kernel.empty()) node.fail("kernel_shape is missing");
  Values sizes = dimensions_of(node, input, 0, 2);
  for (std::size_t i = 0; i < window.kernel.size(); ++i) {
    const Value size = dimension_of(node, input, static_cast<std::int64_t>(i + 2));
    const Value steps = node.op(ops::Multiply, {node.op(ops::Subtract, {size, node.integers({1})}),
                                                node.integers({window.strides[i]})});
    sizes.push_back(node.op(
        ops::Add, {steps, node.integers({window.kernel[i] - window.pads_begin[i] - window.pads_end[i]})}));
  }
  const Value indices = node.input(Input::I);
  const Value output_shape = node.has_input(Input::output_shape)
                                 ? convert(node, node.input(Input::output_shape), ElementType::i64)
                                 : Value{};
  if (output_shape && is_of_max_pool(indices)) return {unpool(node, input, indices, output_shape)};
  const Value small_shape = concat(node, sizes);
  const Value unpooled = unpool(node, input, indices, small_shape);
  if (!output_shape) return {unpooled};
  // The indices refer to the smallest tensor that could have been pooled, as in the ONNX test
  // maxunpool_export_with_output_shape; a larger output is padded with zeros.
  const Value ends = node.op(ops::Subtract, {output_shape, small_shape});
  const Value begins = node.integers(std::vector<std::int64_t>(static_cast<std::size_t>(rank), 0));
  return {pad_with(node, unpooled, begins, ends)};
}

}  // namespace

std::vector<TranslatorRow> pooling_translators() {
  return {
      {"MaxPool", 1, max_pool_1,
       "windows that slide along more than three axes, Indices of more than three spatial axes, "
       "storage_order 1 in volumes"},
      {"AveragePool", 1, average_pool_1, "windows that slide along more than three axes"},
      {"LpPool", 1, lp_pool_1, "windows that slide along more than three axes"},
      {"GlobalAveragePool", 1, global_average_pool_1},
      {"GlobalMaxPool", 1, global_max_pool_1},
      {"GlobalLpPool", 1, global_lp_pool_1},
      {"MaxUnpool", 9, max_unpool_9},
  };
}

}  // namespace onnx2ir::frontend
