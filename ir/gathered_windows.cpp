#include "ir/gathered_windows.hpp"

#include "ir/shape_tools.hpp"

namespace onnx2ir::ir {
namespace {

/// Arithmetic of i64 [1].
struct SizeArithmetic {
  Builder& builder;
  Value of(std::int64_t number) const { return builder.integers({number}); }
  Value plus(Value a, Value b) const { return builder.op(ops::Add, {a, b}); }
  Value minus(Value a, Value b) const { return builder.op(ops::Subtract, {a, b}); }
  Value times(Value a, Value b) const { return builder.op(ops::Multiply, {a, b}); }
  Value plus(Value a, std::int64_t b) const { return builder.op(ops::Add, {a, of(b)}); }
  Value minus(Value a, std::int64_t b) const { return builder.op(ops::Subtract, {a, of(b)}); }
  Value times(Value a, std::int64_t b) const { return builder.op(ops::Multiply, {a, of(b)}); }
  Value by(Value a, std::int64_t b) const { return b == 1 ? a : quotient(a, of(b)); }
  Value quotient(Value a, Value b) const { return builder.op(ops::Divide, {a, b}, {{"m_pythondiv", true}}); }
  Value least(Value a, std::int64_t b) const { return builder.op(ops::Maximum, {a, of(b)}); }
  Value most(Value a, Value b) const { return builder.op(ops::Maximum, {a, b}); }
  Value fewest(Value a, Value b) const { return builder.op(ops::Minimum, {a, b}); }
  Value product(const Values& values) const {
    return reduce_keep_dims(builder, ops::ReduceProd, concat(builder, values), {0});
  }
  /// The distance from the first to the last element of a window.
  Value extent(Value kernel, std::int64_t dilation) const {
    return plus(times(minus(kernel, 1), dilation), 1);
  }
};

/// The sizes along the axes from `first` on.
Values compute_sizes_from(Builder& builder, Value value, std::int64_t first) {
  Values sizes;
  const auto rank = static_cast<std::int64_t>(value.shape().rank());
  for (std::int64_t axis = first; axis < rank; ++axis) sizes.push_back(dimension_of(builder, value, axis));
  return sizes;
}

Value multiply_matrices(Builder& builder, Value a, Value b, bool transposes_a) {
  return builder.op(ops::MatMul, {a, b}, {{"transpose_a", transposes_a}, {"transpose_b", false}});
}

/// Positions of window elements: one row per window, one column per element.
Value compute_window_places(const SizeArithmetic& sizes, Value places, Value kernel, std::int64_t stride,
                            std::int64_t dilation) {
  const Value rows = unsqueeze(sizes.builder, sizes.times(emit_range(sizes.builder, places), stride), {1});
  return sizes.plus(rows, sizes.times(emit_range(sizes.builder, kernel), dilation));
}

struct Pads {
  Value begin;
  Value end;
};

Pads convolution_pads(const SizeArithmetic& sizes, const WindowSteps& window, std::size_t axis, Value size,
                      Value extent) {
  if (window.auto_pad == "explicit") {
    return {sizes.of(window.pads_begin[axis]), sizes.of(window.pads_end[axis])};
  }
  if (window.auto_pad == "valid") return {sizes.of(0), sizes.of(0)};
  const std::int64_t stride = window.strides[axis];
  const Value places = sizes.by(sizes.plus(size, stride - 1), stride);
  const Value reach = sizes.plus(sizes.times(sizes.minus(places, 1), stride), extent);
  const Value total = sizes.least(sizes.minus(reach, size), 0);
  const Value smaller = sizes.by(total, 2);
  const Value larger = sizes.minus(total, smaller);
  return window.auto_pad == "same_upper" ? Pads{smaller, larger} : Pads{larger, smaller};
}

/// The end of the padded result of a fold along an axis, and the part of it that is needed.
struct FoldedAxis {
  Value places;  ///< of the window
  Value kernel;  ///< size of the window
  Value buffer;  ///< the extent of all windows and of the requested part
  Value begin;   ///< of the requested part
  Value size;    ///< of the requested part
};

/// Adds up `columns` [N, C * kernel ..., places ...] at the positions of their windows.
Value fold(const SizeArithmetic& sizes, Value columns, Value batch, Value channels,
           const std::vector<FoldedAxis>& axes, const WindowSteps& window) {
  Builder& builder = sizes.builder;
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
        builder,
        compute_window_places(sizes, places[at], kernel[at], window.strides[at], window.dilations[at]),
        {1, 0});
    if (i + 1 < spatial) index = sizes.times(index, sizes.product({buffer.begin() + i + 1, buffer.end()}));
    std::vector<std::int64_t> unit_axes;
    for (std::int64_t axis = 0; axis < 2 * spatial; ++axis) {
      if (axis != i && axis != spatial + i) unit_axes.push_back(axis);
    }
    index = unsqueeze(builder, index, unit_axes);
    indices = indices ? sizes.plus(indices, index) : index;
  }
  const Value rows = sizes.times(batch, channels);
  const Value elements = sizes.product(kernel);
  const Value count = sizes.times(elements, sizes.product(places));
  const Value shape = concat(builder, {rows, count});
  const Value zeros = fill(builder, 0, columns.type(), concat(builder, {rows, sizes.product(buffer)}));
  const Value row = reshape(builder, indices, concat(builder, {sizes.of(1), count}));
  const Value of_rows = broadcast_to(builder, row, shape);
  const Value values = reshape(builder, columns, shape);
  const Value sums = builder.op(ops::ScatterElementsUpdate, {zeros, of_rows, values, builder.integer(1)},
                                {{"reduction", "sum"}, {"use_init_val", true}});
  Values whole{batch, channels};
  whole.append(buffer.begin(), buffer.end());
  Value result = reshape(builder, sums, concat(builder, whole));
  for (std::int64_t i = 0; i < spatial; ++i) {
    const FoldedAxis& axis = axes[static_cast<std::size_t>(i)];
    result = slice(builder, result, axis.begin, sizes.plus(axis.begin, axis.size), i + 2);
  }
  return result;
}

