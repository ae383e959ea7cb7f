#include "frontend/translators/com_microsoft/attention_parts.hpp"

#include <limits>

#include "frontend/translators/onnx/attention_steps.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

constexpr double kLowest = std::numeric_limits<float>::lowest();

/// Softmax along the keys with one additional score per head, whose weight is removed.
Value emit_softmax_with_sinks(NodeContext& node, Value scores, Value sinks) {
  const Value rows = concat(node, {dimension_of(node, scores, 0), dimension_of(node, scores, 1),
                                   dimension_of(node, scores, 2), node.integers({1})});
  const Value column = broadcast_to(node, unsqueeze(node, convert(node, sinks, scores.type()), {1, 2}), rows);
  const Value weights = node.op(ops::SoftMax, {concat(node, {scores, column}, 3)}, {{"axis", 3}});
  const Value begin = node.integers({0});
  return slice(node, weights, begin, dimension_of(node, scores, 3), 3);
}

AttentionOutputs decompose_attention(NodeContext& node, const AttentionInputs& inputs) {
  const AttentionScores scores = compute_attention_scores(
      node, {inputs.query, inputs.key, inputs.bias, inputs.seen, inputs.scale, true, inputs.softcap});
  const Value weights = inputs.sinks ? emit_softmax_with_sinks(node, scores.masked, inputs.sinks)
                                     : node.op(ops::SoftMax, {scores.masked}, {{"axis", 3}});
  const Value mixed = mat_mul(node, weights, inputs.value);
  if (inputs.scores == Scores::none) return {mixed, {}};
  return {mixed, inputs.scores == Scores::before_softmax ? scores.biased : weights};
}

/// Whether the keys are outside of the bounds that a mask of one dimension gives for each row of the batch:
/// after its end or, if the mask has starts as well, before its start. [B, 1, 1, T]
Value find_keys_out_of_bounds(NodeContext& node, Value mask, Value query, Value keys) {
  const Value batch = dimension_of(node, query, 0);
  const Value row_numbers = enumerate_along(node, query, 0);
  const Value limits = convert(node, mask, ElementType::i64);
  const auto column = [&](Value value) { return unsqueeze(node, value, {1, 2, 3}); };
  const Value too_late = node.op(ops::GreaterEqual, {keys, column(gather(node, limits, row_numbers))});
  const auto entries = mask.shape().element_count();
  const ir::Dimension rows = query.shape()[0];
  if (entries && rows.is_static() && static_cast<std::int64_t>(*entries) != 2 * rows.size()) return too_late;
  const Value count = dimension_of(node, mask, 0);
  const Value has_starts = node.op(ops::Equal, {count, node.op(ops::Add, {batch, batch})});
  const Value own = node.op(ops::Add, {row_numbers, batch});
  const Value last = node.op(ops::Subtract, {count, node.integers({1})});
  const Value starts = gather(node, limits, node.op(ops::Minimum, {own, last}));
  const Value too_early =
      node.op(ops::Less, {keys, column(node.op(ops::Select, {has_starts, starts, node.integers({0})}))});
  return node.op(ops::LogicalOr, {too_late, too_early});
}

/// Whether `mask` hides each key; broadcasts to [B, N, S, T].
Value find_hidden_keys(NodeContext& node, Value mask, Value query, Value key) {
  const std::int64_t rank = node.rank(mask);
  const auto is_zero = [&](Value value) {
    return node.op(ops::LessEqual, {value, node.number_like(0, value)});
  };
  if (rank == 1) return find_keys_out_of_bounds(node, mask, query, enumerate_along(node, key, 2));
  if (rank == 2) return is_zero(unsqueeze(node, mask, {1, 2}));
  if (rank == 3) return is_zero(unsqueeze(node, mask, {1}));
  node.fail("a mask of " + std::to_string(rank) + " dimensions is not converted",
            "use a mask of one, two or three dimensions; onnxruntime's CPU provider takes no other either");
}

/// Whether keys are after the query's own position, [1, 1, S, T].
Value find_future_keys(NodeContext& node, Value query, Value key, Causality causality) {
  Value own = enumerate_along(node, query, 2);
  if (causality == Causality::from_first_key) {
    const Value last = node.op(ops::Subtract, {size_of(node, query, 2), node.integer(1)});
    const Value is_last = node.op(ops::Equal, {own, last});
    own = node.op(ops::Select, {is_last, size_of(node, key, 2), own});
  } else {
    own = node.op(ops::Add, {own, node.op(ops::Subtract, {size_of(node, key, 2), size_of(node, query, 2)})});
  }
  return node.op(ops::Greater, {unsqueeze(node, enumerate_along(node, key, 2), {0, 1, 2}),
                                unsqueeze(node, own, {0, 1, 3})});
}

}  // namespace

std::optional<double> scale_of(const NodeContext& node) {
  const double scale = node.real_attribute("scale", 0);
  return scale != 0 ? std::optional(scale) : std::nullopt;
}

AttentionOutputs attend(NodeContext& node, const AttentionInputs& inputs) {
  if (inputs.softcap != 0 || inputs.sinks || inputs.scores != Scores::none)
    return decompose_attention(node, inputs);
  const Value mask = merge_masks(node, inputs.bias, inputs.seen);
  return {emit_fused_attention(node, {inputs.query, inputs.key, inputs.value}, mask, inputs.scale, false),
          {}};
}

Value repeat_heads(NodeContext& node, Value value, std::int64_t group) {
  if (group == 1) return value;
  const auto size = [&](std::int64_t axis) { return dimension_of(node, value, axis); };
  const Value grouped = unsqueeze(node, value, {2});
  // Fusions of the runtime and of OpenVINO GenAI match a bidirectional Broadcast.
  const Value repeated =
      node.op(ops::Broadcast, {grouped, node.integers({1, 1, group, 1, 1})}, {{"mode", "bidirectional"}});
  const Value count = node.op(ops::Multiply, {size(1), node.integers({group})});
  return reshape(node, repeated, concat(node, {size(0), count, size(2), size(3)}));
}

void read_masks(NodeContext& node, AttentionInputs& inputs, std::size_t mask, std::size_t bias,
                Causality causality) {
  const auto number = [&](double value) { return node.number_like(value, inputs.query); };
  const double filter = node.real_attribute("mask_filter_value", -10000);
  if (const Value given = node.optional_input(mask)) {
    const Value is_hidden = find_hidden_keys(node, given, inputs.query, inputs.key);
    inputs.bias = node.op(ops::Select, {is_hidden, number(filter), number(0)});
  }
  if (causality != Causality::none && inputs.query.shape()[2] != 1) {
    // Keys in the future are never selected, even if the mask hides all others.
    const Value is_future = find_future_keys(node, inputs.query, inputs.key, causality);
    inputs.bias = node.op(ops::Select, {is_future, number(kLowest), inputs.bias ? inputs.bias : number(0)});
  }
  inputs.bias = add_if_present(node, inputs.bias, node.optional_input(bias));
  inputs.scale = scale_of(node);
}

Cache extend_cache(NodeContext& node, Value past, Value length, Value now) {
  if (!length) {
    const Value all = concat(node, {past, now}, 2);
    return {all, all};
  }
  const Value places = node.op(ops::Add, {enumerate_along(node, now, 2), length});
  const Value present = node.op(ops::ScatterUpdate, {past, places, now, node.integer(2)});
  const Value end = node.op(ops::Add, {length, dimension_of(node, now, 2)});
  return {present, slice(node, present, node.integers({0}), end, 2)};
}

}  // namespace onnx2ir::frontend
