#include "frontend/reader/enumerated_attributes.hpp"

#include <algorithm>

namespace onnx2ir::frontend {
namespace {

struct Row {
  std::string_view op_type;
  std::string_view attribute;
  std::string_view words;
};

constexpr std::string_view kBlocks = "DCR CRD";
constexpr std::string_view kDirections = "forward reverse bidirectional";
constexpr std::string_view kTransforms = "NONE SOFTMAX LOGISTIC SOFTMAX_ZERO PROBIT";
constexpr std::string_view kKernels = "LINEAR POLY RBF SIGMOID";
constexpr std::string_view kUpdates = "none add mul max min";
constexpr std::string_view kLosses = "none mean sum";
constexpr std::string_view kAggregates = "AVERAGE SUM MIN MAX";

constexpr Row kRows[] = {
    {"BitShift", "direction", "LEFT RIGHT"},
    {"DepthToSpace", "mode", kBlocks},
    {"GRU", "direction", kDirections},
    {"Gelu", "approximate", "none tanh"},
    {"GridSample", "mode", "bilinear nearest bicubic linear cubic"},
    {"GridSample", "padding_mode", "zeros border reflection"},
    {"LSTM", "direction", kDirections},
    {"LinearClassifier", "post_transform", kTransforms},
    {"LinearRegressor", "post_transform", kTransforms},
    {"NegativeLogLikelihoodLoss", "reduction", kLosses},
    {"Normalizer", "norm", "MAX L1 L2"},
    {"Pad", "mode", "constant reflect edge wrap"},
    {"RNN", "direction", kDirections},
    {"Resize", "coordinate_transformation_mode",
     "half_pixel half_pixel_symmetric pytorch_half_pixel align_corners asymmetric tf_half_pixel_for_nn "
     "tf_crop_and_resize"},
    {"Resize", "keep_aspect_ratio_policy", "stretch not_larger not_smaller"},
    {"Resize", "nearest_mode", "round_prefer_floor round_prefer_ceil floor ceil"},
    {"RoiAlign", "mode", "avg max"},
    {"SVMClassifier", "kernel_type", kKernels},
    {"SVMClassifier", "post_transform", kTransforms},
    {"SVMRegressor", "kernel_type", kKernels},
    {"SVMRegressor", "post_transform", kTransforms},
    {"ScatterElements", "reduction", kUpdates},
    {"ScatterND", "reduction", kUpdates},
    {"SoftmaxCrossEntropyLoss", "reduction", kLosses},
    {"SpaceToDepth", "mode", kBlocks},
    {"StringNormalizer", "case_change_action", "NONE LOWER UPPER"},
    {"TfIdfVectorizer", "mode", "TF IDF TFIDF"},
    {"TreeEnsembleClassifier", "post_transform", kTransforms},
    {"TreeEnsembleRegressor", "aggregate_function", kAggregates},
    {"TreeEnsembleRegressor", "post_transform", kTransforms},
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
  const auto* const row = std::ranges::find_if(
      kRows, [&](const Row& entry) { return entry.op_type == op_type && entry.attribute == name; });
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