/// The part of the full result that a transposed convolution keeps along an axis.
FoldedAxis transposed_axis(const SizeArithmetic& sizes, const WindowSteps& window, std::size_t at,
                           Value places, Value kernel, std::int64_t more,
                           const std::vector<std::int64_t>& output_shape) {
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
    // If the windows are smaller than the stride, onnxruntime's result ends after the last window.
    const Value reached = sizes.plus(full, more);
    if (output_shape.empty()) {
      const Value most = sizes.times(places, stride);
      axis.size = sizes.fewest(most, sizes.least(reached, 0));
    } else {
      axis.size = sizes.of(output_shape[at]);
    }
    const Value total = sizes.least(sizes.minus(reached, axis.size), 0);
    const Value smaller = sizes.by(total, 2);
    axis.begin = window.auto_pad == "same_upper" ? smaller : sizes.minus(total, smaller);
  }
  axis.buffer = sizes.most(full, sizes.plus(axis.begin, axis.size));
  return axis;
}

}  // namespace

Value unfold_convolution(Builder& builder, Value input, Value filter, const WindowSteps& window,
                         bool is_grouped) {
  const SizeArithmetic sizes{builder};
  const Values kernel = compute_sizes_from(builder, filter, is_grouped ? 3 : 2);
  const std::size_t spatial = kernel.size();
  const Values size = compute_sizes_from(builder, input, 2);
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
  const Value all_begins = concat(builder, begins);
  Value windows =
      builder.op(ops::Pad, {input, all_begins, concat(builder, ends), builder.number_like(0, input)},
                 {{"pad_mode", "constant"}});
  for (std::size_t i = spatial; i-- > 0;) {
    const Value indices =
        compute_window_places(sizes, places[i], kernel[i], window.strides[i], window.dilations[i]);
    windows = gather(builder, windows, indices, static_cast<std::int64_t>(i + 2));
  }
  // [N, C, places, kernel, ...] to [N, C, kernel ..., places ...].
  std::vector<std::int64_t> order{0, 1};
  for (std::size_t i = 0; i < spatial; ++i) order.push_back(static_cast<std::int64_t>(2 * i + 3));
  for (std::size_t i = 0; i < spatial; ++i) order.push_back(static_cast<std::int64_t>(2 * i + 2));
  const Value batch = dimension_of(builder, input, 0);
  const Value groups = is_grouped ? dimension_of(builder, filter, 0) : sizes.of(1);
  const Value filters = dimension_of(builder, filter, is_grouped ? 1 : 0);
  Values of_filter{dimension_of(builder, filter, is_grouped ? 2 : 1)};
  of_filter.append(kernel.begin(), kernel.end());
  const Value taps = sizes.product(of_filter);
  const Value ordered = transpose(builder, windows, order);
  const Value columns =
      reshape(builder, ordered, concat(builder, {batch, groups, taps, sizes.product(places)}));
  const Value weights = reshape(builder, filter, concat(builder, {sizes.of(1), groups, filters, taps}));
  const Value result = multiply_matrices(builder, weights, columns, false);
  Values shape{batch, is_grouped ? sizes.times(groups, filters) : filters};
  shape.append(places.begin(), places.end());
  return reshape(builder, result, concat(builder, shape));
}

Value fold_convolution(Builder& builder, Value input, Value filter, const WindowSteps& window,
                       std::int64_t groups, const std::vector<std::int64_t>& more,
                       const std::vector<std::int64_t>& output_shape) {
  const SizeArithmetic sizes{builder};
  const Values kernel = compute_sizes_from(builder, filter, 2);
  const Values places = compute_sizes_from(builder, input, 2);
  std::vector<FoldedAxis> axes;
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    axes.push_back(transposed_axis(sizes, window, i, places[i], kernel[i], more[i], output_shape));
  }
  const Value batch = dimension_of(builder, input, 0);
  const Value inner = sizes.by(dimension_of(builder, filter, 0), groups);
  const Value filters = dimension_of(builder, filter, 1);
  const Value taps = sizes.times(filters, sizes.product(kernel));
  const Value weights =
      reshape(builder, filter, concat(builder, {sizes.of(1), sizes.of(groups), inner, taps}));
  const Value values =
      reshape(builder, input, concat(builder, {batch, sizes.of(groups), inner, sizes.product(places)}));
  const Value columns = multiply_matrices(builder, weights, values, true);
  return fold(sizes, columns, batch, sizes.times(filters, groups), axes, window);
}

Value fold_columns(Builder& builder, Value columns, const Values& size, const Values& kernel,
                   const WindowSteps& window) {
  const SizeArithmetic sizes{builder};
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
  const Value all = dimension_of(builder, columns, 1);
  const Value channels = sizes.quotient(all, sizes.product(kernel));
  return fold(sizes, columns, dimension_of(builder, columns, 0), channels, axes, window);
}

}  // namespace onnx2ir::ir
