// MultiHeadAttention and DecoderMaskedMultiHeadAttention: attention over projected queries, keys and values.
#include "frontend/translators/com_microsoft/attention_parts.hpp"
#include "frontend/translators/com_microsoft/operands.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/attention_steps.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

// Both operators have these at the same places.
using Input = inputs::microsoft::MultiHeadAttention;
using Output = outputs::microsoft::MultiHeadAttention;

/// The indices of the other inputs.
struct InputIndices {
  std::size_t bias;  ///< of the projections
  std::size_t mask;
  std::size_t score_bias;  ///< added to the scores
  std::size_t past_key;
  std::size_t past_value;
  std::size_t past_length;  ///< of a past in a larger buffer
  std::size_t indirection;  ///< the beam whose cache has each key, [B, W, T]
};

template <typename Operator>
constexpr InputIndices indices_of(std::size_t mask) {
  return {.bias = Operator::bias,
          .mask = mask,
          .score_bias = Operator::attention_bias,
          .past_key = Operator::past_key,
          .past_value = Operator::past_value,
          .past_length = Operator::past_sequence_length,
          .indirection = Operator::cache_indirection};
}

using Masked = inputs::microsoft::DecoderMaskedMultiHeadAttention;
constexpr InputIndices kMultiHead = indices_of<Input>(Input::key_padding_mask);
constexpr InputIndices kDecoderMasked = indices_of<Masked>(Masked::mask_index);

/// Adds elements [first, first + size of the last axis) of the bias; both bounds are i64 [1].
Value add_bias(NodeContext& node, Value value, Value bias, Value first) {
  if (!bias) return value;
  const Value end = node.op(ops::Add, {first, dimension_of(node, value, 2)});
  return node.op(ops::Add, {value, slice(node, bias, first, end, 0)});
}

/// `packed` [B, S, N, parts, h] with the bias [parts * N * h], which may be null.
Value add_packed_bias(NodeContext& node, Value packed, Value bias, std::int64_t count, std::int64_t parts) {
  if (!bias) return packed;
  return node.op(ops::Add, {packed, transpose(node, reshape(node, bias, {parts, count, -1}), {1, 0, 2})});
}

/// Part `which` of packed heads [B, S, N, parts, h] as [B, N, S, h].
Value take_part(NodeContext& node, Value packed, std::int64_t which) {
  return transpose(node, gather(node, packed, node.integer(which), 3), {0, 2, 1, 3});
}

/// Query, key and value in one input: [B, S, N, 3, h], or [B, S, 3 * N * h].
Projections split_one_input(NodeContext& node, Value bias, std::int64_t count) {
  const Value query = node.input(Input::query);
  if (node.rank(query) == 5) {
    const Value packed = add_packed_bias(node, query, bias, count, 3);
    return {take_part(node, packed, 0), take_part(node, packed, 1), take_part(node, packed, 2)};
  }
  const ir::Dimension width = query.shape()[2];
  if (width.is_dynamic()) node.fail("the hidden size of the query must be known when the model is converted");
  const Value all = add_if_present(node, query, bias);
  const auto part = [&](std::int64_t which) {
    const std::int64_t size = width.size() / 3;
    const Value first = node.integers({which * size});
    return split_heads(node, slice(node, all, first, node.integers({(which + 1) * size}), 2), count);
  };
  return {part(0), part(1), part(2)};
}

