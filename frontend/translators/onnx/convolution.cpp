// Conv, ConvTranspose, DeformConv and the integer convolutions.
#include <algorithm>

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"
#include "frontend/translators/onnx/window.hpp"

namespace onnx2ir::frontend {
namespace {

/// Filters [G * n, ...] as [G, n, ...].
Value grouped(NodeContext& node, Value filter, std::int64_t groups) {
  const auto sizes = filter.shape().sizes();
  if (sizes) {
    if (groups <= 0 || (*sizes)[0] % groups != 0) node.fail("the filters cannot be divided into the groups");
    std::vector<std::int64_t> shape{groups, (*sizes)[0] / groups};
    shape.insert(shape.end(), sizes->begin() + 1, sizes->end());
    return reshape(node, filter, shape);
  }
  const std::int64_t rank = node.rank(filter);
  Values shape{node.integers({groups}), node.integers({-1})};
  for (std::int64_t i = 1; i < rank; ++i) shape.push_back(dimension_of(node, filter, i));
  return reshape(node, filter, concat(node, shape));
}

/// [C] as [1, C, 1, ...] of `rank`.
Value along_channels(Builder& builder, Value vector, std::int64_t rank) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(rank), 1);
  shape[1] = -1;
  return reshape(builder, vector, builder.integers(shape));
}

Value biased(NodeContext& node, Value result, Value bias, std::int64_t rank) {
  return bias ? node.op("Add", {result, along_channels(node, bias, rank)}) : result;
}

void take_kernel_from(Window& window, Value filter) {
  if (!window.kernel.empty() || !filter.shape().has_rank()) return;
  for (std::size_t i = 2; i < filter.shape().rank(); ++i) window.kernel.push_back(filter.shape()[i].size());
}

Value convolved(NodeContext& node, Value input, Value filter) {
  const std::int64_t rank = node.rank(input);
  Window window = window_of(node, rank - 2);
  take_kernel_from(window, filter);
  const std::int64_t groups = node.integer("group", 1);
  const AttributeList attributes = {{"strides", window.strides},
                                    {"dilations", window.dilations},
                                    {"pads_begin", window.pads_begin},
                                    {"pads_end", window.pads_end},
                                    {"auto_pad", window.auto_pad}};
  if (groups == 1) return node.op("Convolution", {input, filter}, attributes);
  return node.op("GroupConvolution", {input, grouped(node, filter, groups)}, attributes);
}

/// Conv 1, 11, 22: the versions differ in element types.
Values conv_1(NodeContext& node) {
  const Value result = convolved(node, node.input(0), node.input(1));
  return {biased(node, result, node.optional_input(2), node.rank(node.input(0)))};
}

/// Integers minus their zero point, as f32: products of 8-bit numbers are exact in it.
Value centred(NodeContext& node, Value value, Value zero_point, bool per_filter) {
  Value result = convert(node, value, ElementType::f32);
  if (!zero_point) return result;
  Value zero = convert(node, zero_point, ElementType::f32);
  if (per_filter && !zero.shape().is_scalar() && zero.shape().element_count() != 1) {
    std::vector<std::int64_t> shape(static_cast<std::size_t>(node.rank(value)), 1);
    shape[0] = -1;
    zero = reshape(node, zero, node.integers(shape));
  }
  return node.op("Subtract", {result, zero});
}

/// ConvInteger 10.
Values conv_integer_10(NodeContext& node) {
  const Value input = centred(node, node.input(0), node.optional_input(2), false);
  const Value filter = centred(node, node.input(1), node.optional_input(3), true);
  return {convert(node, convolved(node, input, filter), ElementType::i32)};
}

/// QLinearConv 10.
Values q_linear_conv_10(NodeContext& node) {
  const Value input = centred(node, node.input(0), node.input(2), false);
  const Value filter = centred(node, node.input(3), node.input(5), true);
  const std::int64_t rank = node.rank(input);
  const auto spread = [&](Value scale) {
    return scale.shape().element_count() == 1 || scale.shape().is_scalar()
               ? scale
               : along_channels(node, scale, rank);
  };
  Value sums = convolved(node, input, filter);
  sums =
      biased(node, sums, node.has_input(8) ? convert(node, node.input(8), ElementType::f32) : Value{}, rank);
  const Value scale =
      node.op("Divide", {node.op("Multiply", {node.input(1), spread(node.input(4))}), node.input(6)},
              {{"m_pythondiv", true}});
  Value result = node.op("Round", {node.op("Multiply", {sums, scale})}, {{"mode", "half_to_even"}});
  const ElementType type = node.input(7).type();
  result = node.op("Add", {result, convert(node, node.input(7), ElementType::f32)});
  const bool is_signed = type == ElementType::i8;
  result =
      node.op("Clamp", {result}, {{"min", is_signed ? -128.0 : 0.0}, {"max", is_signed ? 127.0 : 255.0}});
  return {convert(node, result, type)};
}

