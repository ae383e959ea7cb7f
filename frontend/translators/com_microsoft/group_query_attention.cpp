// GroupQueryAttention: causal attention with a cache, in which several query heads share a key head.
#include "frontend/translators/com_microsoft/attention_parts.hpp"
#include "frontend/translators/com_microsoft/masked_cache.hpp"
#include "frontend/translators/com_microsoft/operands.hpp"
#include "frontend/translators/com_microsoft/rotation.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/attention_steps.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

using Input = inputs::microsoft::GroupQueryAttention;
using Output = outputs::microsoft::GroupQueryAttention;

Projections split_inputs(NodeContext& node, std::int64_t queries, std::int64_t keys) {
  const Value query = node.input(Input::query);
  if (node.rank(query) != 3) node.fail("the query must be a batch of sequences");
  if (node.has_input(Input::key))
    return {split_heads(node, query, queries), split_heads(node, node.input(Input::key), keys),
            split_heads(node, node.input(Input::value), keys)};
  const Value all = split_heads(node, query, queries + 2 * keys);
  const auto part = [&](std::int64_t first, std::int64_t end) { return slice(node, all, first, end, 1); };
  return {part(0, queries), part(queries, queries + keys), part(queries + keys, queries + 2 * keys)};
}

/// The number of keys of each row of the batch, i64 [B].
struct Lengths {
  Value past;       ///< before the first query
  Value total;      ///< with the keys of all queries
  Value first_new;  ///< the position of the first new key
  Value longest;    ///< total_sequence_length, i64 [1]
  Value is_prompt;  ///< boolean [1]: the queries have no past; null if query_seqlens gives the past
};

Lengths compute_lengths(NodeContext& node, const Projections& heads) {
  Lengths lengths;
  const Value last = flatten(node, convert(node, node.input(Input::seqlens_k), ElementType::i64));
  lengths.total = node.op(ops::Add, {last, node.integer(1)});
  lengths.longest = read_vector(node, Input::total_sequence_length, ElementType::i64);
  if (node.has_input(Input::query_seqlens)) {
    // Queries beyond these, and their keys, are padding at the end of a row.
    const Value queries = flatten(node, convert(node, node.input(Input::query_seqlens), ElementType::i64));
    lengths.past = node.op(ops::Subtract, {lengths.total, queries});
    lengths.first_new = lengths.past;
    return lengths;
  }
  const Value count = dimension_of(node, heads.query, 2);
  // If there are as many queries as keys, there is no past, and shorter rows are padded at the end.
  lengths.is_prompt = node.op(ops::Equal, {count, lengths.longest});
  lengths.past = node.op(
      ops::Select, {lengths.is_prompt, node.integers({0}), node.op(ops::Subtract, {lengths.total, count})});
  lengths.first_new = lengths.past;
  if (heads.key.shape()[2].is_dynamic() || heads.key.shape()[2] != heads.query.shape()[2]) {
    const Value others = node.op(ops::Subtract, {count, dimension_of(node, heads.key, 2)});
    lengths.first_new = node.op(ops::Add, {lengths.past, others});
  }
  return lengths;
}

/// The positions of the queries in their row, [B, S].
Value compute_query_positions(NodeContext& node, const Projections& heads, const Lengths& lengths) {
  return node.op(ops::Add, {unsqueeze(node, lengths.past, {1}), enumerate_along(node, heads.query, 2)});
}

/// The positions for the rotation, [B or 1, S], instead of `positions` in the row: position_ids if given.
Value compute_rotary_positions(NodeContext& node, const Projections& heads, const Lengths& lengths,
                               Value positions) {
  if (!node.has_input(Input::position_ids)) return positions;
  // The positions of a prompt follow the first one.
  const Value given = convert(node, node.input(Input::position_ids), ElementType::i64);
  if (!lengths.is_prompt) return given;
  const Value first = slice(node, flatten(node, given), 0, 1, 0);
  const Value prompt = node.op(ops::Add, {first, enumerate_along(node, heads.query, 2)});
  return node.op(ops::Select, {lengths.is_prompt, unsqueeze(node, prompt, {0}), given});
}

