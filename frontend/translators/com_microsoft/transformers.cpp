// Operators that onnxruntime's optimizer emits for transformers: activations with a bias, normalisations of a
// sum, embeddings.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "base/portable_math.hpp"
#include "frontend/translators/com_microsoft/operands.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/quantized_numbers.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

Value gelu(NodeContext& node, Value x, std::string_view mode) {
  return node.op(ops::Gelu, {x}, {{"approximation_mode", std::string(mode)}});
}

Values exact_gelu(NodeContext& node) {
  return {gelu(node, node.input(0), "ERF")};
}

Values bias_gelu(NodeContext& node) {
  return {gelu(node, node.op(ops::Add, {node.input(0), node.input(1)}), "ERF")};
}

Values fast_gelu(NodeContext& node) {
  return {gelu(node, add_if_present(node, node.input(0), node.optional_input(1)), "TANH")};
}

/// x * sigmoid(alpha * x).
Values quick_gelu(NodeContext& node) {
  const Value x = node.input(0);
  return {node.op(ops::Swish, {x, node.number_like(node.real_attribute("alpha", 1.702F), x)})};
}

/// Values normalised over the last axis in f32, and the factors of the normalisation.
struct Normalized {
  Value y;
  Value mean;
  Value inverse_deviation;
};

Normalized normalize_rows(NodeContext& node, Value input, Value scale, Value bias, double epsilon,
                          bool centred) {
  const ElementType type = scale.type();
  const Value axes = node.integers({node.rank(input) - 1});
  const Value x = convert(node, input, ElementType::f32);
  Normalized result;
  result.mean = reduce_over(node, ops::ReduceMean, x, axes, true);
  if (centred) {
    result.y = normalize_over(node, x, axes, epsilon);
    const Value distance = node.op(ops::Subtract, {x, result.mean});
    result.inverse_deviation = compute_inverse_rms(node, distance, axes, epsilon);
  } else {
    result.inverse_deviation = compute_inverse_rms(node, x, axes, epsilon);
    result.y = node.op(ops::Multiply, {x, result.inverse_deviation});
  }
  result.y = node.op(ops::Multiply, {convert(node, result.y, type), scale});
  if (bias) result.y = node.op(ops::Add, {result.y, convert(node, bias, type)});
  return result;
}

/// SkipLayerNormalization, SkipSimplifiedLayerNormalization: normalises the sum of input, skip and bias,
/// which is also an output. The simplified one does not subtract the mean and has no beta.
template <std::size_t kBias, bool kIsCentred>
Values normalize_sum(NodeContext& node) {
  using Input = inputs::microsoft::SkipLayerNormalization;
  const Value both = node.op(ops::Add, {node.input(Input::input), node.input(Input::skip)});
  const Value sum = add_if_present(node, both, node.optional_input(kBias));
  const Value beta = kIsCentred ? node.optional_input(Input::beta) : Value{};
  const Normalized result = normalize_rows(node, sum, node.input(Input::gamma), beta,
                                           node.real_attribute("epsilon", 1e-12F), kIsCentred);
  return {result.y, result.mean, result.inverse_deviation, sum};
}

/// Normalises the sum of the embeddings [B, S, D], and counts the unmasked words of each sentence.
Values normalize_embeddings(NodeContext& node, Value sum, Value gamma, Value beta, Value mask) {
  const Normalized result =
      normalize_rows(node, sum, gamma, beta, node.real_attribute("epsilon", 1e-12F), true);
  Value counts;
  if (mask) {
    const Value ones =
        convert(node, node.op(ops::Equal, {mask, node.number_like(1, mask)}), ElementType::i32);
    counts = reduce(node, ops::ReduceSum, ones, {1});
  } else {
    counts = fill(node, 0, ElementType::i32, dimension_of(node, sum, 0));
  }
  return {result.y, counts, sum};
}

/// 0, 1, 2 ... for the words of a sentence.
Value enumerate_words(NodeContext& node, Value ids) {
  if (node.rank(ids) != 2) node.fail("the words must be a batch of vectors");
  return enumerate_along(node, ids, 1);
}

/// EmbedLayerNormalization: the sum of word, position and segment embeddings, normalised.
Values embed_layer_normalization(NodeContext& node) {
  using Input = inputs::microsoft::EmbedLayerNormalization;
  const Value ids = node.input(Input::input_ids);
  const Value positions =
      node.has_input(Input::position_ids) ? node.input(Input::position_ids) : enumerate_words(node, ids);
  Value sum = node.op(ops::Add, {gather(node, node.input(Input::word_embedding), ids),
                                 gather(node, node.input(Input::position_embedding), positions)});
  if (node.has_input(Input::segment_embedding))
    sum = node.op(ops::Add,
                  {sum, gather(node, node.input(Input::segment_embedding), node.input(Input::segment_ids))});
  return normalize_embeddings(node, sum, node.input(Input::gamma), node.input(Input::beta),
                              node.optional_input(Input::mask));
}

