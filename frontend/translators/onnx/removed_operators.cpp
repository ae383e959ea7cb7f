// Operators that ONNX removed before its first stable version. onnxruntime still runs most of them.
#include "frontend/translators/com_microsoft/delegate.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"
#include "ir/checked_arithmetic.hpp"

namespace onnx2ir::frontend {
namespace {

/// Affine: alpha * x + beta.
Values affine(NodeContext& node) {
  const Value x = multiply_by(node, node.input(0), node.real_attribute("alpha", 1));
  return {node.op(ops::Add, {x, node.number_like(node.real_attribute("beta", 0), x)})};
}

/// Scale: scale * x.
Values scale(NodeContext& node) {
  return {node.op(ops::Multiply,
                  {node.input(0), node.number_like(node.real_attribute("scale", 1), node.input(0))})};
}

/// ScaledTanh: alpha * tanh(beta * x); ParametricSoftplus: alpha * log(exp(beta * x) + 1).
template <ir::Op kFunction>
Values scaled_function(NodeContext& node) {
  const Value x = multiply_by(node, node.input(0), node.real_attribute("beta", 1));
  return {multiply_by(node, node.op(kFunction, {x}), node.real_attribute("alpha", 1))};
}

/// ImageScaler: scale * x + bias, a bias for each channel.
Values image_scaler(NodeContext& node) {
  const Value x = multiply_by(node, node.input(0), node.real_attribute("scale", 1));
  const auto bias = node.real_list("bias");
  if (bias.empty()) return {x};
  return {node.op(ops::Add, {x, node.numbers(bias, {std::ssize(bias), 1, 1}, x.type())})};
}

/// Crop: removes the border [left, top, right, bottom]; with `scale`, crops [height, width] from the upper
/// left corner.
Values crop(NodeContext& node) {
  const Value x = node.input(0);
  if (node.rank(x) != 4) node.fail("the input must be a batch of images");
  const auto border = node.integer_list("border");
  const auto sizes = node.integer_list("scale");
  if (border.size() != 4) node.fail("attribute 'border' must have four values");
  if (!sizes.empty() && sizes.size() != 2) node.fail("attribute 'scale' must have two values");
  const auto cut = [&](Value value, std::int64_t axis, std::int64_t before, std::int64_t after) {
    const Value stop =
        sizes.empty() ? node.op(ops::Subtract, {dimension_of(node, value, axis), node.integers({after})})
                      : node.integers({ir::checked_add(before, sizes[static_cast<std::size_t>(axis - 2)])});
    return slice(node, value, node.integers({before}), stop, axis);
  };
  return {cut(cut(x, 2, border[1], border[3]), 3, border[0], border[2])};
}

/// ConstantFill: fills a shape, given by an attribute, an input, or the shape of an input, with a value.
Values constant_fill(NodeContext& node) {
  const Value number =
      node.number(node.real_attribute("value", 0), node.element_type_attribute("dtype", ElementType::f32));
  const auto extra = node.integer_list("extra_shape");
  if (!node.has_input(0)) {
    ir::Integers shape = node.integer_list("shape");
    shape.insert(shape.end(), extra.begin(), extra.end());
    return {broadcast_to(node, number, node.integers(shape))};
  }
  Value shape = node.flag_attribute("input_as_shape") ? convert_to_dimensions(node, node.input(0))
                                                      : shape_of(node, node.input(0));
  if (!extra.empty()) shape = concat(node, {shape, node.integers(extra)});
  return {broadcast_to(node, number, shape)};
}

/// GivenTensorFill: the numbers of an attribute.
Values given_tensor_fill(NodeContext& node) {
  const auto values = node.real_list("values");
  ir::Integers shape = node.integer_list("shape");
  if (node.has_input(0)) shape = node.require_integers(node.input(0), "the shape");
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count = ir::checked_multiply(count, size);
  if (count != static_cast<std::int64_t>(values.size()))
    node.fail("the shape does not fit the number of values");
  return {node.numbers(values, shape, ElementType::f32)};
}

}  // namespace

std::vector<TranslatorRow> removed_operator_translators() {
  return {
      {"Affine", 1, affine},
      {"Scale", 1, scale},
      {"ScaledTanh", 1, scaled_function<ops::Tanh>},
      {"ParametricSoftplus", 1, scaled_function<ops::SoftPlus>},
      {"ImageScaler", 1, image_scaler},
      {"Crop", 1, crop},
      {"DynamicSlice", 1, same_as<"Slice", 10>},  // without steps
      {"ConstantFill", 1, constant_fill},
      {"GivenTensorFill", 1, given_tensor_fill},
  };
}

}  // namespace onnx2ir::frontend
