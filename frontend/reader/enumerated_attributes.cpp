#include "frontend/reader/enumerated_attributes.hpp"

#include <algorithm>

namespace onnx2ir::frontend {
namespace {

struct Row {
  std::string_view operators;
  std::string_view attribute;
  std::string_view words;
};

constexpr Row kRows[] = {
    {"BitShift", "direction", "LEFT RIGHT"},
    {"DepthToSpace SpaceToDepth", "mode", "DCR CRD"},
    {"GRU LSTM RNN", "direction", "forward reverse bidirectional"},
    {"Gelu", "approximate", "none tanh"},
    {"GridSample", "mode", "bilinear nearest bicubic linear cubic"},
    {"GridSample", "padding_mode", "zeros border reflection"},
    {"LinearClassifier LinearRegressor SVMClassifier SVMRegressor TreeEnsembleClassifier "
     "TreeEnsembleRegressor",
     "post_transform", "NONE SOFTMAX LOGISTIC SOFTMAX_ZERO PROBIT"},
    {"NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss", "reduction", "none mean sum"},
    {"Normalizer", "norm", "MAX L1 L2"},
    {"Pad", "mode", "constant reflect edge wrap"},
    {"Resize", "coordinate_transformation_mode",
     "half_pixel half_pixel_symmetric pytorch_half_pixel align_corners asymmetric tf_half_pixel_for_nn "
     "tf_crop_and_resize"},
    {"Resize", "keep_aspect_ratio_policy", "stretch not_larger not_smaller"},
    {"Resize", "nearest_mode", "round_prefer_floor round_prefer_ceil floor ceil"},
    {"RoiAlign", "mode", "avg max"},
    {"SVMClassifier SVMRegressor", "kernel_type", "LINEAR POLY RBF SIGMOID"},
    {"ScatterElements ScatterND", "reduction", "none add mul max min"},
    {"StringNormalizer", "case_change_action", "NONE LOWER UPPER"},
    {"TfIdfVectorizer", "mode", "TF IDF TFIDF"},
    {"TreeEnsembleRegressor", "aggregate_function", "AVERAGE SUM MIN MAX"},
};

/// Attributes that are 0 or 1 in each operator that has them.
constexpr std::string_view kFlags =
    "align_corners allowzero antialias batch_axis broadcast ceil_mode center_point_box count_include_pad "
    "detect_negative detect_positive exclude_outside exclusive fmod input_forget interleaved inverse "
    "is_case_sensitive is_causal is_test keepdims largest layout linear_before_reset multi_class new_axis "
    "noop_with_empty_axes one_class onesided periodic reverse saturate select_last_index sorted spatial "
    "storage_order time_axis training_mode transA transB upper zeros";

}  // namespace

bool is_flag(std::string_view name) {
  return is_word_of(kFlags, name);
}

std::string_view accepted_words(std::string_view op_type, std::string_view name) {
  const auto* const row = std::ranges::find_if(kRows, [&](const Row& entry) {
    return entry.attribute == name && is_word_of(entry.operators, op_type);
  });
  return row == std::end(kRows) ? std::string_view{} : row->words;
}

bool is_word_of(std::string_view words, std::string_view text) {
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    if (word == text) return true;
    words.remove_prefix(std::min(words.size(), word.size() + 1));
  }
  return false;
}

}  // namespace onnx2ir::frontend
