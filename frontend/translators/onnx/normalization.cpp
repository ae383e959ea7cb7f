// Normalisations, Softmax, LogSoftmax and Hardmax.
#include <algorithm>

#include "frontend/translators/domains.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/operands.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// 1 / sqrt(variance + epsilon).
Value compute_inverse_deviation(Builder& builder, Value variance, double epsilon) {
  const Value deviation =
      builder.op(ops::Sqrt, {builder.op(ops::Add, {variance, builder.number_like(epsilon, variance)})});
  return divide(builder, builder.number_like(1, variance), deviation);
}

/// The mean of the squared distances from the mean.
Value reduce_variance(Builder& builder, Value x, Value axes, bool keep_dims) {
  const Value distance = builder.op(ops::Subtract, {x, reduce_over(builder, ops::ReduceMean, x, axes, true)});
  const Value square = builder.op(ops::Multiply, {distance, distance});
  return reduce_over(builder, ops::ReduceMean, square, axes, keep_dims);
}

/// A value per channel in a shape that broadcasts to data of `rank`: [C, 1, ...].
Value reshape_for_channels(NodeContext& node, Value value, std::int64_t rank) {
  return node.rank(value) == 1 ? add_unit_dimensions(node, value, 0, std::max<std::int64_t>(rank - 2, 0))
                               : value;
}

struct BatchNorm {
  Value x, scale, bias, mean, variance;
  std::int64_t rank;
  double epsilon;
};

/// If the statistics have a wider type than the data, all is computed in that type.
BatchNorm read_batch_norm(NodeContext& node) {
  using Input = inputs::BatchNormalization;
  BatchNorm result{node.input(Input::X),
                   node.input(Input::scale),
                   node.input(Input::B),
                   node.input(Input::input_mean),
                   node.input(Input::input_var),
                   node.rank(node.input(Input::X)),
                   node.real_attribute("epsilon", 1e-5F)};
  const ElementType data = result.x.type();
  const auto values = {&result.x, &result.scale, &result.bias, &result.mean, &result.variance};
  if (std::ranges::any_of(values, [&](const Value* value) { return value->type() != data; })) {
    for (Value* const value : values) *value = convert(node, *value, ElementType::f32);
  }
  return result;
}

Value decompose_batch_norm(NodeContext& node, const BatchNorm& norm, Value mean, Value variance) {
  const auto place = [&](Value value) { return reshape_for_channels(node, value, norm.rank); };
  const Value centered = node.op(ops::Subtract, {norm.x, place(mean)});
  const Value factor = node.op(
      ops::Multiply, {place(norm.scale), compute_inverse_deviation(node, place(variance), norm.epsilon)});
  return node.op(ops::Add, {node.op(ops::Multiply, {centered, factor}), place(norm.bias)});
}

Values batch_norm_for_inference(NodeContext& node) {
  using Input = inputs::BatchNormalization;
  const BatchNorm norm = read_batch_norm(node);
  const bool is_native = norm.rank >= 2 && node.rank(norm.scale) == 1;
  const Value y =
      is_native ? node.op(ops::BatchNormInference, {norm.x, norm.scale, norm.bias, norm.mean, norm.variance},
                          {{"epsilon", norm.epsilon}})
                : decompose_batch_norm(node, norm, norm.mean, norm.variance);
  return {convert(node, y, node.input(Input::X).type())};
}

/// Normalises by the statistics of the batch, and updates the running ones. Below 14 the outputs saved mean
/// and saved variance are the statistics of the batch.
Values batch_norm_for_training(NodeContext& node) {
  using Input = inputs::BatchNormalization;
  const BatchNorm norm = read_batch_norm(node);
  const double momentum = node.real_attribute("momentum", 0.9F);
  std::vector<std::int64_t> others = numbers_between(0, norm.rank);
  std::erase(others, 1);
  const Value axes = node.integers(others);
  const Value mean = reduce_over(node, ops::ReduceMean, norm.x, axes, false);
  const Value variance = reduce_variance(node, norm.x, axes, false);
  const auto update = [&](Value running, Value current) {
    const Value kept = node.op(ops::Multiply, {running, node.number_like(momentum, running)});
    return node.op(ops::Add,
                   {kept, node.op(ops::Multiply, {current, node.number_like(1 - momentum, current)})});
  };
  Values outputs{convert(node, decompose_batch_norm(node, norm, mean, variance), node.input(Input::X).type()),
                 convert(node, update(norm.mean, mean), node.input(Input::input_mean).type()),
                 convert(node, update(norm.variance, variance), node.input(Input::input_var).type()), mean,
                 variance};
  outputs.resize(std::min(outputs.size(), std::max<std::size_t>(node.output_count(), 1)));
  return outputs;
}

