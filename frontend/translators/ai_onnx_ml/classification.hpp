// Helpers for the translators of ai.onnx.ml: matrices of features, transforms of scores, labels of classes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// Input `index` as an f32 matrix [samples, features]; a vector is one sample.
Value read_feature_matrix(NodeContext& node, std::size_t index = 0);

/// The elements of the tensor in an attribute.
std::vector<double> tensor_numbers(NodeContext& node, std::string_view attribute);

/// The transform of scores to the output: the attribute post_transform.
enum class PostTransform : std::uint8_t { none, softmax, logistic, softmax_zero, probit };
/// From its name ("SOFTMAX").
PostTransform post_transform_of(NodeContext& node);
/// Applies `transform` to scores [samples, classes].
Value apply_post_transform(NodeContext& node, Value scores, PostTransform transform);

/// Labels of classes: numbers or strings.
struct Labels {
  std::vector<std::int64_t> numbers;
  std::vector<std::string> strings;
  std::size_t size() const { return numbers.size() + strings.size(); }
};
/// The labels in the attributes `numbers` and `strings`.
Labels labels_of(NodeContext& node, std::string_view numbers, std::string_view strings);
/// The labels of the classes at `index` (any shape).
Value gather_label(NodeContext& node, const Labels& labels, Value index);
/// The index of the highest of scores [samples, classes]; the first one if several are equal.
Value find_best_class(NodeContext& node, Value scores);

}  // namespace onnx2ir::frontend
