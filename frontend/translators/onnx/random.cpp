// Operators that generate random numbers, and Dropout. ONNX does not define the numbers for a seed.
#include "frontend/translators/onnx/random.hpp"

#include <bit>
#include <numbers>

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/operands.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {

Value draw_classes(Builder& builder, Value log_probabilities, Value samples, ElementType type, Seeds seeds) {
  return builder.op(ops::Multinomial, {log_probabilities, samples},
                    {{"convert_type", type},
                     {"with_replacement", true},
                     {"log_probs", true},
                     {"global_seed", seeds.global},
                     {"op_seed", seeds.of_op}});
}

namespace {

/// Seeds for one of the streams of a node. Without attribute `seed` both are 0.
Seeds seeds_of(const NodeContext& node, std::int64_t stream) {
  if (!node.has_attribute("seed")) return {};
  return {stream,
          std::int64_t{std::bit_cast<std::uint32_t>(static_cast<float>(node.real_attribute("seed")))}};
}

/// f32 numbers in [0, 1) of shape `sizes`. Each inference draws new numbers.
Value draw_uniform(NodeContext& node, Value sizes, std::int64_t stream = 1) {
  const Seeds seeds = seeds_of(node, stream);
  const Value low = node.number(0, ElementType::f32);
  const Value high = node.number(1, ElementType::f32);
  return node.op(ops::RandomUniform, {sizes, low, high},
                 {{"output_type", ElementType::f32},
                  {"global_seed", seeds.global},
                  {"op_seed", seeds.of_op},
                  {"alignment", "tensorflow"}});
}

Value draw_uniform_between(NodeContext& node, Value sizes, ElementType type) {
  const double low = node.real_attribute("low", 0);
  const double high = node.real_attribute("high", 1);
  const Value numbers = draw_uniform(node, sizes);
  const Value scaled = node.op(ops::Multiply, {numbers, node.number(high - low, ElementType::f32)});
  return convert(node, node.op(ops::Add, {scaled, node.number(low, ElementType::f32)}), type);
}

/// Box-Muller: sqrt(-2 ln(1 - u)) cos(2 pi v).
Value draw_normal(NodeContext& node, Value sizes, ElementType type) {
  const auto number = [&](double value) { return node.number(value, ElementType::f32); };
  const Value u = node.op(ops::Subtract, {number(1), draw_uniform(node, sizes, 1)});
  const Value v = draw_uniform(node, sizes, 2);
  const Value radius = node.op(ops::Sqrt, {node.op(ops::Multiply, {node.op(ops::Log, {u}), number(-2)})});
  const Value angle = node.op(ops::Multiply, {v, number(2 * std::numbers::pi)});
  const Value standard = node.op(ops::Multiply, {radius, node.op(ops::Cos, {angle})});
  const Value scaled = node.op(ops::Multiply, {standard, number(node.real_attribute("scale", 1))});
  return convert(node, node.op(ops::Add, {scaled, number(node.real_attribute("mean", 0))}), type);
}

using Draw = Value (*)(NodeContext&, Value sizes, ElementType);

/// RandomUniform, RandomNormal 1, 22.
template <Draw kDraw>
Values random_1(NodeContext& node) {
  return {kDraw(node, node.integers(node.integer_list("shape")),
                node.element_type_attribute("dtype", ElementType::f32))};
}

/// RandomUniformLike, RandomNormalLike 1, 22: the shape, and by default the type, of the input.
template <Draw kDraw>
Values random_like_1(NodeContext& node) {
  const Value like = node.input(0);
  return {kDraw(node, shape_of(node, like), node.element_type_attribute("dtype", like.type()))};
}

/// Bernoulli 15, 22.
Values bernoulli_15(NodeContext& node) {
  const Value probability = node.input(0);
  const ElementType type = node.element_type_attribute("dtype", probability.type());
  const Value drawn = convert(node, draw_uniform(node, shape_of(node, probability)), probability.type());
  return {convert(node, node.op(ops::Less, {drawn, probability}), type)};
}

/// Multinomial 7, 22: the input contains logarithms of probabilities.
Values multinomial_7(NodeContext& node) {
  const std::int64_t samples = node.positive_attribute("sample_size", 1);
  const ElementType type = node.element_type_attribute("dtype", ElementType::i32);
  return {draw_classes(node, node.input(0), node.integers({samples}), type, seeds_of(node, 1))};
}

/// Dropout 1, 6, 7, 10: a copy for inference. The mask is boolean from 10 on, and has the type of the data
/// before. Below 12, the specification does not define it, and onnxruntime gives zeros.
Values dropout_1(NodeContext& node) {
  using Input = inputs::Dropout;
  using Output = outputs::Dropout;
  const Value x = node.input(Input::data);
  if (node.opset() < 7 && !node.flag_attribute("is_test") && node.real_attribute("ratio", 0.5) != 0 &&
      node.has_output(Output::mask)) {
    node.fail("training is not converted", "set attribute 'is_test'");
  }
  if (!node.has_output(Output::mask)) return {x};
  const ElementType type = node.opset() < 10 ? x.type() : ElementType::boolean;
  const Value is_kept = node.integer(node.opset() < 12 ? 0 : 1, type);
  return {x, broadcast_to(node, is_kept, shape_of(node, x))};
}

/// Dropout 12, 13, 22: ratio and training_mode are inputs.
Values dropout_12(NodeContext& node) {
  using Input = inputs::Dropout;
  constexpr double kDefaultRatio = 0.5;
  const Value x = node.input(Input::data);
  const Value training = node.optional_input(Input::training_mode);
  Value ratio = node.optional_input(Input::ratio);
  const ir::Numbers zero{0};
  const bool is_off = !training || node.known_numbers(training) == zero;
  if (is_off || (ratio && node.known_numbers(ratio) == zero)) return dropout_1(node);
  if (!ratio) ratio = node.number(kDefaultRatio, ElementType::f32);
  ratio = convert(node, require_scalar(node, ratio, "ratio"), ElementType::f32);
  const Value trains = require_scalar(node, training, "training_mode");
  const Value drawn = draw_uniform(node, shape_of(node, x));
  const Value is_kept = node.op(
      ops::LogicalOr, {node.op(ops::GreaterEqual, {drawn, ratio}), node.op(ops::LogicalNot, {trains})});
  const Value kept_share = node.op(ops::Subtract, {node.number(1, ElementType::f32), ratio});
  const Value divisor = node.op(ops::Select, {trains, kept_share, node.number(1, ElementType::f32)});
  const Value scaled = node.op(ops::Divide, {convert(node, x, ElementType::f32), divisor});
  const Value result = node.op(ops::Select, {is_kept, scaled, node.number(0, ElementType::f32)});
  return {convert(node, result, x.type()), is_kept};
}

}  // namespace

std::vector<TranslatorRow> random_translators() {
  return {
      {"RandomUniform", 1, random_1<draw_uniform_between>},
      {"RandomNormal", 1, random_1<draw_normal>},
      {"RandomUniformLike", 1, random_like_1<draw_uniform_between>},
      {"RandomNormalLike", 1, random_like_1<draw_normal>},
      {"Bernoulli", 15, bernoulli_15},
      {"Multinomial", 7, multinomial_7},
      {"Dropout", 1, dropout_1},
      {"Dropout", 12, dropout_12},
  };
}

}  // namespace onnx2ir::frontend