void rotate(NodeContext& node, Projections& heads, Value positions) {
  if (!node.has_input(Input::cos_cache) || !node.has_input(Input::sin_cache))
    node.fail("do_rotary needs cos_cache and sin_cache");
  const Rotation rotation = gather_rotation(node, node.input(Input::cos_cache), node.input(Input::sin_cache),
                                            positions, node.flag_attribute("rotary_interleaved"));
  heads.query = rotate_heads(node, heads.query, rotation);
  // There are no new keys if the past has all of them already, because another layer has added them.
  if (heads.key.shape()[2] != 0) heads.key = rotate_heads(node, heads.key, rotation);
}

/// The origin of each element of the new cache in [past, new, zero]: i64 [B, T].
Value compute_cache_origins(NodeContext& node, Value past, Value now, const Lengths& lengths) {
  const Value size = dimension_of(node, past, 2);
  const Value count = dimension_of(node, now, 2);
  const Value total = node.op(ops::Maximum, {size, lengths.longest});
  const Value keys = emit_range(node, squeeze(node, total, {0}));
  const Value begin = unsqueeze(node, lengths.first_new, {1});
  const Value own = node.op(ops::Subtract, {keys, begin});
  const Value zero = node.op(ops::Add, {size, count});
  const Value added =
      node.op(ops::Select, {node.op(ops::Less, {own, count}), node.op(ops::Add, {own, size}), zero});
  return node.op(ops::Select, {node.op(ops::Less, {keys, begin}), keys, added});
}

/// The past up to the length of each row, then the new keys, then zeros: [B, K, T, h].
Value gather_cache(NodeContext& node, Value past, Value now, Value origins) {
  const auto size = [&](std::int64_t axis) { return dimension_of(node, now, axis); };
  const Value zero = fill(node, 0, now.type(), concat(node, {size(0), size(1), node.integers({1}), size(3)}));
  const Value all = concat(node, {past, now, zero}, 2);
  return gather_in_rows(node, all, origins, 2);
}

/// Which keys are visible, [B, 1, S, T]. `keys`: their positions [T] or [B, 1, 1, T].
Value find_seen_keys(NodeContext& node, const Lengths& lengths, Value keys, Value positions) {
  const Value total = unsqueeze(node, lengths.total, {1, 2, 3});
  if (!node.flag_attribute("causal", true)) return node.op(ops::Less, {keys, total});
  // Queries after the end of a row do not see more keys than its last query.
  const Value last = node.op(ops::Subtract, {total, node.integer(1)});
  const Value own = unsqueeze(node, positions, {1, 3});
  const Value is_past = node.op(ops::LessEqual, {keys, node.op(ops::Minimum, {own, last})});
  const std::int64_t window = node.integer_attribute("local_window_size", -1);
  if (window < 1) return is_past;
  // Each query sees a key, because the Softmax of a fully masked row is NaN.
  const Value before = node.op(ops::Minimum, {node.op(ops::Subtract, {own, node.integer(window)}),
                                              node.op(ops::Subtract, {last, node.integer(1)})});
  return node.op(ops::LogicalAnd, {is_past, node.op(ops::Greater, {keys, before})});
}

Scores requested_scores(NodeContext& node) {
  const std::int64_t output = node.integer_attribute("qk_output", 0);
  if (output == 0 || !node.has_output(Output::output_qk)) return Scores::none;
  return output == 1 ? Scores::before_softmax : Scores::after_softmax;
}

