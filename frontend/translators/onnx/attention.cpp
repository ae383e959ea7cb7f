// Attention since version 23 (24: padded caches and short masks, 25: windows), with its masks, and
// RotaryEmbedding. Attention becomes one ScaledDotProductAttention if that is equivalent; otherwise it is
// decomposed.
#include <algorithm>
#include <array>
#include <optional>

#include "frontend/translators/com_microsoft/delegate.hpp"
#include "frontend/translators/com_microsoft/rotation.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/attention_steps.hpp"
#include "frontend/translators/onnx/operands.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"
#include "ir/size_rules.hpp"
#include "target/faults.hpp"

namespace onnx2ir::frontend {
namespace {

using Input = inputs::Attention;
using Output = outputs::Attention;

/// Query, key and value in heads; in groups if several query heads share a key head.
struct Heads {
  bool are_grouped;
  Value count;  ///< K, i64 [1]
  Value query;  ///< [B, N, S, h], in groups [B, K, N / K, S, h]
  Value key;    ///< [B, K, T, h], with the past
  Value value;
};

/// Splits packed inputs, [B, S, N * h], into heads.
Heads unpack_heads(NodeContext& node) {
  const std::int64_t queries = node.integer_attribute("q_num_heads");
  const std::int64_t keys = node.integer_attribute("kv_num_heads");
  if (keys < 1 || queries < keys || queries % keys != 0) {
    node.fail("q_num_heads must be a multiple of kv_num_heads");
  }
  return {.are_grouped = queries != keys,
          .count = node.integers({keys}),
          .query = split_heads(node, node.input(Input::Q), queries, queries / keys),
          .key = split_heads(node, node.input(Input::K), keys),
          .value = split_heads(node, node.input(Input::V), keys)};
}

/// Inputs that are heads already, [B, N, S, h].
Heads read_heads(NodeContext& node) {
  Heads heads{false, {}, node.input(Input::Q), node.input(Input::K), node.input(Input::V)};
  const ir::Dimension queries = heads.query.shape()[1];
  const ir::Dimension keys = heads.key.shape()[1];
  heads.count = dimension_of(node, heads.key, 1);
  heads.are_grouped =
      (queries.is_dynamic() || queries != keys) && !ir::have_equal_sizes(heads.query, 1, heads.key, 1);
  if (!heads.are_grouped) return heads;
  if (queries.is_static() && keys.is_static() && (keys.size() == 0 || queries.size() % keys.size() != 0)) {
    node.fail("the number of query heads is not a multiple of the number of key heads");
  }
  const Value groups = divide(node, dimension_of(node, heads.query, 1), heads.count);
  heads.query =
      reshape(node, heads.query,
              concat(node, {dimension_of(node, heads.query, 0), heads.count, groups,
                            dimension_of(node, heads.query, 2), dimension_of(node, heads.query, 3)}));
  return heads;
}

Heads prepare_heads(NodeContext& node) {
  const std::int64_t rank = node.rank(node.input(Input::Q));
  if (rank != 3 && rank != 4) node.fail("the query must have three or four dimensions");
  for (const std::size_t index : {Input::K, Input::V}) {
    if (node.rank(node.input(index)) != rank) node.fail("query, key and value differ in rank");
  }
  Heads heads = rank == 3 ? unpack_heads(node) : read_heads(node);
  if (node.has_input(Input::past_key) != node.has_input(Input::past_value))
    node.fail("past_key and past_value belong together");
  if (node.has_input(Input::past_key)) {
    heads.key = concat(node, {node.input(Input::past_key), heads.key}, 2);
    heads.value = concat(node, {node.input(Input::past_value), heads.value}, 2);
  }
  return heads;
}

/// The mask that hides keys from the queries of an Attention node.
struct AttentionMask {
  /// Boolean (true for visible keys) or additive; null if no keys are hidden. Broadcasts to the scores: [B,
  /// N, S, T], in groups [B, K, N / K, S, T].
  Value value;
  bool hides_future = false;  ///< also hides keys after the query's own position, by the attribute `causal`
  bool fits_one_operation = true;  ///< ScaledDotProductAttention supports it
};

/// The masking rules in the node's attributes and inputs.
struct Rules {
  const NodeContext& node;
  bool is_causal = node.integer_attribute("is_causal", 0) == 1;
  std::int64_t left_window = node.integer_attribute("left_window_size", -1);    ///< -1: unlimited
  std::int64_t right_window = node.integer_attribute("right_window_size", -1);  ///< -1: unlimited
  bool has_mask = node.has_input(Input::attn_mask);
  bool has_past = node.has_input(Input::past_key);
  bool has_lengths = node.has_input(Input::nonpad_kv_seqlen);