/// Where output_shape or auto_pad ask for a size, the total pad follows from it.
void resolve_transposed_pads(NodeContext& node, Window& window, std::vector<std::int64_t>& more,
                             Value input) {
  auto output_shape = node.integer_list("output_shape");
  const auto spatial = window.strides.size();
  // Some exporters write the whole shape.
  if (output_shape.size() == spatial + 2) output_shape.erase(output_shape.begin(), output_shape.begin() + 2);
  const bool same = window.auto_pad != "explicit";
  if (output_shape.empty() && !same) return;
  if (!output_shape.empty() && output_shape.size() != spatial) node.fail("output_shape has the wrong length");
  const bool lower = window.auto_pad == "same_lower" || window.auto_pad == "explicit";
  for (std::size_t i = 0; i < spatial; ++i) {
    const ir::Dimension size = input.shape()[i + 2];
    const std::int64_t extent = (window.kernel[i] - 1) * window.dilations[i] + 1;
    std::int64_t total = extent + more[i] - window.strides[i];  // what gives size * stride
    if (!output_shape.empty()) {
      if (size.is_dynamic())
        node.fail("output_shape is given for an input whose spatial sizes are not known");
      total = window.strides[i] * (size.size() - 1) + more[i] + extent - output_shape[i];
    }
    if (total < 0) {
      more[i] -= total;
      total = 0;
    }
    window.pads_begin[i] = lower ? total - total / 2 : total / 2;
    window.pads_end[i] = total - window.pads_begin[i];
    if (window.auto_pad == "explicit" && !output_shape.empty()) {
      window.pads_begin[i] = total - total / 2;
      window.pads_end[i] = total / 2;
    }
  }
  window.auto_pad = "explicit";
}

/// ConvTranspose 1, 11, 22: the versions differ in element types.
Values conv_transpose_1(NodeContext& node) {
  const Value input = node.input(0);
  const Value filter = node.input(1);
  const std::int64_t rank = node.rank(input);
  Window window = window_of(node, rank - 2);
  take_kernel_from(window, filter);
  if (std::any_of(window.kernel.begin(), window.kernel.end(), [](auto size) { return size < 0; })) {
    node.fail("the size of the kernel is not known");
  }
  auto more = node.integer_list("output_padding");
  if (more.empty()) more.assign(window.strides.size(), 0);
  resolve_transposed_pads(node, window, more, input);
  const std::int64_t groups = node.integer("group", 1);
  // The runtime takes output padding only below the stride; the rest is a negative pad at the end.
  const AttributeList attributes = {{"strides", window.strides},       {"dilations", window.dilations},
                                    {"pads_begin", window.pads_begin}, {"pads_end", window.pads_end},
                                    {"auto_pad", window.auto_pad},     {"output_padding", more}};
  const Value result = groups == 1 ? node.op("ConvolutionBackpropData", {input, filter}, attributes)
                                   : node.op("GroupConvolutionBackpropData",
                                             {input, grouped(node, filter, groups)}, attributes);
  return {biased(node, result, node.optional_input(2), rank)};
}

/// DeformConv 19, 22.
Values deform_conv_19(NodeContext& node) {
  const Value input = node.input(0);
  const std::int64_t rank = node.rank(input);
  if (rank != 4) node.fail("only two spatial axes can be expressed");
  Window window = window_of(node, 2);
  Values inputs{input, node.input(2), node.input(1)};
  if (node.has_input(4)) inputs.push_back(node.input(4));
  const Value result = node.op("DeformableConvolution", inputs,
                               {{"strides", window.strides},
                                {"dilations", window.dilations},
                                {"pads_begin", window.pads_begin},
                                {"pads_end", window.pads_end},
                                {"auto_pad", window.auto_pad},
                                {"group", node.integer("group", 1)},
                                {"deformable_group", node.integer("offset_group", 1)},
                                {"bilinear_interpolation_pad", true}});
  return {biased(node, result, node.optional_input(3), rank)};
}

/// Col2Im 18.
Values col2im_18(NodeContext& node) {
  if (node.input(2).shape().element_count() != 2) node.fail("only two spatial axes can be expressed");
  const Window window = window_of(node, 2);
  return {node.op("Col2Im", {node.input(0), node.input(1), node.input(2)},
                  {{"strides", window.strides},
                   {"dilations", window.dilations},
                   {"pads_begin", window.pads_begin},
                   {"pads_end", window.pads_end}})};
}

}  // namespace

std::vector<TranslatorRow> convolution_translators() {
  return {
      {"Conv", 1, conv_1},
      {"ConvInteger", 10, conv_integer_10},
      {"QLinearConv", 10, q_linear_conv_10},
      {"ConvTranspose", 1, conv_transpose_1, "output_shape with spatial sizes that are not known"},
      {"DeformConv", 19, deform_conv_19, "other than two spatial axes"},
      {"Col2Im", 18, col2im_18, "other than two spatial axes"},
  };
}

}  // namespace onnx2ir::frontend