/// x / sqrt(mean(x * x) + epsilon) * weight over the last axis. `own_epsilon`: the attribute for queries or
/// keys alone.
Value normalize_heads(NodeContext& node, Value x, Value weight, std::string_view own_epsilon) {
  const double epsilon = node.real_attribute(own_epsilon, node.real_attribute("qk_norm_epsilon", 1e-6F));
  return node.op(ops::Multiply, {normalize_by_rms(node, x, epsilon), weight});
}

/// Attention with the attributes of the node. Each head of keys serves `group` heads of queries.
AttentionOutputs attend_in_groups(NodeContext& node, AttentionInputs inputs, std::int64_t group) {
  inputs.key = repeat_heads(node, inputs.key, group);
  inputs.value = repeat_heads(node, inputs.value, group);
  inputs.scale = scale_of(node);
  inputs.softcap = node.real_attribute("softcap", 0);
  inputs.sinks = node.optional_input(Input::head_sink);
  if (!inputs.sinks && node.integer_attribute("smooth_softmax", 0) == 1) {
    const std::vector<double> zeros(static_cast<std::size_t>(node.integer_attribute("num_heads")), 0.0);
    inputs.sinks = node.numbers(zeros, inputs.query.type());
  }
  return attend(node, inputs);
}

Values attend_with_masked_cache(NodeContext& node, Projections heads, const MaskedTokens& tokens,
                                std::int64_t group) {
  if (node.flag_attribute("do_rotary")) {
    const Value given = node.optional_input(Input::position_ids);
    rotate(node, heads,
           given ? convert(node, given, ElementType::i64) : compute_query_positions(node, tokens));
  }
  heads.key = append_to_cache(node, node.input(Input::past_key), heads.key);
  heads.value = append_to_cache(node, node.input(Input::past_value), heads.value);
  AttentionInputs inputs{.query = heads.query, .key = heads.key, .value = heads.value};
  inputs.seen = find_seen_keys(node, tokens, node.integer_attribute("local_window_size", -1));
  return {join_heads(node, attend_in_groups(node, inputs, group).mixed), heads.key, heads.value, {}};
}

/// The format of a cache: numbers, or codes of 8 bits, or of 4 bits with two of them in each byte, that are
/// multiplied with a scale.
struct QuantizedCache {
  Value scale = {};  ///< f32, broadcasts to [B, K, T, h]; null: the cache is not quantised
  std::int64_t bits = 8;
  ir::Dimension size;  ///< of a head
};

constexpr std::int64_t kZeroOf4Bits = 8;  ///< added to 4-bit codes, so that they are not negative

/// Packs two 4-bit codes into each byte, the first one in the lower bits.
Value pack_codes(NodeContext& node, Value codes) {
  const Value numbers = convert(node, codes, ElementType::i32);
  const Value positive = node.op(ops::Add, {numbers, node.integer(kZeroOf4Bits, ElementType::i32)});
  const auto every_second = [&](std::int64_t first) { return slice(node, positive, first, kFarEnd, 3, 2); };
  const Value high = node.op(ops::Multiply, {every_second(1), node.integer(16, ElementType::i32)});
  return convert(node, node.op(ops::Add, {every_second(0), high}), ElementType::u8);
}

Value unpack_codes(NodeContext& node, Value bytes, ir::Dimension size) {
  const Value numbers = convert(node, bytes, ElementType::i32);
  const Value sixteen = node.integer(16, ElementType::i32);
  const Value high = divide(node, numbers, sixteen);
  const Value low = node.op(ops::Subtract, {numbers, node.op(ops::Multiply, {high, sixteen})});
  const Value pairs = concat(node, {unsqueeze(node, low, {4}), unsqueeze(node, high, {4})}, 4);
  const Value codes = reshape_keeping(node, pairs, {0, 0, 0, size.is_static() ? size.size() : -1});
  return node.op(ops::Subtract, {codes, node.integer(kZeroOf4Bits, ElementType::i32)});
}

