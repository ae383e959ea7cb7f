#include "frontend/translators/onnx/gathered_windows.hpp"

#include "frontend/translators/onnx/shape_tools.hpp"
#include "ir/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// Arithmetic of i64 [1].
struct Sizes {
  NodeContext& node;
  Value of(std::int64_t number) const { return node.integers({number}); }
  Value plus(Value a, Value b) const { return node.op(ops::Add, {a, b}); }
  Value minus(Value a, Value b) const { return node.op(ops::Subtract, {a, b}); }
  Value times(Value a, Value b) const { return node.op(ops::Multiply, {a, b}); }
  Value plus(Value a, std::int64_t b) const { return node.op(ops::Add, {a, of(b)}); }
  Value minus(Value a, std::int64_t b) const { return node.op(ops::Subtract, {a, of(b)}); }
  Value times(Value a, std::int64_t b) const { return node.op(ops::Multiply, {a, of(b)}); }
  Value by(Value a, std::int64_t b) const { return b == 1 ? a : floor_divide(node, a, of(b)); }
  Value least(Value a, std::int64_t b) const { return node.op(ops::Maximum, {a, of(b)}); }
  Value most(Value a, Value b) const { return node.op(ops::Maximum, {a, b}); }
  Value product(const Values& values) const {
    return reduce_keep_dims(node, ops::ReduceProd, concat(node, values), {0});
  }
  /// The distance from the first to the last element of a window.
  Value extent(Value kernel, std::int64_t dilation) const {
    return plus(times(minus(kernel, 1), dilation), 1);
  }
};

Values spatial_sizes(NodeContext& node, Value value) {
  return dimensions_of(node, value, 2, node.rank(value));
}

/// Positions of window elements: one row per window, one column per element.
Value window_places(const Sizes& sizes, Value places, Value kernel, std::int64_t stride,
                    std::int64_t dilation) {
  const Value rows = unsqueeze(sizes.node, sizes.times(numbers_below(sizes.node, places), stride), {1});
  return sizes.plus(rows, sizes.times(numbers_below(sizes.node, kernel), dilation));
}

struct Pads {
  Value begin;
  Value end;
};

Pads convolution_pads(const Sizes& sizes, const Window& window, std::size_t axis, Value size, Value extent) {
  if (window.auto_pad == "explicit") {
    return {sizes.of(window.pads_begin[axis]), sizes.of(window.pads_end[axis])};
  }
  const std::int64_t stride = window.strides[axis];
  const Value places = sizes.by(sizes.plus(size, stride - 1), stride);
  const Value reach = sizes.plus(sizes.times(sizes.minus(places, 1), stride), extent);
  const Value total = sizes.least(sizes.minus(reach, size), 0);
  const Value smaller = sizes.by(total, 2);
  const Value larger = sizes.minus(total, smaller);
  return window.auto_pad == "same_upper" ? Pads{smaller, larger} : Pads{larger, smaller};
}

Value grouped_shape(NodeContext& node, Value first, std::int64_t groups, Value rows, Value columns) {
  return concat(node, {first, node.integers({groups}), rows, columns});
}

}  // namespace

