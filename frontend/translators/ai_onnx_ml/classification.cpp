#include "frontend/translators/ai_onnx_ml/classification.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numbers>

#include "frontend/translators/onnx/string_list.hpp"
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

/// Texts as rows of bytes, padded with zeros to the longest text.
struct TextRows {
  std::vector<double> bytes;
  std::vector<std::int64_t> lengths;
  std::int64_t width = 1;
};

TextRows table_of(const std::vector<std::string>& texts) {
  TextRows table;
  for (const std::string& text : texts) {
    table.lengths.push_back(static_cast<std::int64_t>(text.size()));
    table.width = std::max(table.width, table.lengths.back());
  }
  table.bytes.reserve(
      ir::checked_count(ir::checked_multiply(static_cast<std::int64_t>(texts.size()), table.width)));
  for (const std::string& text : texts) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(table.width); ++i)
      table.bytes.push_back(i < text.size() ? static_cast<unsigned char>(text[i]) : 0);
  }
  return table;
}

/// 0, 1, 2 ... for the bytes of a row.
Value enumerate_bytes(NodeContext& node, std::int64_t width) {
  return convert(node, emit_axes_between(node, 0, width), ElementType::i32);
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
  switch (transform) {
    case PostTransform::none:
      return scores;
    case PostTransform::softmax:
      return node.op(ops::SoftMax, {scores}, {{"axis", 1}});
    case PostTransform::logistic:
      return node.op(ops::Sigmoid, {scores});
    case PostTransform::softmax_zero:
      return softmax_zero(node, scores);
    case PostTransform::probit:
      return probit(node, scores);
  }
  return scores;
}

Labels labels_of(NodeContext& node, std::string_view numbers, std::string_view strings) {
  Labels labels{node.integer_list(numbers).unchecked(), node.text_list(strings).unchecked()};
  if (!labels.numbers.empty() && !labels.strings.empty())
    node.fail("labels are given as numbers and as strings");
  return labels;
}

Value gather_label(NodeContext& node, const Labels& labels, Value index) {
  if (!labels.strings.empty()) return gather_text(node, labels.strings, index);
  if (labels.numbers.empty()) return convert(node, index, ElementType::i64);
  return gather(node, node.integers(labels.numbers), index);
}

Value find_best_class(NodeContext& node, Value scores) {
  return squeeze(node, top_k(node, scores, node.integer(1), 1).value(1), {1});
}

Value gather_text(NodeContext& node, const std::vector<std::string>& texts, Value index) {
  // Concatenates the bytes of the selected texts, because StringTensorPack requires ascending positions.
  const TextRows table = table_of(texts);
  const Value list = flatten(node, index);
  const Value bytes = node.numbers(table.bytes, {std::ssize(texts), table.width}, ElementType::i32);
  const Value rows = gather(node, bytes, list);
  const Value lengths = gather(node, node.integers(table.lengths, ElementType::i32), list);
  const Value inside =
      node.op(ops::Less, {enumerate_bytes(node, table.width), unsqueeze(node, lengths, {1})});
  return pack_rows(node, rows, inside, lengths, shape_of(node, index));
}

Value compare_with_texts(NodeContext& node, Value value, const std::vector<std::string>& texts) {
  // Compares the length of each string, and as many first bytes as the longest text has.
  const TextRows table = table_of(texts);
  const std::int64_t rank = node.rank(value);
  ir::Node& unpacked = node.node(ops::StringTensorUnpack, {value});
  const Value begins = unpacked.value(0);
  const Value lengths = node.op(ops::Subtract, {unpacked.value(1), begins});
  // Zeros after the last string, so that no read is out of range.
  const Value bytes = widen_bytes(node, unpacked.value(2), static_cast<std::size_t>(table.width));
  const Value offsets = enumerate_bytes(node, table.width);
  const Value places = node.op(ops::Add, {unsqueeze(node, begins, {rank}), offsets});
  const Value inside = node.op(ops::Less, {offsets, unsqueeze(node, lengths, {rank})});
  const Value heads =
      node.op(ops::Select, {inside, gather(node, bytes, places), node.integer(0, ElementType::i32)});
  const Value expected = node.numbers(table.bytes, {std::ssize(texts), table.width}, ElementType::i32);
  const Value alike = node.op(ops::Equal, {unsqueeze(node, heads, {rank}), expected});
  const Value same_bytes = reduce(node, ops::ReduceLogicalAnd, alike, {-1});
  const Value same_length =
      node.op(ops::Equal, {unsqueeze(node, lengths, {rank}), node.integers(table.lengths, ElementType::i32)});
  return node.op(ops::LogicalAnd, {same_bytes, same_length});
}

}  // namespace onnx2ir::frontend