/// The format given by attribute `type` and the scale, input `index`, for a cache of `values` [B, K, S, h].
QuantizedCache read_cache_quantization(NodeContext& node, std::string_view type, std::size_t index,
                                       Value values) {
  const std::string kind = node.text_attribute(type, "NONE");
  QuantizedCache cache{.size = values.shape()[3]};
  if (kind == "NONE") return cache;
  cache.bits = node.integer_attribute("kv_cache_bit_width", 8);
  if (cache.bits != 4 && cache.bits != 8) node.fail("kv_cache_bit_width must be 4 or 8");
  const bool is_per_channel = kind == "PER_CHANNEL";
  if (!is_per_channel && kind != "PER_TENSOR")
    node.fail(std::string(type) + " '" + kind + "' does not exist");
  cache.scale =
      reshape(node, convert(node, node.input(index), ElementType::f32),
              is_per_channel ? std::vector<std::int64_t>{1, node.integer_attribute("kv_num_heads"), 1, -1}
                             : std::vector<std::int64_t>{1, 1, 1, 1});
  return cache;
}

/// Converts `values` [B, K, S, h] to the format of the cache: i8, u8 [B, K, S, h / 2], or unchanged.
Value quantize_cache(NodeContext& node, const QuantizedCache& cache, Value values) {
  if (!cache.scale) return values;
  const double highest = cache.bits == 4 ? 7 : 127;
  const Value quotient = divide_exactly(node, convert(node, values, ElementType::f32), cache.scale);
  const Value rounded = round_to_even(node, quotient);
  const Value codes = node.op(ops::Clamp, {rounded}, {{"min", -highest - 1}, {"max", highest}});
  return cache.bits == 4 ? pack_codes(node, codes) : convert(node, codes, ElementType::i8);
}

/// Converts `stored` to numbers of the type of input 0.
Value dequantize_cache(NodeContext& node, const QuantizedCache& cache, Value stored) {
  if (!cache.scale) return stored;
  const Value codes = cache.bits == 4 ? unpack_codes(node, stored, cache.size) : stored;
  const Value numbers = node.op(ops::Multiply, {convert(node, codes, ElementType::f32), cache.scale});
  return convert(node, numbers, node.input(0).type());
}

/// A cache in onnxruntime's layout, and the tokens that are added to it.
struct PackedCache {
  Lengths lengths;
  Value positions;      ///< of the queries
  QuantizedCache keys;  ///< the formats of the caches
  QuantizedCache values;
};

/// About the keys of the cache, followed by the new ones: [B, K, C + S, h].
struct WindowCache {
  Value positions;  ///< in the sequence, i64 [B, C + S]; unused keys of the cache are after all others
  Value kept;       ///< the indices of the keys in the new cache, i64 [B, C]
};

/// How many keys of a sequence of length `total` are in a cache of `capacity` elements. If it is full,
/// onnxruntime removes as many keys as the window does not need.
Value count_resident_keys(NodeContext& node, Value total, Value capacity) {
  const Value spare =
      node.op(ops::Subtract, {capacity, node.integer(node.integer_attribute("local_window_size"))});
  const Value group = node.op(ops::Add, {spare, node.integer(1)});
  const Value excess = node.op(ops::Add, {node.op(ops::Subtract, {total, capacity}), spare});
  const Value positive = node.op(ops::Maximum, {excess, node.integer(0)});
  const Value groups = divide(node, positive, group);
  return node.op(ops::Subtract, {total, node.op(ops::Multiply, {groups, group})});
}