Value unfolded_convolution(NodeContext& node, Value input, Value filter, const Window& window,
                           std::int64_t groups) {
  const Sizes sizes{node};
  const Values kernel = spatial_sizes(node, filter);
  const std::size_t spatial = kernel.size();
  const Values size = spatial_sizes(node, input);
  Values begins{sizes.of(0), sizes.of(0)};
  Values ends = begins;
  Values places;
  for (std::size_t i = 0; i < spatial; ++i) {
    const Value extent = sizes.extent(kernel[i], window.dilations[i]);
    const auto [begin, end] = convolution_pads(sizes, window, i, size[i], extent);
    const Value room = sizes.minus(sizes.plus(sizes.plus(size[i], begin), end), extent);
    places.push_back(sizes.plus(sizes.by(room, window.strides[i]), 1));
    begins.push_back(begin);
    ends.push_back(end);
  }
  const Value all_begins = concat(node, begins);
  Value windows = pad_with(node, input, all_begins, concat(node, ends));
  for (std::size_t i = spatial; i-- > 0;) {
    const Value indices = window_places(sizes, places[i], kernel[i], window.strides[i], window.dilations[i]);
    windows = gather(node, windows, indices, static_cast<std::int64_t>(i + 2));
  }
  // [N, C, places, kernel, ...] to [N, C, kernel ..., places ...].
  std::vector<std::int64_t> order{0, 1};
  for (std::size_t i = 0; i < spatial; ++i) order.push_back(static_cast<std::int64_t>(2 * i + 3));
  for (std::size_t i = 0; i < spatial; ++i) order.push_back(static_cast<std::int64_t>(2 * i + 2));
  const Value batch = dimension_of(node, input, 0);
  const Value filters = dimension_of(node, filter, 0);
  Values of_filter{dimension_of(node, filter, 1)};
  of_filter.append(kernel.begin(), kernel.end());
  const Value taps = sizes.product(of_filter);
  const Value ordered = transpose(node, windows, order);
  const Value columns =
      reshape(node, ordered, grouped_shape(node, batch, groups, taps, sizes.product(places)));
  const Value own_filters = sizes.by(filters, groups);
  const Value weights = reshape(node, filter, grouped_shape(node, sizes.of(1), groups, own_filters, taps));
  const Value result = mat_mul(node, weights, columns);
  Values shape{batch, filters};
  shape.append(places.begin(), places.end());
  return reshape(node, result, concat(node, shape));
}

namespace {

/// The end of the padded result of a fold along an axis, and the part of it that is needed.
struct FoldedAxis {
  Value places;  ///< of the window
  Value kernel;  ///< size of the window
  Value buffer;  ///< the extent of all windows and of the requested part
  Value begin;   ///< of the requested part
  Value size;    ///< of the requested part
};

/// Adds up `columns` [N, C * kernel ..., places ...] at the positions of their windows.
Value folded(const Sizes& sizes, Value columns, Value batch, Value channels,
             const std::vector<FoldedAxis>& axes, const Window& window) {
  NodeContext& node = sizes.node;
  const auto spatial = static_cast<std::int64_t>(axes.size());
  Values kernel;
  Values places;
  Values buffer;
  for (const FoldedAxis& axis : axes) {
    kernel.push_back(axis.kernel);
    places.push_back(axis.places);
    buffer.push_back(axis.buffer);
  }
  // The position of each value in the buffer, [kernel ..., places ...].
  Value indices;
  for (std::int64_t i = 0; i < spatial; ++i) {
    const auto at = static_cast<std::size_t>(i);
    Value index = transpose(
        node, window_places(sizes, places[at], kernel[at], window.strides[at], window.dilations[at]), {1, 0});
    if (i + 1 < spatial) index = sizes.times(index, sizes.product({buffer.begin() + i + 1, buffer.end()}));
    std::vector<std::int64_t> unit_axes;
    for (std::int64_t axis = 0; axis < 2 * spatial; ++axis) {
      if (axis != i && axis != spatial + i) unit_axes.push_back(axis);
    }
    index = unsqueeze(node, index, unit_axes);
    indices = indices ? sizes.plus(indices, index) : index;
  }
  const Value rows = sizes.times(batch, channels);
  const Value elements = sizes.product(kernel);
  const Value count = sizes.times(elements, sizes.product(places));
  const Value shape = concat(node, {rows, count});
  const Value zeros = filled(node, 0, columns.type(), concat(node, {rows, sizes.product(buffer)}));
  const Value row = reshape(node, indices, concat(node, {sizes.of(1), count}));
  const Value of_rows = broadcast_to(node, row, shape);
  const Value sums = scatter(node, zeros, of_rows, reshape(node, columns, shape), 1, "sum");
  Values whole{batch, channels};
  whole.append(buffer.begin(), buffer.end());
  Value result = reshape(node, sums, concat(node, whole));
  for (std::int64_t i = 0; i < spatial; ++i) {
    const FoldedAxis& axis = axes[static_cast<std::size_t>(i)];
    result = slice(node, result, axis.begin, sizes.plus(axis.begin, axis.size), i + 2);
  }
  return result;
}

/// The part of the full result that a transposed convolution keeps along an axis.
FoldedAxis transposed_axis(const Sizes& sizes, const Window& window, std::size_t at, Value places,
                           Value kernel, std::int64_t more, const std::vector<std::int64_t>& output_shape) {
  const std::int64_t stride = window.strides[at];
  const Value extent = sizes.extent(kernel, window.dilations[at]);
  const Value full = sizes.plus(sizes.times(sizes.minus(places, 1), stride), extent);
  FoldedAxis axis;
  axis.places = places;
  axis.kernel = kernel;
  const bool same = window.auto_pad != "explicit";
  if (output_shape.empty() && !same) {
    axis.begin = sizes.of(window.pads_begin[at]);
    axis.size = sizes.plus(full, more - window.pads_begin[at] - window.pads_end[at]);
  } else {
    axis.size = output_shape.empty() ? sizes.times(places, stride) : sizes.of(output_shape[at]);
    const Value total = sizes.least(sizes.minus(sizes.plus(full, more), axis.size), 0);
    const Value smaller = sizes.by(total, 2);
    axis.begin = window.auto_pad == "same_upper" ? smaller : sizes.minus(total, smaller);
  }
  axis.buffer = sizes.most(full, sizes.plus(axis.begin, axis.size));
  return axis;
}

}  // namespace