Projections read_projections(NodeContext& node, const InputIndices& places, std::int64_t count) {
  const Value bias = node.optional_input(places.bias);
  if (!node.has_input(Input::key)) return split_one_input(node, bias, count);
  const Value query = node.input(Input::query);
  if (node.rank(query) != 3) node.fail("the query must be a batch of sequences");
  const Value key = node.input(Input::key);
  const Value hidden = dimension_of(node, query, 2);
  const Value queries = split_heads(node, add_bias(node, query, bias, node.integers({0})), count);
  switch (node.rank(key)) {
    case 3: {
      const Value keys = split_heads(node, add_bias(node, key, bias, hidden), count);
      const Value begin = node.op(ops::Add, {hidden, hidden});
      return {queries, keys, split_heads(node, add_bias(node, node.input(Input::value), bias, begin), count)};
    }
    case 4:  // from the encoder, in heads
      return {queries, key, node.input(Input::value)};
    case 5: {
      const Value others = bias ? slice(node, bias, hidden, node.integers({kFarEnd}), 0) : bias;
      const Value packed = add_packed_bias(node, key, others, count, 2);
      return {queries, take_part(node, packed, 0), take_part(node, packed, 1)};
    }
    default:
      node.fail("the key must have three, four or five dimensions");
  }
}

/// The keys of each beam: in a cache [B * W, N, T, h], element t of row b * W + w comes from row b * W +
/// origins[b, w, t].
Value gather_beams(NodeContext& node, Value cache, Value origins) {
  const Value rows = dimension_of(node, cache, 0);
  const Value length = dimension_of(node, cache, 2);
  const Value numbers = enumerate_along(node, cache, 0);
  const Value beams = dimension_of(node, origins, 1);
  const Value first = node.op(ops::Multiply, {divide(node, numbers, beams), beams});
  const Value shape = concat(node, {rows, node.integers({-1})});
  const Value places = reshape(node, convert(node, origins, ElementType::i64), shape);
  const Value relative = slice(node, places, node.integers({0}), length, 1);
  const Value absolute = node.op(ops::Add, {relative, unsqueeze(node, first, {1})});
  const Value by_time = transpose(node, cache, {2, 0, 1, 3});
  const Value chosen = gather_in_rows(node, by_time, transpose(node, absolute, {1, 0}), 1);
  return transpose(node, chosen, {1, 2, 0, 3});
}

/// The cache of input `past`, followed by `now`.
Cache extend_cache(NodeContext& node, const InputIndices& places, std::size_t past, Value now) {
  const Value length = read_optional_vector(node, places.past_length, ElementType::i64);
  Cache cache = extend_cache(node, node.input(past), length, now);
  if (node.has_input(places.indirection))
    cache.used = gather_beams(node, cache.used, node.input(places.indirection));
  return cache;
}

template <const InputIndices& kPlaces>
Values attention(NodeContext& node) {
  const std::int64_t count = node.positive_attribute("num_heads");
  const Projections all = read_projections(node, kPlaces, count);
  Cache key{all.key, all.key};
  Cache value{all.value, all.value};
  const bool is_self_attention = !node.has_input(Input::key) || node.rank(node.input(Input::key)) != 4;
  const bool has_past = node.has_input(kPlaces.past_key) && is_self_attention;
  if (has_past) {
    key = extend_cache(node, kPlaces, kPlaces.past_key, all.key);
    value = extend_cache(node, kPlaces, kPlaces.past_value, all.value);
  }
  AttentionInputs inputs{all.query, key.used, value.used};
  const Causality causality = !node.flag_attribute("unidirectional") ? Causality::none
                              : has_past                             ? Causality::to_last_key
                                                                     : Causality::from_first_key;
  read_masks(node, inputs, kPlaces.mask, kPlaces.score_bias, causality);
  inputs.scores = node.has_output(Output::qk) ? Scores::before_softmax : Scores::none;
  const AttentionOutputs outputs = attend(node, inputs);
  return {join_heads(node, outputs.mixed), key.present, value.present, outputs.scores};
}

}  // namespace

std::vector<TranslatorRow> microsoft_multi_head_attention_translators() {
  constexpr std::string_view kIgnored = "past_present_share_buffer output_qk";
  return {
      {"MultiHeadAttention", 1, attention<kMultiHead>},
      {"DecoderMaskedMultiHeadAttention", 1, attention<kDecoderMasked>, {}, kIgnored},
  };
}

}  // namespace onnx2ir::frontend