/// BatchNormalization 1, 6, 7, 9: training if more than one output is used, below 7 unless `is_test` selects
/// inference; 14, 15: `training_mode` selects training. Below 7, `spatial` 0 means parameters per activation.
Values batch_normalization_1(NodeContext& node) {
  const bool trains = node.opset() >= 14 ? node.flag_attribute("training_mode")
                                         : node.output_count() != 1 && !node.flag_attribute("is_test");
  return trains ? batch_norm_for_training(node) : batch_norm_for_inference(node);
}

/// InstanceNormalization 1, 6, 22.
Values instance_normalization_1(NodeContext& node) {
  using Input = inputs::InstanceNormalization;
  const Value x = node.input(Input::input);
  const std::int64_t rank = node.rank(x);
  const Value y =
      normalize_over(node, x, emit_axes_between(node, 2, rank), node.real_attribute("epsilon", 1e-5F));
  const Value scaled =
      node.op(ops::Multiply, {y, reshape_for_channels(node, node.input(Input::scale), rank)});
  return {node.op(ops::Add, {scaled, reshape_for_channels(node, node.input(Input::B), rank)})};
}

/// The type in which statistics are computed: attribute `stash_type` (ONNX element types), float by default.
ElementType stash_type(const NodeContext& node) {
  constexpr std::int64_t kFloat = 1;
  const std::int64_t type = node.integer_attribute("stash_type", kFloat);
  if (type == 0) {
    node.fail("attribute 'stash_type' is 0, which is not an element type",
              "set it to 1 (float), or remove the attribute");
  }
  return node.element_type(type);
}

/// The axes of input 0 from attribute `axis` on.
Value emit_normalized_axes(NodeContext& node) {
  const std::int64_t rank = node.rank(node.input(0));
  return emit_axes_between(node, node.axis(node.integer_attribute("axis", -1), rank), rank);
}

/// LayerNormalization 17, over the axes from `axis` on. In models that import ai.onnx below 17, it is that of
/// onnxruntime, whose result has the type of the scale.
Values layer_normalization_1(NodeContext& node) {
  using Input = inputs::LayerNormalization;
  using Output = outputs::LayerNormalization;
  const Value input = node.input(Input::X);
  const ElementType type = node.input(node.opset() < 17 ? Input::Scale : Input::X).type();
  const double epsilon = node.real_attribute("epsilon", 1e-5F);
  const Value axes = emit_normalized_axes(node);
  const Value x = convert(node, input, stash_type(node));
  Value y = convert(node, normalize_over(node, x, axes, epsilon), type);
  y = node.op(ops::Multiply, {y, convert(node, node.input(Input::Scale), type)});
  if (const Value bias = node.optional_input(Input::B)) y = node.op(ops::Add, {y, convert(node, bias, type)});
  Values outputs{y};
  if (node.has_output(Output::Mean) || node.has_output(Output::InvStdDev)) {
    outputs.push_back(reduce_over(node, ops::ReduceMean, x, axes, true));
    outputs.push_back(compute_inverse_deviation(node, reduce_variance(node, x, axes, true), epsilon));
  }
  return outputs;
}

/// x / sqrt(mean(x * x) + epsilon) * scale over the axes from `axis` on, in the type of the scale, and the
/// factor of x. Statistics have the type `computed`.
Values emit_rms_normalization(NodeContext& node, ElementType computed) {
  const Value scale = node.input(1);
  const Value axes = emit_normalized_axes(node);
  const Value x = convert(node, node.input(0), computed);
  const Value factor = compute_inverse_rms(node, x, axes, node.real_attribute("epsilon", 1e-5F));
  const Value y = convert(node, node.op(ops::Multiply, {x, factor}), scale.type());
  return {node.op(ops::Multiply, {y, scale}), factor};
}

/// RMSNormalization 23.
Values rms_normalization_23(NodeContext& node) {
  return {convert(node, emit_rms_normalization(node, stash_type(node))[0], node.input(0).type())};
}