Value folded_convolution(NodeContext& node, Value input, Value filter, const Window& window,
                         std::int64_t groups, const std::vector<std::int64_t>& more,
                         const std::vector<std::int64_t>& output_shape) {
  const Sizes sizes{node};
  const Values kernel = spatial_sizes(node, filter);
  const Values places = spatial_sizes(node, input);
  std::vector<FoldedAxis> axes;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    axes.push_back(transposed_axis(sizes, window, i, places[i], kernel[i], more[i], output_shape));
  }
  const Value batch = dimension_of(node, input, 0);
  const Value inner = sizes.by(dimension_of(node, filter, 0), groups);
  const Value filters = dimension_of(node, filter, 1);
  const Value taps = sizes.times(filters, sizes.product(kernel));
  const Value weights = reshape(node, filter, grouped_shape(node, sizes.of(1), groups, inner, taps));
  const Value values = reshape(node, input, grouped_shape(node, batch, groups, inner, sizes.product(places)));
  const Value columns = mat_mul(node, weights, values, {.a = true});
  return folded(sizes, columns, batch, sizes.times(filters, groups), axes, window);
}

Value folded_columns(NodeContext& node, Value columns, const Values& size, const Values& kernel,
                     const Window& window) {
  const Sizes sizes{node};
  std::vector<FoldedAxis> axes;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    const Value padded = sizes.plus(size[i], window.pads_begin[i] + window.pads_end[i]);
    const Value room = sizes.minus(padded, sizes.extent(kernel[i], window.dilations[i]));
    axes.push_back({.places = sizes.plus(sizes.by(room, window.strides[i]), 1),
                    .kernel = kernel[i],
                    .buffer = padded,
                    .begin = sizes.of(window.pads_begin[i]),
                    .size = size[i]});
  }
  const Value all = dimension_of(node, columns, 1);
  const Value channels = floor_divide(node, all, sizes.product(kernel));
  return folded(sizes, columns, dimension_of(node, columns, 0), channels, axes, window);
}

}  // namespace onnx2ir::frontend
