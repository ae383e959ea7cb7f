// ai.onnx.ml: operators that map values to others: LabelEncoder, OneHotEncoder, CategoryMapper.
#include <algorithm>
#include <cmath>

#include "frontend/reader/onnx_proto.hpp"
#include "frontend/translators/ai_onnx_ml/classification.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// One side of a dictionary: numbers or texts.
struct DictionarySide {
  std::vector<double> numbers;
  std::vector<std::string> texts;
  ElementType type = ElementType::dynamic;  ///< of the numbers, string for texts
  std::size_t size() const { return numbers.size() + texts.size(); }
};

DictionarySide words_of_tensor(NodeContext& node, std::string_view name) {
  const onnx::AttributeProto* const attribute = node.find_attribute(name);
  if (attribute == nullptr) return {};
  const onnx::TensorProto& tensor = attribute->t();
  if (tensor.data_type() == onnx::TensorProto::STRING)
    return {{}, {tensor.string_data().begin(), tensor.string_data().end()}, ElementType::string};
  return {tensor_numbers(node, name), {}, node.tensor_attribute(name).type};
}

/// The words in the attribute `prefix`_tensor, _int64s, _floats or _strings.
DictionarySide words_of(NodeContext& node, const std::string& prefix) {
  if (node.has_attribute(prefix + "_tensor")) return words_of_tensor(node, prefix + "_tensor");
  DictionarySide words;
  if (node.has_attribute(prefix + "_int64s")) {
    words.type = ElementType::i64;
    words.numbers = node.real_list(prefix + "_int64s").unchecked();
  } else if (node.has_attribute(prefix + "_floats")) {
    words.type = ElementType::f32;
    words.numbers = node.real_list(prefix + "_floats").unchecked();
  } else if (node.has_attribute(prefix + "_strings")) {
    words.type = ElementType::string;
    words.texts = node.text_list(prefix + "_strings").unchecked();
  }
  return words;
}

/// Compares each element of `input` with each of `keys`: one dimension more than the input.
Value compare_with_keys(NodeContext& node, Value input, const DictionarySide& keys) {
  if (keys.size() == 0) node.fail("there are no keys");
  if ((input.type() == ElementType::string) != (keys.type == ElementType::string))
    node.fail("the keys are not of the input's type");
  if (keys.type == ElementType::string) return compare_with_texts(node, input, keys.texts);
  const ElementType type = input.type();
  const Value x = unsqueeze(node, input, {node.rank(input)});
  Value equal = node.op(ops::Equal, {x, node.numbers(keys.numbers, type)});
  std::vector<double> missing;
  for (const double key : keys.numbers) missing.push_back(std::isnan(key) ? 1 : 0);
  // From version 4 on NaN is a valid key.
  if (node.opset() >= 4 && ir::is_floating(type) &&
      std::find(missing.begin(), missing.end(), 1) != missing.end()) {
    const Value is_missing = node.numbers(missing, ElementType::boolean);
    equal =
        node.op(ops::LogicalOr, {equal, node.op(ops::LogicalAnd, {is_missing, node.op(ops::IsNaN, {x})})});
  }
  return equal;
}

/// The index of each element in `keys`, or their number if it is not a key.
Value find_place(NodeContext& node, Value input, const DictionarySide& keys) {
  // A sentinel after the keys always matches, with the lowest mark; the first key has the highest mark.
  const auto count = static_cast<std::int64_t>(keys.size());
  std::vector<double> marks;
  for (std::int64_t i = 0; i < count; ++i) marks.push_back(static_cast<double>(count - i));
  const Value found =
      node.op(ops::Select, {compare_with_keys(node, input, keys), node.numbers(marks, ElementType::i32),
                            node.integer(0, ElementType::i32)});
  const Value best = reduce(node, ops::ReduceMax, found, {-1});
  return node.op(ops::Subtract, {node.integer(count, ElementType::i32), best});
}

/// Looks up input 0 in `keys` and returns the value at the same index. `values` has one element more, for
/// elements that are not keys.
Value look_up(NodeContext& node, const DictionarySide& keys, const DictionarySide& values) {
  const Value place = find_place(node, node.input(0), keys);
  if (values.type == ElementType::string) return gather_text(node, values.texts, place);
  return gather(node, node.numbers(values.numbers, values.type), place);
}

/// LabelEncoder 2, 4 (tensors).
Values label_encoder_2(NodeContext& node) {
  const DictionarySide keys = words_of(node, "keys");
  DictionarySide values = words_of(node, "values");
  if (keys.size() != values.size()) node.fail("keys and values differ in number");
  const DictionarySide other = words_of_tensor(node, "default_tensor");
  if (values.type == ElementType::string) {
    values.texts.push_back(other.texts.empty() ? node.text_attribute("default_string", "_Unused")
                                               : other.texts.front());
  } else if (!other.numbers.empty()) {
    values.numbers.push_back(other.numbers.front());
  } else if (ir::is_integral(values.type)) {
    values.numbers.push_back(static_cast<double>(node.integer_attribute("default_int64", -1)));
  } else {
    values.numbers.push_back(node.real_attribute("default_float", -0.0));
  }
  return {look_up(node, keys, values)};
}

/// LabelEncoder 1 and CategoryMapper 1: map texts to numbers or numbers to texts, depending on the input.
/// `texts` without numbers are numbered from 0.
Values map_between(NodeContext& node, std::vector<std::string> texts, std::vector<double> numbers) {
  if (texts.size() != numbers.size()) node.fail("texts and numbers differ in number");
  DictionarySide named{{}, std::move(texts), ElementType::string};
  DictionarySide numbered{std::move(numbers), {}, ElementType::i64};
  if (node.input(0).type() == ElementType::string) {
    numbered.numbers.push_back(static_cast<double>(node.integer_attribute("default_int64", -1)));
    return {look_up(node, named, numbered)};
  }
  named.texts.push_back(node.text_attribute("default_string", "_Unused"));
  return {look_up(node, numbered, named)};
}

Values label_encoder_1(NodeContext& node) {
  const auto texts = node.text_list("classes_strings");
  std::vector<double> numbers;
  for (std::size_t i = 0; i < texts.size(); ++i) numbers.push_back(static_cast<double>(i));
  return map_between(node, texts.unchecked(), numbers);
}

Values category_mapper_1(NodeContext& node) {
  return map_between(node, node.text_list("cats_strings").unchecked(),
                     node.real_list("cats_int64s").unchecked());
}

/// OneHotEncoder 1: a column for each category; all 0 for other values. With zeros = 0, which scikit-learn's
/// encoder has by default, onnxruntime fails for other values.
Values one_hot_encoder_1(NodeContext& node) {
  node.integer_attribute("zeros", 1);
  DictionarySide keys = words_of(node, "cats");
  Value input = node.input(0);
  // Categories are integers, and values of any type are converted to integers for the comparison.
  if (keys.type == ElementType::i64 && input.type() != ElementType::string)
    input = convert(node, input, ElementType::i64);
  return {convert(node, compare_with_keys(node, input, keys), ElementType::f32)};
}

}  // namespace

std::vector<TranslatorRow> encoder_translators() {
  return {
      {"LabelEncoder", 1, label_encoder_1},
      {"LabelEncoder", 2, label_encoder_2},
      {"CategoryMapper", 1, category_mapper_1},
      {"OneHotEncoder", 1, one_hot_encoder_1, "the error of zeros = 0: other values are all 0"},
  };
}

}  // namespace onnx2ir::frontend
