// Preprocessing of ai.onnx.ml: scaling, imputing, encoding, selecting and joining features.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "frontend/reader/onnx_proto.hpp"
#include "frontend/translators/ai_onnx_ml/classification.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/table_search.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// Numbers for the last axis of `like`: one for all features, or one per feature.
Value emit_per_feature(NodeContext& node, std::span<const double> values, ElementType type) {
  return values.size() == 1 ? node.number(values.front(), type) : node.numbers(values, type);
}

/// Scaler 1: (x - offset) * scale.
Values scaler_1(NodeContext& node) {
  Value result = convert(node, node.input(0), ElementType::f32);
  const auto offset = node.real_list("offset");
  const auto scale = node.real_list("scale");
  if (!offset.empty())
    result = node.op(ops::Subtract, {result, emit_per_feature(node, offset, ElementType::f32)});
  if (!scale.empty())
    result = node.op(ops::Multiply, {result, emit_per_feature(node, scale, ElementType::f32)});
  return {result};
}

/// The norm of each sample.
Value norm_of(NodeContext& node, Value x) {
  const std::string norm = node.text_attribute("norm", "MAX");
  const Value last = node.integers({-1});
  // Not of the absolute values: the specification and onnxruntime divide by the largest number.
  if (norm == "MAX") return reduce_over(node, ops::ReduceMax, x, last, true);
  if (norm == "L1") return reduce_over(node, ops::ReduceSum, node.op(ops::Abs, {x}), last, true);
  if (norm != "L2") node.fail("norm '" + norm + "' does not exist");
  const Value square = node.op(ops::Multiply, {x, x});
  return node.op(ops::Sqrt, {reduce_over(node, ops::ReduceSum, square, last, true)});
}

/// Normalizer 1: divides each sample by its norm, unless that is 0.
Values normalizer_1(NodeContext& node) {
  const Value input = convert(node, node.input(0), ElementType::f32);
  const Value size = norm_of(node, input);
  const Value empty = node.op(ops::Equal, {size, node.number_like(0, size)});
  return {divide(node, input, node.op(ops::Select, {empty, node.number_like(1, size), size}))};
}

/// Imputer 1: replaces one value (possibly NaN) by another one, for all features or per feature.
Values imputer_1(NodeContext& node) {
  const Value input = node.input(0);
  const bool of_integers = ir::is_integral(input.type());
  const auto imputed = node.real_list(of_integers ? "imputed_value_int64s" : "imputed_value_floats");
  const double replaced = of_integers ? static_cast<double>(node.integer_attribute("replaced_value_int64", 0))
                                      : node.real_attribute("replaced_value_float", 0.0);
  if (imputed.empty()) node.fail("there is no imputed value of the input's type");
  const Value found = std::isnan(replaced) ? node.op(ops::IsNaN, {input})
                                           : node.op(ops::Equal, {input, node.number_like(replaced, input)});
  return {node.op(ops::Select, {found, emit_per_feature(node, imputed, input.type()), input})};
}

/// Binarizer 1: 1 above the threshold, else 0.
Values binarizer_1(NodeContext& node) {
  const Value input = node.input(0);
  const double threshold = node.real_attribute("threshold", 0.0);
  const Value border =
      node.number_like(ir::is_integral(input.type()) ? std::floor(threshold) : threshold, input);
  const Value above = node.op(ops::Greater, {input, border});
  return {convert(node, above, input.type())};
}

/// ArrayFeatureExtractor 1: selects columns by index. A vector is one row.
Values array_feature_extractor_1(NodeContext& node) {
  Value input = node.input(0);
  Value columns = node.input(1);
  if (node.rank(columns) != 1) columns = flatten(node, columns);
  if (node.rank(input) == 1) input = unsqueeze(node, input, {0});
  return {gather(node, input, columns, node.rank(input) - 1)};
}

/// FeatureVectorizer 1: concatenates the features of all inputs.
Values feature_vectorizer_1(NodeContext& node) {
  const auto widths = node.integer_list("inputdimensions");
  if (node.input_count() == 0) node.fail("it has no inputs");
  Values parts;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    Value part = read_feature_matrix(node, i);
    if (i < widths.size()) {
      if (widths[i] < 0) node.fail("inputdimensions must not be negative");
      // Truncates or pads with zeros to the declared width.
      const Value none = node.integers({0, 0});
      const Value extended = pad_with(node, part, none, node.integers({0, widths[i]}));
      part = slice(node, extended, 0, widths[i], 1);
    }
    parts.push_back(part);
  }
  return {concat(node, parts, 1)};
}