  bool are_by_position() const { return is_causal || left_window >= 0 || right_window >= 0; }
  /// Whether `causal` of ScaledDotProductAttention is equivalent: keys and queries start at the same
  /// position.
  bool is_only_causal() const {
    return is_causal && left_window < 0 && right_window < 0 && !has_mask && !has_past && !has_lengths;
  }
};

/// The mask of the model, extended to the number of keys: since version 24 the keys after its end are hidden.
Value extend_mask(NodeContext& node, Value keys) {
  Value mask = node.input(Input::attn_mask);
  if (mask.type() != ElementType::boolean) mask = convert(node, mask, keys.type());
  const std::int64_t rank = node.rank(mask);
  if (rank > 4) node.fail("the mask has more than four dimensions");
  if (rank < 2) mask = add_unit_dimensions(node, mask, 2 - rank, 0);
  const std::size_t last = mask.shape().rank() - 1;
  const ir::Dimension length = mask.shape()[last];
  if (node.opset() < 24 || (length.is_static() && length == keys.shape()[2])) return mask;
  const bool is_boolean = mask.type() == ElementType::boolean;
  const Value numbers = is_boolean ? convert(node, mask, ElementType::i32) : mask;
  const Value missing =
      node.op(ops::Subtract, {dimension_of(node, keys, 2), dimension_of(node, mask, std::int64_t(last))});
  const Value none = node.integers(std::vector<std::int64_t>(last, 0));
  const Value begins = node.integers(std::vector<std::int64_t>(last + 1, 0));
  const Value ends = concat(node, {none, missing});
  const Value extended = pad_with(node, numbers, begins, ends, is_boolean ? 0 : kHidden);
  return is_boolean ? convert(node, extended, ElementType::boolean) : extended;
}

/// The positions of queries among the keys: [S, 1], or [B, 1, S, 1] if each row of the batch has its own
/// past.
Value compute_positions(NodeContext& node, const Heads& heads) {
  const std::int64_t sequence = heads.are_grouped ? 3 : 2;
  const Value count = size_of(node, heads.query, sequence);
  const Value rows = unsqueeze(node, emit_range(node, count), {1});
  if (node.has_input(Input::past_key))
    return node.op(ops::Add, {rows, size_of(node, node.input(Input::past_key), 2)});
  if (!node.has_input(Input::nonpad_kv_seqlen)) return rows;
  const Value past = node.op(ops::Subtract, {node.input(Input::nonpad_kv_seqlen), count});
  return node.op(ops::Add, {rows, unsqueeze(node, past, {1, 2, 3})});
}

/// The mask over heads: boolean, additive, or null.
Value emit_restrictions(NodeContext& node, const Heads& heads, const Rules& rules) {
  const Value given = rules.has_mask ? extend_mask(node, heads.key) : Value{};
  if (!rules.are_by_position() && !rules.has_lengths) return given;
  const bool is_bias = given && given.type() != ElementType::boolean;
  Value seen = is_bias ? Value{} : given;
  const auto restrict_to = [&](Value keys) { seen = seen ? node.op(ops::LogicalAnd, {seen, keys}) : keys; };
  const Value keys = enumerate_along(node, heads.key, 2);
  if (rules.are_by_position()) {
    const Value own = compute_positions(node, heads);
    if (rules.is_causal) restrict_to(node.op(ops::LessEqual, {keys, own}));
    if (rules.left_window >= 0) {
      const Value first = node.op(ops::Subtract, {own, node.integer(rules.left_window)});
      restrict_to(node.op(ops::GreaterEqual, {keys, first}));
    }
    if (rules.right_window >= 0) {
      restrict_to(
          node.op(ops::LessEqual, {keys, node.op(ops::Add, {own, node.integer(rules.right_window)})}));
    }
  }
  if (rules.has_lengths)
    restrict_to(node.op(ops::Less, {keys, unsqueeze(node, node.input(Input::nonpad_kv_seqlen), {1, 2, 3})}));
  return is_bias ? merge_masks(node, given, seen) : seen;
}

/// A mask over heads as a mask over groups: from [..., N, S, T], where N may be 1, to [..., K, N / K, S, T].
Value group_mask(NodeContext& node, Value mask, const Heads& heads) {
  const std::int64_t rank = node.rank(mask);
  if (rank < 3) return mask;
  const std::int64_t axis = rank - 3;
  if (mask.shape()[static_cast<std::size_t>(axis)] == 1) return unsqueeze(node, mask, {axis});
  const Value count = dimension_of(node, mask, axis);
  const Value outer = node.op(ops::Minimum, {count, heads.count});
  Values shape = dimensions_of(node, mask, 0, axis);
  shape.push_back(outer);
  shape.push_back(divide(node, count, outer));
  const Values last = dimensions_of(node, mask, axis + 1, axis + 3);
  shape.append(last.begin(), last.end());
  return reshape(node, mask, concat(node, shape));
}

/// Whether a row of the mask may hide all keys. Always true unless the mask is known.
bool may_hide_all(NodeContext& node, Value mask) {
  const auto known = node.known_numbers(mask);
  const ir::Dimension keys = mask.shape()[mask.shape().rank() - 1];
  if (!known || keys.is_dynamic() || keys.size() == 0) return true;
  const double hidden = mask.type() == ElementType::boolean ? 0 : kHidden;
  const auto width = keys.size();
  for (auto row = known->begin(); row != known->end(); row += width) {
    if (std::all_of(row, row + width, [&](double value) { return value == hidden; })) return true;
  }
  return false;
}

/// Whether `mask` provably has the sizes of the scores, or 1 where that is known. The rules of the operator
/// prove it, not the IR: a row would decompose attentions with any mask of dynamic sizes.
bool has_sizes_of_scores(const NodeContext& node, Value mask, const Heads& heads, const Rules& rules) {
  if (!rules.has_mask || !node.target().has(Fault::attention_mask_sizes)) return true;
  std::vector<ir::Dimension> scores(heads.query.shape().begin(), heads.query.shape().end() - 1);
  scores.push_back(heads.key.shape()[2]);
  const PartialShape& shape = mask.shape();
  for (std::size_t from_end = 1; from_end <= shape.rank(); ++from_end) {
    const bool is_known =
        shape[shape.rank() - from_end].is_static() || scores[scores.size() - from_end].is_static();
    const bool is_row = from_end == 2 && rules.are_by_position();
    const bool is_key = from_end == 1 && (rules.are_by_position() || rules.has_lengths || node.opset() >= 24);
    if (!is_known && !is_row && !is_key) return false;
  }
  return true;
}

/// `may_be_causal`: an equal mask may become the attribute `causal` of ScaledDotProductAttention.
AttentionMask emit_attention_mask(NodeContext& node, const Heads& heads, bool may_be_causal) {
  const Rules rules{node};
  if (may_be_causal && rules.is_only_causal()) return {{}, true, true};
  Value mask = emit_restrictions(node, heads, rules);
  if (!mask) return {};
  if (heads.are_grouped) mask = group_mask(node, mask, heads);
  return {mask, false, has_sizes_of_scores(node, mask, heads, rules)};
}

/// Replaces rows of `value` by zeros for queries from which `mask` hides all keys, because the Softmax of a
/// fully masked row is NaN.
Value zero_fully_masked_rows(NodeContext& node, Value value, Value mask) {
  if (!may_hide_all(node, mask)) return value;
  const Value seen = mask.type() == ElementType::boolean
                         ? mask
                         : node.op(ops::NotEqual, {mask, node.number_like(kHidden, mask)});
  const Value is_any_seen = reduce_keep_dims(node, ops::ReduceLogicalOr, seen, {node.rank(mask) - 1});
  return node.op(ops::Select, {is_any_seen, value, node.number_like(0, value)});
}

/// Attributes and outputs that ScaledDotProductAttention does not support.
struct AttentionOptions {
  const NodeContext& node;
  ElementType type;  ///< of the query
  double cap = node.real_attribute("softcap", 0);
  ElementType softmax_type = node.element_type_attribute("softmax_precision", type);
  bool scores = node.has_output(Output::qk_matmul_output);

