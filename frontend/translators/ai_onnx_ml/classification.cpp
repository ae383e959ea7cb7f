#include "frontend/translators/ai_onnx_ml/classification.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numbers>

#include "frontend/translators/onnx/table_search.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"
#include "ir/builder.hpp"
#include "ir/checked_arithmetic.hpp"

namespace onnx2ir::frontend {
namespace {

/// The quantile function of the normal distribution: Winitzki's approximation of the inverse error function,
/// with onnxruntime's constant.
Value probit(NodeContext& node, Value p) {
  constexpr double kA = 0.147;
  const auto number = [&](double value) { return node.number_like(value, p); };
  const Value x = node.op(ops::Subtract, {node.op(ops::Multiply, {p, number(2)}), number(1)});
  const Value rest =
      node.op(ops::Multiply, {node.op(ops::Subtract, {number(1), x}), node.op(ops::Add, {number(1), x})});
  const Value log = node.op(ops::Log, {rest});
  const Value v =
      node.op(ops::Add, {number(2 / (std::numbers::pi * kA)), node.op(ops::Multiply, {log, number(0.5)})});
  const Value square = node.op(ops::Multiply, {v, v});
  const Value root =
      node.op(ops::Sqrt, {node.op(ops::Subtract, {square, node.op(ops::Multiply, {log, number(1 / kA)})})});
  const Value size = node.op(ops::Sqrt, {node.op(ops::Subtract, {root, v})});
  const Value sign = node.op(ops::Select, {node.op(ops::Less, {x, number(0)}), number(-1), number(1)});
  return node.op(ops::Multiply, {node.op(ops::Multiply, {sign, size}), number(std::numbers::sqrt2)});
}

/// Softmax over the scores that are not 0; the others stay 0.
Value softmax_zero(NodeContext& node, Value scores) {
  const Value last = node.integers({-1});
  const Value max = reduce_over(node, ops::ReduceMax, scores, last, true);
  const Value power = node.op(ops::Exp, {node.op(ops::Subtract, {scores, max})});
  const Value counts = node.op(ops::Greater, {node.op(ops::Abs, {scores}), node.number_like(1e-7, scores)});
  const Value kept = node.op(ops::Select, {counts, power, node.number_like(0, scores)});
  const Value sum = reduce_over(node, ops::ReduceSum, kept, last, true);
  return divide(node, kept, sum);
}

}  // namespace

Value read_feature_matrix(NodeContext& node, std::size_t index) {
  const Value input = convert(node, node.input(index), ElementType::f32);
  const std::int64_t rank = node.rank(input);
  if (rank == 1) return unsqueeze(node, input, {0});
  if (rank != 2) node.fail("the input must be a matrix of samples and features");
  return input;
}

std::vector<double> tensor_numbers(NodeContext& node, std::string_view attribute) {
  const TensorAttribute tensor = node.tensor_attribute(attribute);
  std::size_t count = 1;
  for (const std::int64_t size : tensor.shape) count *= static_cast<std::size_t>(size);
  auto numbers = ir::decode_numbers(tensor.type, tensor.data.bytes(), count);
  if (!numbers) node.fail("attribute '" + std::string(attribute) + "' holds no numbers");
  return *std::move(numbers);
}

PostTransform post_transform_of(NodeContext& node) {
  const std::string name = node.text_attribute("post_transform", "NONE");
  constexpr std::array<std::string_view, 5> kNames = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO",
                                                      "PROBIT"};
  const auto index = std::find(kNames.begin(), kNames.end(), name) - kNames.begin();
  if (index == std::ssize(kNames)) node.fail("post_transform '" + name + "' does not exist");
  return static_cast<PostTransform>(index);
}

Value apply_post_transform(NodeContext& node, Value scores, PostTransform transform) {
  if (transform == PostTransform::softmax) return node.op(ops::SoftMax, {scores}, {{"axis", 1}});
  if (transform == PostTransform::logistic) return node.op(ops::Sigmoid, {scores});
  if (transform == PostTransform::softmax_zero) return softmax_zero(node, scores);
  return transform == PostTransform::probit ? probit(node, scores) : scores;
}

Labels labels_of(NodeContext& node, std::string_view numbers, std::string_view strings) {
  Labels labels{node.integer_list(numbers).unchecked(), node.text_list(strings).unchecked()};
  if (!labels.numbers.empty() && !labels.strings.empty())
    node.fail("labels are given as numbers and as strings");
  return labels;
}

Value gather_label(NodeContext& node, const Labels& labels, Value index) {
  if (!labels.strings.empty()) return gather_texts(node, labels.strings, index);
  if (labels.numbers.empty()) return convert(node, index, ElementType::i64);
  return gather(node, node.integers(labels.numbers), index);
}

Value find_best_class(NodeContext& node, Value scores) {
  return squeeze(node, top_k(node, scores, node.integer(1), 1).value(1), {1});
}

}  // namespace onnx2ir::frontend