/// SimplifiedLayerNormalization, which onnxruntime adds to ONNX's own domain: RMSNormalization before opset
/// 23. OpenVINO's front end also accepts it in onnxruntime's domain.
Values simplified_layer_normalization_1(NodeContext& node) {
  return emit_rms_normalization(node, ElementType::f32);
}

Value normalize_groups(NodeContext& node, Value scale, Value bias) {
  using Input = inputs::GroupNormalization;
  const Value x = node.input(Input::X);
  // The CPU plugin has no GroupNormalization without pixels in dynamic shapes.
  const bool has_pixels = node.rank(x) > 2;
  const Value image = has_pixels ? x : unsqueeze(node, x, {2});
  const Value result =
      node.op(ops::GroupNormalization, {image, convert(node, scale, x.type()), convert(node, bias, x.type())},
              {{"num_groups", node.positive_attribute("num_groups")},
               {"epsilon", node.real_attribute("epsilon", 1e-5F)}});
  return has_pixels ? result : squeeze(node, result, {2});
}

/// GroupNormalization 18: scale and bias per group. Deprecated, but still used in models.
Values group_normalization_18(NodeContext& node) {
  using Input = inputs::GroupNormalization;
  const Value x = node.input(Input::X);
  if (node.rank(x) < 2) node.fail("the input has no channels");
  const Value groups = node.integers({node.positive_attribute("num_groups")});
  const Value each = divide(node, dimension_of(node, x, 1), groups);
  const Value shape = concat(node, {groups, each});
  const auto of_channels = [&](Value of_groups) {
    const Value repeated = broadcast_to(node, unsqueeze(node, of_groups, {1}), shape);
    return reshape(node, repeated, std::vector<std::int64_t>{x.shape()[1].size()});
  };
  return {
      normalize_groups(node, of_channels(node.input(Input::scale)), of_channels(node.input(Input::bias)))};
}

/// GroupNormalization 21: scale and bias for each channel.
Values group_normalization_21(NodeContext& node) {
  using Input = inputs::GroupNormalization;
  return {normalize_groups(node, node.input(Input::scale), node.input(Input::bias))};
}

/// LpNormalization 1, 22: vectors of norm 0 stay 0.
Values lp_normalization_1(NodeContext& node) {
  const Value x = node.input(0);
  const std::int64_t p = node.integer_attribute("p", 2);
  if (p != 1 && p != 2) node.fail("attribute 'p' must be 1 or 2");
  const std::int64_t axis = node.axis(node.integer_attribute("axis", -1), node.rank(x));
  const Value norm = reduce_keep_dims(node, p == 1 ? ops::ReduceL1 : ops::ReduceL2, x, {axis});
  const Value is_zero = node.op(ops::Equal, {norm, node.number_like(0, norm)});
  return {divide(node, x, node.op(ops::Select, {is_zero, node.number_like(1, norm), norm}))};
}

/// MeanVarianceNormalization 1: over the batch and the pixels, or also across channels, as in onnxruntime;
/// division by the deviation is optional. 9, 13: over `axes`. Epsilon 1e-9 is added to the deviation.
Values mean_variance_normalization_1(NodeContext& node) {
  const Value x = node.input(0);
  ir::Integers axes{0, 2, 3};
  if (node.opset() < 9) {
    axes = numbers_between(node.flag_attribute("across_channels") ? 1 : 2, node.rank(x));
    axes.insert(axes.begin(), 0);
  } else if (const auto given = node.integer_list("axes"); !given.empty()) {
    // onnxruntime accepts an axis that is given more than once.
    axes = distinct_axes(node, given, node.rank(x));
  }
  return {node.op(ops::MVN, {x, node.integers(axes)},
                  {{"eps", 1e-9},
                   {"normalize_variance", node.flag_attribute("normalize_variance", true)},
                   {"eps_mode", "OUTSIDE_SQRT"}})};
}

/// LRN 1, 13: across channels.
Values lrn_1(NodeContext& node) {
  if (node.rank(node.input(0)) < 2) node.fail("the input has no channels");
  const double bias = node.real_attribute("bias", 1);
  const double alpha = node.real_attribute("alpha", 1e-4F);
  const double beta = node.real_attribute("beta", 0.75);
  const std::int64_t size = node.positive_attribute("size");
  return {node.op(ops::LRN, {node.input(0), node.integers({1})},
                  {{"alpha", alpha}, {"beta", beta}, {"bias", bias}, {"size", size}})};
}