  bool are_absent() const { return cap == 0 && softmax_type == type && !scores; }
};

std::optional<double> scale_of(const NodeContext& node) {
  return node.has_attribute("scale") ? std::optional(node.real_attribute("scale")) : std::nullopt;
}

struct DecomposedAttention {
  Value output;
  Value scores;  ///< of the stage in qk_matmul_output_mode, in the form of the products
};

DecomposedAttention decompose_attention(NodeContext& node, const Heads& heads, Value mask,
                                        const AttentionOptions& options) {
  ScoreTerms terms{.query = heads.query, .key = heads.key, .scale = scale_of(node), .cap = options.cap};
  if (mask) (mask.type() == ElementType::boolean ? terms.seen : terms.bias) = mask;
  const auto [products, limited, biased, masked] = compute_attention_scores(node, terms);
  Value weights =
      node.op(ops::SoftMax, {convert(node, masked, options.softmax_type)}, {{"axis", node.rank(masked) - 1}});
  weights = convert(node, weights, heads.query.type());
  if (mask && options.scores) weights = zero_fully_masked_rows(node, weights, mask);
  const std::array stages{products, limited, masked, weights};
  const std::int64_t mode = node.integer_attribute("qk_matmul_output_mode", 0);
  return {mat_mul(node, weights, heads.value),
          stages[mode >= 0 && mode < 4 ? static_cast<std::size_t>(mode) : 0]};
}

/// Heads with the columns of `like`, or scores of its keys, as [B, N, S, ...] if they are grouped.
Value merge_groups(NodeContext& node, const Heads& heads, Value value, Value like, std::int64_t axis) {
  if (!heads.are_grouped) return value;
  const auto size = [&](std::int64_t query_axis) { return dimension_of(node, heads.query, query_axis); };
  const Value columns = dimension_of(node, like, axis);
  const Value count = node.op(ops::Multiply, {heads.count, size(2)});
  return reshape(node, value, concat(node, {size(0), count, size(3), columns}));
}

Values attention(NodeContext& node) {
  const Heads heads = prepare_heads(node);
  const AttentionOptions options{node, heads.query.type()};
  const AttentionMask mask = emit_attention_mask(node, heads, options.are_absent());
  Heads factors = heads;
  if (heads.are_grouped) {
    factors.key = unsqueeze(node, heads.key, {2});
    factors.value = unsqueeze(node, heads.value, {2});
  }
  DecomposedAttention result;
  if (options.are_absent() && mask.fits_one_operation) {
    result.output = emit_fused_attention(node, {factors.query, factors.key, factors.value}, mask.value,
                                         scale_of(node), mask.hides_future);
  } else {
    result = decompose_attention(node, factors, mask.value, options);
  }
  if (mask.value) result.output = zero_fully_masked_rows(node, result.output, mask.value);
  Values outputs{node.rank(node.input(Input::Q)) == 4
                     ? merge_groups(node, heads, result.output, heads.value, 3)
                     : join_heads(node, result.output),
                 heads.key, heads.value};
  if (options.scores) outputs.push_back(merge_groups(node, heads, result.scores, heads.key, 2));
  return outputs;
}

/// RotaryEmbedding 23. Its function body has Slices where OpenVINO expects one split, so that the rotation
/// would not become a RoPE. Caches are [M, r / 2] with positions [B, S], otherwise [B, S, r / 2].
Operands rotary_embedding_23(NodeContext& node) {
  using RotaryInput = inputs::RotaryEmbedding;
  const Value input = node.input(RotaryInput::X);
  const std::int64_t rank = node.rank(input);
  const Value cosines = node.input(RotaryInput::cos_cache);
  const Value sines = node.input(RotaryInput::sin_cache);
  const std::int64_t cache_rank = node.has_input(RotaryInput::position_ids) ? 2 : 3;
  const std::int64_t count = node.integer_attribute("num_heads", 0);
  const auto is_static = [](Value value, std::int64_t axis) {
    return value.shape()[static_cast<std::size_t>(axis)].is_static();
  };
  const bool has_heads = rank == 4 ? is_static(input, 3) : rank == 3 && count > 0;
  if (!has_heads || node.rank(cosines) != cache_rank || !is_static(cosines, cache_rank - 1) ||
      !is_static(sines, cache_rank - 1))
    return translate_function_body(node, 23);
  const bool is_interleaved = node.flag_attribute("interleaved");
  const Value heads = rank == 4 ? input : split_heads(node, input, count);
  const Value positions = node.optional_input(RotaryInput::position_ids);
  const Rotation rotation =
      positions ? gather_rotation(node, cosines, sines, positions, is_interleaved)
                : Rotation{unsqueeze(node, cosines, {1}), unsqueeze(node, sines, {1}), is_interleaved};
  const Value result = rotate_heads(node, heads, rotation);
  return {Operand(rank == 4 ? result : join_heads(node, result))};
}

}  // namespace

std::vector<TranslatorRow> attention_translators() {
  return {{"Attention", 23, attention}, {"RotaryEmbedding", 23, rotary_embedding_23}};
}

}  // namespace onnx2ir::frontend