/// ZipMap 1 returns a list of maps from column names to values. OpenVINO has no maps: the output is the
/// matrix itself.
Values zip_map_1(NodeContext& node) {
  node.warn(DiagnosticCode::zipmap_dropped,
            "ZipMap is dropped: its output is the matrix of scores, a column for each class");
  return {node.input(0)};
}

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
  const auto numbers = [&](const char* suffix) { return node.real_list(prefix + suffix).unchecked(); };
  if (node.has_attribute(prefix + "_int64s")) return {numbers("_int64s"), {}, ElementType::i64};
  if (node.has_attribute(prefix + "_floats")) return {numbers("_floats"), {}, ElementType::f32};
  if (!node.has_attribute(prefix + "_strings")) return {};
  return {{}, node.text_list(prefix + "_strings").unchecked(), ElementType::string};
}

void require_keys_of_input_type(NodeContext& node, Value input, const DictionarySide& keys) {
  if (keys.size() == 0) node.fail("there are no keys");
  if ((input.type() == ElementType::string) != (keys.type == ElementType::string))
    node.fail("the keys are not of the input's type");
}

/// The index of each element in `keys`, or their number if it is not a key.
Value find_place(NodeContext& node, Value input, const DictionarySide& keys) {
  require_keys_of_input_type(node, input, keys);
  if (keys.type == ElementType::string) return find_texts(node, input, keys.texts);
  // From version 4 on NaN is a valid key.
  return find_numbers(node, input, keys.numbers, node.opset() >= 4);
}

/// Looks up input 0 in `keys` and returns the value at the same index. `values` has one element more, for
/// elements that are not keys.
Value look_up(NodeContext& node, const DictionarySide& keys, const DictionarySide& values) {
  const Value place = find_place(node, node.input(0), keys);
  if (values.type == ElementType::string) return gather_texts(node, values.texts, place);
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

/// For each key, the index of the first one that equals it.
std::vector<double> first_places(const std::vector<std::string>& keys) {
  std::map<std::string_view, double> first;
  std::vector<double> places;
  places.reserve(keys.size());
  for (const std::string& key : keys)
    places.push_back(first.emplace(key, static_cast<double>(places.size())).first->second);
  return places;
}

/// OneHotEncoder 1: a column for each category, the last one if it is repeated; all 0 for other values. With
/// zeros = 0, which scikit-learn's encoder has by default, onnxruntime fails for other values.
Values one_hot_encoder_1(NodeContext& node) {
  node.integer_attribute("zeros", 1);
  const DictionarySide keys = words_of(node, "cats");
  Value input = node.input(0);
  require_keys_of_input_type(node, input, keys);
  const bool are_texts = keys.type == ElementType::string;
  // Categories are integers, and values of any type are converted to integers for the comparison.
  input = are_texts ? find_place(node, input, keys) : convert(node, input, ElementType::i64);
  const std::vector<double> columns = are_texts ? first_places(keys.texts) : keys.numbers;
  const Value same = compare_numbers(node, unsqueeze(node, input, {node.rank(input)}), columns);
  const Value encoded = convert(node, same, ElementType::f32);
  std::set<double> later;
  std::vector<double> is_last(columns.size());
  for (std::size_t i = columns.size(); i-- > 0;) is_last[i] = later.insert(columns[i]).second ? 1 : 0;
  if (later.size() == columns.size()) return {encoded};
  return {node.op(ops::Multiply, {encoded, node.numbers(is_last, ElementType::f32)})};
}

}  // namespace

std::vector<TranslatorRow> preprocessing_translators() {
  return {
      {"Scaler", 1, scaler_1},
      {"Normalizer", 1, normalizer_1},
      {"Imputer", 1, imputer_1},
      {"Binarizer", 1, binarizer_1},
      {"ArrayFeatureExtractor", 1, array_feature_extractor_1},
      {"FeatureVectorizer", 1, feature_vectorizer_1},
      {"LabelEncoder", 1, label_encoder_1},
      {"LabelEncoder", 2, label_encoder_2},
      {"CategoryMapper", 1, category_mapper_1},
      {"OneHotEncoder", 1, one_hot_encoder_1, "the error of zeros = 0: other values are all 0"},
      {"ZipMap", 1, zip_map_1, "dropped: the output is the matrix of scores"},
  };
}

}  // namespace onnx2ir::frontend