using Emit = Value (*)(NodeContext&, Value, std::int64_t axis);

template <ir::Op kOperation>
Value plain(NodeContext& node, Value x, std::int64_t axis) {
  return node.op(kOperation, {x}, {{"axis", axis}});
}

/// 1 for the first of the largest elements, 0 for the others.
Value hardmax(NodeContext& node, Value x, std::int64_t axis) {
  const Value largest = reduce_keep_dims(node, ops::ReduceMax, x, {axis});
  const Value is_largest = node.op(ops::Equal, {x, largest});
  const Value count = cumulative_sum(node, convert(node, is_largest, ElementType::i32), axis);
  const Value is_first = node.op(ops::Equal, {count, node.integer(1, ElementType::i32)});
  return convert(node, node.op(ops::LogicalAnd, {is_largest, is_first}), x.type());
}

/// Softmax, LogSoftmax, Hardmax. Versions 1 and 11 reshape the input to a matrix: dimensions before `axis`
/// (default 1) are rows, the others are columns. From 13 on they work along `axis` (default -1) only.
template <Emit kEmit>
Values softmax_1(NodeContext& node) {
  const Value x = node.input(0);
  const std::int64_t rank = node.rank(x);
  if (node.opset() >= 13) return {kEmit(node, x, node.axis(node.integer_attribute("axis", -1), rank))};
  if (rank == 0) node.fail("a scalar has no axis");
  // Axis `rank` is valid: rows of one element.
  std::int64_t axis = node.integer_attribute("axis", 1);
  if (axis != rank) axis = node.axis(axis, rank);
  if (axis == rank - 1) return {kEmit(node, x, axis)};
  if (axis == rank) {
    const Value column = unsqueeze(node, x, {rank});
    return {squeeze(node, kEmit(node, column, rank), {rank})};
  }
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(axis), 0);
  sizes.push_back(-1);
  const Value rows = reshape_keeping(node, x, sizes);
  const Value result = kEmit(node, rows, axis);
  return {reshape(node, result, shape_of(node, x))};
}

}  // namespace

Value normalize_over(Builder& builder, Value x, Value axes, double epsilon) {
  return builder.op(ops::MVN, {x, axes},
                    {{"eps", epsilon}, {"normalize_variance", true}, {"eps_mode", "INSIDE_SQRT"}});
}

Value compute_inverse_rms(Builder& builder, Value x, Value axes, double epsilon) {
  const Value square = builder.op(ops::Power, {x, builder.number_like(2, x)});
  return compute_inverse_deviation(builder, reduce_over(builder, ops::ReduceMean, square, axes, true),
                                   epsilon);
}

Value normalize_by_rms(Builder& builder, Value x, double epsilon) {
  return builder.op(ops::Multiply, {x, compute_inverse_rms(builder, x, builder.integers({-1}), epsilon)});
}

std::vector<TranslatorRow> normalization_translators() {
  return {
      {"BatchNormalization", 1, batch_normalization_1},
      {"InstanceNormalization", 1, instance_normalization_1},
      {"LayerNormalization", 1, layer_normalization_1},
      {"RMSNormalization", 23, rms_normalization_23},
      {"SimplifiedLayerNormalization", 1, simplified_layer_normalization_1},
      {"SimplifiedLayerNormalization", 1, simplified_layer_normalization_1, {}, {}, kMicrosoft},
      {"GroupNormalization", 18, group_normalization_18},
      {"GroupNormalization", 21, group_normalization_21},
      {"LpNormalization", 1, lp_normalization_1},
      {"MeanVarianceNormalization", 1, mean_variance_normalization_1},
      {"LRN", 1, lrn_1},
      {.name = "Softmax", .since = 1, .translate = softmax_1<plain<ops::SoftMax>>, .ranks = RankRule::keep},
      {.name = "LogSoftmax",
       .since = 1,
       .translate = softmax_1<plain<ops::LogSoftmax>>,
       .ranks = RankRule::keep},
      {.name = "Hardmax", .since = 1, .translate = softmax_1<hardmax>, .ranks = RankRule::keep},
  };
}

}  // namespace onnx2ir::frontend