WindowCache extend_window_cache(NodeContext& node, Value past, Value now, const Lengths& lengths) {
  const auto column = [&](Value value) { return unsqueeze(node, value, {1}); };
  const Value capacity = dimension_of(node, past, 2);
  const Value first_new = column(lengths.first_new);
  const Value stored = column(count_resident_keys(node, lengths.first_new, capacity));
  const Value first_stored = node.op(ops::Subtract, {first_new, stored});
  const Value rows = enumerate_along(node, past, 2);
  WindowCache cache;
  const Value old = node.op(ops::Select, {node.op(ops::Less, {rows, stored}),
                                          node.op(ops::Add, {first_stored, rows}), node.integer(kFarEnd)});
  cache.positions = concat(node, {old, node.op(ops::Add, {first_new, enumerate_along(node, now, 2)})}, 1);
  const Value total = column(lengths.total);
  const Value kept = column(count_resident_keys(node, lengths.total, capacity));
  const Value position = node.op(ops::Add, {node.op(ops::Subtract, {total, kept}), rows});
  const Value is_new = node.op(ops::GreaterEqual, {position, first_new});
  const Value place_of_first =
      node.op(ops::Select, {is_new, node.op(ops::Subtract, {first_new, capacity}), first_stored});
  // Elements after the last key are unspecified.
  const Value last =
      node.op(ops::Subtract, {node.op(ops::Add, {capacity, dimension_of(node, now, 2)}), node.integer(1)});
  cache.kept = node.op(ops::Minimum, {node.op(ops::Subtract, {position, place_of_first}), last});
  return cache;
}

/// `bias` [B or 1, N or 1, S, total_sequence_length] (or null) for the keys of a window cache.
Value select_window(NodeContext& node, Value bias, const WindowCache& cache, const Lengths& lengths) {
  if (!bias) return bias;
  const Value last = node.op(ops::Subtract, {lengths.longest, node.integer(1)});
  const Value columns = node.op(ops::Minimum, {cache.positions, last});
  const auto size = [&](std::int64_t axis) { return dimension_of(node, bias, axis); };
  const Value shape = concat(node, {dimension_of(node, columns, 0), size(1), size(2), size(3)});
  const Value of_rows = broadcast_to(node, bias, shape);
  return gather_in_rows(node, of_rows, columns, 3);
}

/// Sets keys and values of the attention to the cache of a window with `heads`, which become the new cache.
void extend_cache_of_window(NodeContext& node, const PackedCache& cache, Projections& heads,
                            AttentionInputs& inputs) {
  const WindowCache window = extend_window_cache(node, node.input(Input::past_key), heads.key, cache.lengths);
  const Value all_keys = concat(node, {node.input(Input::past_key), heads.key}, 2);
  const Value all_values = concat(node, {node.input(Input::past_value), heads.value}, 2);
  inputs.key = dequantize_cache(node, cache.keys, all_keys);
  inputs.value = dequantize_cache(node, cache.values, all_values);
  inputs.bias = select_window(node, inputs.bias, window, cache.lengths);
  const Value positions = unsqueeze(node, window.positions, {1, 2});
  inputs.seen = find_seen_keys(node, cache.lengths, positions, cache.positions);
  heads.key = gather_in_rows(node, all_keys, window.kept, 2);
  heads.value = gather_in_rows(node, all_values, window.kept, 2);
}

/// The same for a cache of the whole sequence, which may be absent.
void extend_cache_of_sequence(NodeContext& node, const PackedCache& cache, Projections& heads,
                              AttentionInputs& inputs) {
  const Lengths& lengths = cache.lengths;
  if (node.has_input(Input::past_key)) {
    const Value origins = compute_cache_origins(node, node.input(Input::past_key), heads.key, lengths);
    heads.key = gather_cache(node, node.input(Input::past_key), heads.key, origins);
    heads.value = gather_cache(node, node.input(Input::past_value), heads.value, origins);
  }
  inputs.key = dequantize_cache(node, cache.keys, heads.key);
  inputs.value = dequantize_cache(node, cache.values, heads.value);
  if (node.has_input(Input::past_key) && (inputs.bias || inputs.scores != Scores::none)) {
    // The cache may be longer than the sequences.
    inputs.key = slice(node, inputs.key, node.integers({0}), lengths.longest, 2);
    inputs.value = slice(node, inputs.value, node.integers({0}), lengths.longest, 2);
  }
  inputs.seen = find_seen_keys(node, lengths, enumerate_along(node, inputs.key, 2), cache.positions);
}

