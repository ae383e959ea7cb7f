// ai.onnx.ml: preprocessing: scaling, imputing, selecting and joining features.
#include <cmath>

#include "frontend/translators/ai_onnx_ml/classification.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"

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

/// Normalizer 1: divides each sample by its norm, unless that is 0.
Values normalizer_1(NodeContext& node) {
  const Value input = convert(node, node.input(0), ElementType::f32);
  const std::string norm = node.text_attribute("norm", "MAX");
  const Value last = node.integers({-1});
  Value size;
  if (norm == "MAX") {
    // Not of the absolute values: the specification and onnxruntime divide by the largest number.
    size = reduce_over(node, ops::ReduceMax, input, last, true);
  } else if (norm == "L1") {
    size = reduce_over(node, ops::ReduceSum, node.op(ops::Abs, {input}), last, true);
  } else if (norm == "L2") {
    const Value square =
        reduce_over(node, ops::ReduceSum, node.op(ops::Multiply, {input, input}), last, true);
    size = node.op(ops::Sqrt, {square});
  } else {
    node.fail("norm '" + norm + "' does not exist");
  }
  const Value empty = node.op(ops::Equal, {size, node.number_like(0, size)});
  return {divide(node, input, node.op(ops::Select, {empty, node.number_like(1, size), size}))};
}

/// Imputer 1: replaces one value (possibly NaN) by another one, for all features or per feature.
Values imputer_1(NodeContext& node) {
  const Value input = node.input(0);
  const bool of_integers = ir::is_integral(input.type());
  std::vector<double> imputed;
  double replaced = 0;
  if (of_integers) {
    imputed = node.real_list("imputed_value_int64s").unchecked();
    replaced = static_cast<double>(node.integer_attribute("replaced_value_int64", 0));
  } else {
    imputed = node.real_list("imputed_value_floats").unchecked();
    replaced = node.real_attribute("replaced_value_float", 0.0);
  }
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

}  // namespace

std::vector<TranslatorRow> preprocessing_translators() {
  return {
      {"Scaler", 1, scaler_1},
      {"Normalizer", 1, normalizer_1},
      {"Imputer", 1, imputer_1},
      {"Binarizer", 1, binarizer_1},
      {"ArrayFeatureExtractor", 1, array_feature_extractor_1},
      {"FeatureVectorizer", 1, feature_vectorizer_1},
      {"ZipMap", 1, zip_map_1, "dropped: the output is the matrix of scores"},
  };
}

}  // namespace onnx2ir::frontend
