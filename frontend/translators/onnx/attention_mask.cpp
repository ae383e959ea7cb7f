#include "frontend/translators/onnx/attention_mask.hpp"

#include <algorithm>

#include "frontend/translators/onnx/attention_steps.hpp"
#include "frontend/translators/onnx/operands.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"
#include "ir/shape_tools.hpp"
#include "target/faults.hpp"

namespace onnx2ir::frontend {
namespace {

using Input = inputs::Attention;

/// The masking rules in the node's attributes and inputs.
struct Rules {
  bool is_causal;
  std::int64_t left_window;   ///< -1: unlimited
  std::int64_t right_window;  ///< -1: unlimited
  bool has_mask;
  bool has_past;
  bool has_lengths;

  bool are_by_position() const { return is_causal || left_window >= 0 || right_window >= 0; }
  /// Whether `causal` of ScaledDotProductAttention is equivalent: keys and queries start at the same
  /// position.
  bool is_only_causal() const {
    return is_causal && left_window < 0 && right_window < 0 && !has_mask && !has_past && !has_lengths;
  }
};

Rules rules_of(const NodeContext& node) {
  return {node.integer_attribute("is_causal", 0) == 1,
          node.integer_attribute("left_window_size", -1),
          node.integer_attribute("right_window_size", -1),
          node.has_input(Input::attn_mask),
          node.has_input(Input::past_key),
          node.has_input(Input::nonpad_kv_seqlen)};
}

/// Both broadcast to [B, N, S, T]; either may be null.
struct Mask {
  Value bias;  ///< added to the scores
  Value seen;  ///< boolean: the visible keys
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

Mask emit_restrictions(NodeContext& node, const Heads& heads, const Rules& rules) {
  Mask mask;
  const auto restrict_to = [&](Value keys) {
    mask.seen = mask.seen ? node.op(ops::LogicalAnd, {mask.seen, keys}) : keys;
  };
  if (rules.has_mask) {
    const Value given = extend_mask(node, heads.key);
    (given.type() == ElementType::boolean ? mask.seen : mask.bias) = given;
  }
  if (!rules.are_by_position() && !rules.has_lengths) return mask;
  const Value keys = emit_range(node, size_of(node, heads.key, 2));
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
  return mask;
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

}  // namespace

AttentionMask emit_attention_mask(NodeContext& node, const Heads& heads, bool may_be_causal) {
  const Rules rules = rules_of(node);
  if (may_be_causal && rules.is_only_causal()) return {{}, true, true};
  const Mask mask = emit_restrictions(node, heads, rules);
  Value merged = merge_masks(node, mask.bias, mask.seen);
  if (!merged) return {};
  if (heads.are_grouped) merged = group_mask(node, merged, heads);
  return {merged, false, has_sizes_of_scores(node, merged, heads, rules)};
}

Value zero_fully_masked_rows(NodeContext& node, Value value, Value mask) {
  if (!may_hide_all(node, mask)) return value;
  const Value seen = mask.type() == ElementType::boolean
                         ? mask
                         : node.op(ops::NotEqual, {mask, node.number_like(kHidden, mask)});
  const Value is_any_seen = reduce_keep_dims(node, ops::ReduceLogicalOr, seen, {node.rank(mask) - 1});
  return node.op(ops::Select, {is_any_seen, value, node.number_like(0, value)});
}

}  // namespace onnx2ir::frontend
