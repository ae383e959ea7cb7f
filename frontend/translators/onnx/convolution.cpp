// Conv, ConvTranspose, DeformConv, the integer convolutions, Col2Im and CausalConvWithState.
#include <algorithm>

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/operands.hpp"
#include "frontend/translators/onnx/quantized_numbers.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"
#include "frontend/translators/onnx/window.hpp"
#include "ir/checked_arithmetic.hpp"
#include "ir/gathered_windows.hpp"
#include "ir/inference.hpp"

namespace onnx2ir::frontend {
namespace {

/// Filters [G * n, ...] as [G, n, ...].
Value split_groups(NodeContext& node, Value filter, std::int64_t groups) {
  if (groups < 1) node.fail("a filter of no elements cannot be divided into groups");
  if (const auto sizes = filter.shape().sizes()) {
    std::vector<std::int64_t> shape{groups, (*sizes)[0] / groups};
    shape.insert(shape.end(), sizes->begin() + 1, sizes->end());
    return reshape(node, filter, shape);
  }
  const Value count = node.integers({groups});
  Values shape{count, divide(node, dimension_of(node, filter, 0), count)};
  const Values others = dimensions_of(node, filter, 1, node.rank(filter));
  shape.append(others.begin(), others.end());
  return reshape(node, filter, concat(node, shape));
}

/// The number of groups of filters: attribute `group`, which must divide the number of filters.
std::int64_t filter_group_count(NodeContext& node, Value filter) {
  const std::int64_t groups = node.integer_attribute("group", 1);
  const std::int64_t filters = filter.shape()[0].size();
  if (groups <= 0 || (filters >= 0 && filters % groups != 0)) {
    node.fail("the filters cannot be divided into the groups");
  }
  return groups;
}

/// [C] as [1, C, 1, ...] of `rank`.
Value reshape_along_channels(Builder& builder, Value vector, std::int64_t rank) {
  return reshape(builder, vector, builder.integers(shape_along(1, rank)));
}

Value add_bias(NodeContext& node, Value result, Value bias, std::int64_t rank) {
  return bias ? node.op(ops::Add, {result, reshape_along_channels(node, bias, rank)}) : result;
}

/// The window of a convolution. The filter must have as many spatial axes as the input; it determines a
/// kernel_shape that is absent.
Window convolution_window(NodeContext& node, Value input, Value filter) {
  const std::int64_t rank = node.rank(input);
  Window window = window_of(node, rank - 2);
  if (node.rank(filter) != rank) {
    ir::invalid("the filter " + to_string(filter.shape()) + " and the input " + to_string(input.shape()) +
                " have different ranks");
  }
  if (!window.kernel.empty()) return window;
  for (std::size_t i = 2; i < filter.shape().rank(); ++i) window.kernel.push_back(filter.shape()[i].size());
  return window;
}

/// If one filter of one channel slides along few of many axes, the last axis of static size beside the
/// window, which can be the axis of channels that each have this filter; 1 otherwise. jax2onnx computes sums
/// over windows with such filters.
std::int64_t channels_beside(const Window& window, Value input, Value filter) {
  if (window.kernel.size() <= kMostWindowAxes) return 1;
  if (filter.shape()[0] != ir::Dimension(1) || filter.shape()[1] != ir::Dimension(1)) return 1;
  for (std::size_t i = window.kernel.size(); i > 0; --i) {
    if (!slides(window, i - 1) && input.shape()[i + 1].is_static()) return static_cast<std::int64_t>(i + 1);
  }
  return 1;
}

Value convolve(NodeContext& node, Value input, Value filter) {
  const Window window = convolution_window(node, input, filter);
  std::int64_t groups = filter_group_count(node, filter);
  const std::int64_t channels = channels_beside(window, input, filter);
  const auto emit = [&](Value data, const Window& rest, const std::vector<std::int64_t>& absent) {
    Value filters = absent.empty() ? filter : squeeze(node, filter, absent);
    if (channels != 1) {
      groups = data.shape()[1].size();
      Values shape{node.integers({groups})};
      const Values others = dimensions_of(node, filters, 1, node.rank(filters));
      shape.append(others.begin(), others.end());
      filters = broadcast_to(node, filters, concat(node, shape));
    }
    if (groups != 1) filters = split_groups(node, filters, groups);
    if (rest.kernel.size() > kMostWindowAxes)
      return ir::unfold_convolution(node, data, filters, rest, groups != 1);
    return node.op(groups == 1 ? ops::Convolution : ops::GroupConvolution, {data, filters},
                   attributes_of(rest));
  };
  return slide(node, input, window, emit, channels);
}

/// Conv 1, 11, 22: the versions differ in element types.
Values conv_1(NodeContext& node) {
  using Input = inputs::Conv;
  const Value result = convolve(node, node.input(Input::X), node.input(Input::W));
  return {add_bias(node, result, node.optional_input(Input::B), node.rank(node.input(Input::X)))};
}

/// A filter minus its zero point, which may be one for each filter.
Value centre_filter(NodeContext& node, Value filter, Value zero_point) {
  const Value numbers = convert(node, filter, ElementType::f32);
  return subtract_zero_point(node, numbers, reshape_along_axis(node, zero_point, 0, node.rank(filter)));
}

/// ConvInteger 10.
Values conv_integer_10(NodeContext& node) {
  using Input = inputs::ConvInteger;
  const Value input =
      subtract_zero_point(node, node.input(Input::x), node.optional_input(Input::x_zero_point));
  const Value filter = centre_filter(node, node.input(Input::w), node.optional_input(Input::w_zero_point));
  return {convert(node, convolve(node, input, filter), ElementType::i32)};
}

/// QLinearConv on the numbers that the integers represent.
Values fast_q_linear_conv(NodeContext& node) {
  using Input = inputs::QLinearConv;
  const std::int64_t rank = node.rank(node.input(Input::w));
  const Grid of_input = read_grid(node, Input::x_scale, Input::x_zero_point);
  const Value input = dequantize(node, node.input(Input::x), of_input);
  const Value filter =
      dequantize(node, node.input(Input::w), read_grid(node, Input::w_scale, Input::w_zero_point, 0, rank));
  Value sums = convolve(node, input, filter);
  if (const Value bias = node.optional_input(Input::B)) {
    const Value numbers = dequantize_bias(node, bias, of_input, Input::w_scale, Input::w_zero_point);
    sums = add_bias(node, sums, numbers, rank);
  }
  return quantize_like(node, Input::y_zero_point, sums, Input::y_scale, Input::y_zero_point);
}

/// QLinearConv 10.
Values q_linear_conv_10(NodeContext& node) {
  using Input = inputs::QLinearConv;
  if (has_integer_kernels(node, {Input::x_scale, Input::x_zero_point, Input::w_scale, Input::w_zero_point,
                                 Input::y_scale, Input::y_zero_point}))
    return fast_q_linear_conv(node);
  const Value input = subtract_zero_point(node, node.input(Input::x), node.input(Input::x_zero_point));
  const Value filter = centre_filter(node, node.input(Input::w), node.input(Input::w_zero_point));
  const std::int64_t rank = node.rank(input);
  Value sums = convolve(node, input, filter);
  if (const Value bias = node.optional_input(Input::B))
    sums = add_bias(node, sums, convert(node, bias, ElementType::f32), rank);
  Value scales = node.input(Input::w_scale);
  if (scales.shape().element_count() != 1) scales = reshape_along_channels(node, scales, rank);
  const Value product = node.op(ops::Multiply, {node.input(Input::x_scale), scales});
  const Value scale = divide(node, product, node.input(Input::y_scale));
  Value result = round_to_even(node, node.op(ops::Multiply, {sums, scale}));
  const ElementType type = node.input(Input::y_zero_point).type();
  result = node.op(ops::Add, {result, convert(node, node.input(Input::y_zero_point), ElementType::f32)});
  return {saturate(node, result, type)};
}

/// output_shape without batch and channels; empty if absent.
ir::Integers spatial_output_shape(NodeContext& node, const Window& window) {
  auto output_shape = node.integer_list("output_shape");
  const auto spatial = window.strides.size();
  // Some exporters write the complete shape.
  if (output_shape.size() == spatial + 2) output_shape.erase(output_shape.begin(), output_shape.begin() + 2);
  if (!output_shape.empty() && output_shape.size() != spatial) node.fail("output_shape has the wrong length");
  check_values(node, "output_shape", output_shape, 0);
  return output_shape;
}

/// The elements that a transposed convolution adds at the end of each spatial axis.
ir::Integers read_output_padding(NodeContext& node, const Window& window) {
  auto padding = node.integer_list("output_padding");
  if (padding.empty()) padding.assign(window.strides.size(), 0);
  if (padding.size() != window.strides.size()) node.fail("output_padding has the wrong length");
  check_values(node, "output_padding", padding, -(std::int64_t{1} << 31));
  return padding;
}

/// If output_shape or auto_pad determine a size, computes the total pad from it.
void resolve_transposed_pads(Window& window, ir::Integers& output_padding, const ir::Integers& output_shape,
                             Value input) {
  if (output_shape.empty() && window.auto_pad == "explicit") return;
  // The larger half of an odd pad is at the start.
  const bool begins_with_more = window.auto_pad == "same_lower" || window.auto_pad == "explicit";
  for (std::size_t i = 0; i < window.strides.size(); ++i) {
    const ir::Dimension size = input.shape()[i + 2];
    // The attributes are below 2^32, the sizes of the input and of the filter can be any.
    const std::int64_t reach = ir::checked_multiply(window.kernel[i] - 1, window.dilations[i]);
    // The pad for an output of size * stride; 0 if the output is smaller, as in onnxruntime.
    std::int64_t total = ir::checked_add(reach, 1 + output_padding[i] - window.strides[i]);
    if (!output_shape.empty()) {
      const std::int64_t last = ir::checked_multiply(window.strides[i], size.size() - 1);
      total = ir::checked_add(ir::checked_add(last, reach), 1 + output_padding[i] - output_shape[i]);
    }
    if (total < 0) {
      if (!output_shape.empty()) output_padding[i] = ir::checked_subtract(output_padding[i], total);
      total = 0;
    }
    window.pads_begin[i] = begins_with_more ? total - total / 2 : total / 2;
    window.pads_end[i] = total - window.pads_begin[i];
  }
  window.auto_pad = "explicit";
}

/// ConvTranspose 1, 11, 22: the versions differ in element types.
Values conv_transpose_1(NodeContext& node) {
  using Input = inputs::ConvTranspose;
  const Value input = node.input(Input::X);
  const Value filter = node.input(Input::W);
  const std::int64_t rank = node.rank(input);
  Window window = convolution_window(node, input, filter);
  auto output_padding = read_output_padding(node, window);
  const std::int64_t groups = filter_group_count(node, filter);
  const auto output_shape = spatial_output_shape(node, window);
  const bool sizes_are_known = std::all_of(input.shape().begin() + 2, input.shape().end(),
                                           [](const ir::Dimension& size) { return size.is_static(); });
  // Pads are computed from the sizes of the filter.
  if (window.kernel.size() > kMostWindowAxes || !filter.shape().is_static() ||
      (!output_shape.empty() && !sizes_are_known)) {
    const Value result = ir::fold_convolution(node, input, filter, window, groups, output_padding.unchecked(),
                                              output_shape.unchecked());
    return {add_bias(node, result, node.optional_input(Input::B), rank)};
  }
  resolve_transposed_pads(window, output_padding, output_shape, input);
  const auto attributes = attributes_of(window, {{"output_padding", output_padding.unchecked()}});
  const Value result = groups == 1 ? node.op(ops::ConvolutionBackpropData, {input, filter}, attributes)
                                   : node.op(ops::GroupConvolutionBackpropData,
                                             {input, split_groups(node, filter, groups)}, attributes);
  return {add_bias(node, result, node.optional_input(Input::B), rank)};
}

/// DeformConv 19, 22.
Values deform_conv_19(NodeContext& node) {
  using Input = inputs::DeformConv;
  Values inputs{node.input(Input::X), node.input(Input::offset), node.input(Input::W)};
  if (node.has_input(Input::mask)) inputs.push_back(node.input(Input::mask));
  const Value result = emit_deformable_convolution(node, inputs, "offset_group", true);
  return {add_bias(node, result, node.optional_input(Input::B), node.rank(inputs[0]))};
}

/// The number of spatial axes of Col2Im: from the length of its inputs or attributes, or from the declared
/// rank of the result.
std::int64_t spatial_rank(NodeContext& node) {
  using Input = inputs::Col2Im;
  for (const std::size_t list : {Input::image_shape, Input::block_shape}) {
    if (const auto count = node.input(list).shape().element_count()) return static_cast<std::int64_t>(*count);
  }
  for (const std::string_view name : {"strides", "dilations"}) {
    if (node.has_attribute(name)) return static_cast<std::int64_t>(node.integer_list(name).size());
  }
  if (node.has_attribute("pads")) return static_cast<std::int64_t>(node.integer_list("pads").size() / 2);
  if (const auto rank = node.declared_rank(0)) return *rank - 2;
  node.fail("the number of spatial axes is not known", "declare the shape of the result in the model");
}

/// Col2Im 18. OpenVINO defines it for two spatial axes.
Values col2im_18(NodeContext& node) {
  using Input = inputs::Col2Im;
  const std::int64_t spatial = spatial_rank(node);
  const Window window = window_of(node, spatial);
  const auto read_sizes = [&](std::size_t index, std::int64_t least, std::string_view problem) {
    const Value list = set_length(node, convert(node, node.input(index), ElementType::i64), spatial);
    if (list.shape() != PartialShape{spatial})
      node.fail("image_shape and block_shape must be lists of " + std::to_string(spatial) + " sizes");
    const auto known = node.known_integers(list);
    if (known && std::ranges::any_of(*known, [&](std::int64_t size) { return size < least; }))
      node.fail(std::string(problem));
    return list;
  };
  const Value sizes = read_sizes(Input::image_shape, 0, "the image_shape has a negative size");
  const Value kernel = read_sizes(Input::block_shape, 1, "the block_shape has a size below 1");
  if (spatial != 2) {
    const auto elements = [&](Value list) {
      Values values;
      for (std::int64_t i = 0; i < spatial; ++i) values.push_back(gather(node, list, node.integers({i})));
      return values;
    };
    const Values size_list = elements(sizes);
    return {ir::fold_columns(node, node.input(Input::input), size_list, elements(kernel), window)};
  }
  return {node.op(ops::Col2Im, {node.input(Input::input), sizes, kernel},
                  {{"strides", window.strides.unchecked()},
                   {"dilations", window.dilations.unchecked()},
                   {"pads_begin", window.pads_begin.unchecked()},
                   {"pads_end", window.pads_end.unchecked()}})};
}

/// A filter of dynamic size for each channel: all windows [N, C, L, k] times the filters [C, 1, k].
Value multiply_windows_by_channel(NodeContext& node, Value input, Value filter, Value places,
                                  std::int64_t dilation) {
  const Value taps =
      node.op(ops::Multiply, {emit_range(node, dimension_of(node, filter, 2)), node.integer(dilation)});
  const Value indices = node.op(ops::Add, {unsqueeze(node, emit_range(node, places), {1}), taps});
  const Value products = node.op(ops::Multiply, {gather(node, input, indices, 2), filter});
  return reduce(node, ops::ReduceSum, products, {3});
}

/// CausalConvWithState 27: each channel has its own filter over the state and the input; the new state is the
/// part that later positions need. Only onnxruntime's operator has the attribute dilation.
Values causal_conv_with_state_27(NodeContext& node) {
  using Input = inputs::CausalConvWithState;
  const Value input = node.input(Input::input);
  const Value filter = node.input(Input::weight);
  const std::int64_t dilation = node.positive_attribute("dilation", 1);
  const Value gaps = node.op(ops::Subtract, {dimension_of(node, filter, 2), node.integers({1})});
  const Value before = node.op(ops::Multiply, {gaps, node.integer(dilation)});
  Value state = node.optional_input(Input::past_state);
  if (!state) {
    const Value shape = concat(node, {dimension_of(node, input, 0), dimension_of(node, input, 1), before});
    state = fill(node, 0, input.type(), shape);
  }
  const Value extended = concat(node, {state, input}, 2);
  Value result;
  if (filter.shape().is_static()) {
    result = node.op(ops::GroupConvolution, {extended, split_groups(node, filter, filter.shape()[0].size())},
                     attributes_of({{1}, {dilation}, {0}, {0}, "explicit"}));
  } else {
    result = multiply_windows_by_channel(node, extended, filter, dimension_of(node, input, 2), dilation);
  }
  result = add_bias(node, result, node.optional_input(Input::bias), 3);
  const std::string activation = node.text_attribute("activation", "none");
  if (activation == "silu" || activation == "swish") {
    const Value exact = convert(node, result, ElementType::f32);
    result = convert(node, node.op(ops::Swish, {exact}), result.type());
  } else if (activation != "none" && !activation.empty()) {
    node.fail("attribute 'activation' must be none, silu or swish");
  }
  const Value length = dimension_of(node, extended, 2);
  const Value last = slice(node, extended, node.op(ops::Subtract, {length, before}), length, 2);
  return {result, last};
}

}  // namespace

std::vector<TranslatorRow> convolution_translators() {
  return {
      {"Conv", 1, conv_1},
      {"ConvInteger", 10, conv_integer_10},
      {"QLinearConv", 10, q_linear_conv_10},
      {"ConvTranspose", 1, conv_transpose_1},
      {"DeformConv", 19, deform_conv_19, "other than two spatial axes"},
      {"Col2Im", 18, col2im_18},
      {"CausalConvWithState", 27, causal_conv_with_state_27},
  };
}

}  // namespace onnx2ir::frontend