/// QEmbedLayerNormalization: the tables are integers, followed by their scales and zero points.
Values quantized_embed_layer_normalization(NodeContext& node) {
  using Input = inputs::microsoft::QEmbedLayerNormalization;
  const auto numbers = [&](Value integers, std::size_t scale, std::size_t zero_point) {
    const Value x = subtract_zero_point(node, integers, node.input(zero_point));
    return node.op(ops::Multiply, {x, node.input(scale)});
  };
  const Value ids = node.input(Input::input_ids);
  const Value words = numbers(gather(node, node.input(Input::word_embedding_quant), ids),
                              Input::word_embedding_scale, Input::word_embedding_zero_point);
  const Value places =
      numbers(gather(node, node.input(Input::position_embedding_quant), enumerate_words(node, ids)),
              Input::position_embedding_scale, Input::position_embedding_zero_point);
  Value sum = node.op(ops::Add, {words, places});
  if (node.has_input(Input::segment_embedding)) {
    const Value rows = gather(node, node.input(Input::segment_embedding), node.input(Input::segment_ids));
    sum = node.op(ops::Add,
                  {sum, numbers(rows, Input::segment_embedding_scale, Input::segment_embedding_zero_point)});
  }
  const Value gamma = numbers(node.input(Input::gamma_quant), Input::gamma_scale, Input::gamma_zero_point);
  const Value beta = numbers(node.input(Input::beta_quant), Input::beta_scale, Input::beta_zero_point);
  Values outputs = normalize_embeddings(node, sum, gamma, beta, node.optional_input(Input::mask));
  outputs.pop_back();
  return outputs;
}

constexpr std::int64_t kLongestDistance = 1 << 20;

/// The bucket of each distance from 0 to `longest`, as T5 groups them: half of the buckets hold one distance
/// each, the others hold logarithmic steps.
std::vector<std::int64_t> buckets_of_distances(std::int64_t buckets, std::int64_t longest) {
  const std::int64_t exact = buckets / 2;
  const auto logarithm = [&](std::int64_t distance) {
    return base::natural_logarithm(static_cast<float>(distance) / static_cast<float>(exact));
  };
  std::vector<std::int64_t> result;
  for (std::int64_t distance = 0; distance <= longest; ++distance) {
    const float part = distance < exact ? 0.0F : logarithm(distance) / logarithm(longest);
    const auto steps = static_cast<std::int64_t>(part * static_cast<float>(buckets - exact));
    result.push_back(distance < exact ? distance : std::min(exact + steps, buckets - 1));
  }
  return result;
}

/// RelativePositionBias: [1, heads, queries, keys] from a row of the table for each distance between them.
/// The table [buckets, heads] is stored by columns.
Values relative_position_bias(NodeContext& node) {
  using Input = inputs::microsoft::RelativePositionBias;
  const Value table = node.input(Input::bias_table);
  const auto sizes = table.shape().sizes();
  if (!sizes || sizes->size() != 2)
    node.fail("the shape of bias_table must be known when the model is converted");
  const bool is_bidirectional = node.flag_attribute("is_bidirectional");
  const std::int64_t all = sizes->front();
  const std::int64_t buckets = is_bidirectional ? all / 2 : all;
  const std::int64_t longest = node.integer_attribute("max_distance");
  if (buckets < 2 || longest <= buckets / 2 || longest > kLongestDistance)
    node.fail("max_distance does not fit to " + std::to_string(all) + " buckets");
  const std::vector<std::int64_t> of_distance = buckets_of_distances(buckets, longest);
  std::vector<std::int64_t> of_offset;
  for (std::int64_t offset = -longest; offset <= longest; ++offset) {
    const std::int64_t bucket = of_distance[static_cast<std::size_t>(std::abs(offset))];
    of_offset.push_back(is_bidirectional && offset > 0 ? buckets + bucket : bucket);
  }
  const Value by_bucket = reshape_constant(node, table, {sizes->back(), all});
  const Value by_offset = gather(node, by_bucket, node.integers(of_offset), 1);
  const auto positions = [&](std::size_t index, std::string_view what) {
    return emit_range(node, require_scalar(node, convert(node, node.input(index), ElementType::i64), what));
  };
  const Value queries = unsqueeze(node, positions(Input::query_length, "query_length"), {1});
  const Value offsets = node.op(ops::Subtract, {positions(Input::key_length, "key_length"), queries});
  const Value bounded = node.op(
      ops::Maximum, {node.op(ops::Minimum, {offsets, node.integer(longest)}), node.integer(-longest)});
  const Value places = node.op(ops::Add, {bounded, node.integer(longest)});
  return {unsqueeze(node, gather(node, by_offset, places, 1), {0})};
}

}  // namespace

std::vector<TranslatorRow> microsoft_transformer_translators() {
  using Skip = inputs::microsoft::SkipLayerNormalization;
  using SkipSimplified = inputs::microsoft::SkipSimplifiedLayerNormalization;
  return {
      {"Gelu", 1, exact_gelu},
      {"BiasGelu", 1, bias_gelu},
      {"FastGelu", 1, fast_gelu},
      {"QuickGelu", 1, quick_gelu},
      {"SkipLayerNormalization", 1, normalize_sum<Skip::bias, true>},
      {"SkipSimplifiedLayerNormalization", 1, normalize_sum<SkipSimplified::bias, false>},
      {"EmbedLayerNormalization", 1, embed_layer_normalization, {}, "mask_index_type"},
      {"QEmbedLayerNormalization", 1, quantized_embed_layer_normalization},
      {"RelativePositionBias", 1, relative_position_bias},
  };
}

}  // namespace onnx2ir::frontend