Values attend_with_packed_cache(NodeContext& node, Projections heads, std::int64_t group) {
  PackedCache cache;
  cache.lengths = compute_lengths(node, heads);
  cache.positions = compute_query_positions(node, heads, cache.lengths);
  if (node.flag_attribute("do_rotary"))
    rotate(node, heads, compute_rotary_positions(node, heads, cache.lengths, cache.positions));
  cache.keys = read_cache_quantization(node, "k_quant_type", Input::k_scale, heads.key);
  cache.values = read_cache_quantization(node, "v_quant_type", Input::v_scale, heads.value);
  heads.key = quantize_cache(node, cache.keys, heads.key);
  heads.value = quantize_cache(node, cache.values, heads.value);
  AttentionInputs inputs;
  inputs.query = heads.query;
  inputs.bias = node.optional_input(Input::attention_bias);
  inputs.scores = requested_scores(node);
  if (node.flag_attribute("sliding_window_cache")) {
    extend_cache_of_window(node, cache, heads, inputs);
  } else {
    extend_cache_of_sequence(node, cache, heads, inputs);
  }
  const AttentionOutputs outputs = attend_in_groups(node, inputs, group);
  Value scores = outputs.scores;
  if (inputs.scores == Scores::before_softmax)
    scores = node.op(ops::Select, {inputs.seen, scores, node.number_like(0, scores)});
  return {join_heads(node, outputs.mixed), heads.key, heads.value, scores};
}

/// Fails if the attributes and inputs do not fit a cache of the window.
void check_window_cache(NodeContext& node) {
  if (node.integer_attribute("local_window_size", -1) < 1)
    node.fail("sliding_window_cache needs local_window_size");
  if (!node.has_input(Input::past_key)) node.fail("sliding_window_cache needs past_key and past_value");
  if (node.has_output(Output::output_qk))
    node.fail("the scores of a cache of the window (sliding_window_cache) are not converted",
              "export the model with a cache of the whole sequence");
}

Values group_query_attention(NodeContext& node) {
  const std::int64_t queries = node.integer_attribute("num_heads");
  const std::int64_t keys = node.integer_attribute("kv_num_heads");
  constexpr std::int64_t kMaxHeads = 1 << 16;
  if (keys < 1 || queries < keys || queries % keys != 0 || queries > kMaxHeads)
    node.fail("num_heads must be a multiple of kv_num_heads, and at most " + std::to_string(kMaxHeads));
  if (node.has_input(Input::past_key) != node.has_input(Input::past_value))
    node.fail("past_key and past_value belong together");
  if (node.flag_attribute("sliding_window_cache")) check_window_cache(node);
  Projections heads = split_inputs(node, queries, keys);
  if (node.has_input(Input::q_norm_weight)) {
    heads.query = normalize_heads(node, heads.query, node.input(Input::q_norm_weight), "q_norm_epsilon");
    heads.key = normalize_heads(node, heads.key, node.input(Input::k_norm_weight), "k_norm_epsilon");
  }
  // The lengths of a mask do not tell which queries are padding.
  const auto tokens =
      node.has_input(Input::query_seqlens) ? std::nullopt : find_masked_tokens(node, heads.query);
  return tokens ? attend_with_masked_cache(node, heads, *tokens, queries / keys)
                : attend_with_packed_cache(node, heads, queries / keys);
}

}  // namespace

std::vector<TranslatorRow> microsoft_group_query_attention_translators() {
  constexpr std::string_view kIgnored =
      "local_window_size smooth_softmax qk_norm_epsilon q_norm_epsilon k_norm_epsilon";
  return {{"GroupQueryAttention", 1, group_query_attention, {}, kIgnored}};
}

}  // namespace onnx2ir::frontend
