// Attention since version 23 (24: padded caches and short masks, 25: windows): ScaledDotProductAttention if
// that is equivalent, otherwise its decomposition.
#include <array>
#include <optional>

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/attention_mask.hpp"
#include "frontend/translators/onnx/attention_steps.hpp"
#include "frontend/translators/onnx/operands.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"
#include "ir/shape_tools.hpp"
#include "ir/size_rules.hpp"

namespace onnx2ir::frontend {
namespace {

using Input = inputs::Attention;
using Output = outputs::Attention;

/// Splits packed inputs, [B, S, N * h], into heads.
Heads unpack_heads(NodeContext& node) {
  const std::int64_t queries = node.integer_attribute("q_num_heads");
  const std::int64_t keys = node.integer_attribute("kv_num_heads");
  if (keys < 1 || queries < keys || queries % keys != 0) {
    node.fail("q_num_heads must be a multiple of kv_num_heads");
  }
  Heads heads;
  heads.are_grouped = queries != keys;
  heads.count = node.integers({keys});
  heads.query = split_heads(node, node.input(Input::Q), queries, queries / keys);
  heads.key = split_heads(node, node.input(Input::K), keys);
  heads.value = split_heads(node, node.input(Input::V), keys);
  return heads;
}

/// Inputs that are heads already, [B, N, S, h].
Heads read_heads(NodeContext& node) {
  Heads heads{node.input(Input::Q), node.input(Input::K), node.input(Input::V), {}, false};
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

/// Attributes and outputs that ScaledDotProductAttention does not support.
struct AttentionOptions {
  double cap;
  ElementType softmax_type;
  bool scores;

  bool are_absent(ElementType type) const { return cap == 0 && softmax_type == type && !scores; }
};

AttentionOptions attention_options(NodeContext& node, ElementType type) {
  return {node.real_attribute("softcap", 0), node.element_type_attribute("softmax_precision", type),
          node.has_output(Output::qk_matmul_output)};
}

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

/// [B, K, G, S, `columns`] as [B, K * G, S, `columns`].
Value merge_groups(NodeContext& node, const Heads& heads, Value value, Value columns) {
  const Value count = node.op(ops::Multiply, {heads.count, dimension_of(node, heads.query, 2)});
  return reshape(
      node, value,
      concat(node, {dimension_of(node, heads.query, 0), count, dimension_of(node, heads.query, 3), columns}));
}

/// The output in the form of the query.
Value pack_output(NodeContext& node, const Heads& heads, Value mixed) {
  if (node.rank(node.input(Input::Q)) == 4) {
    return heads.are_grouped ? merge_groups(node, heads, mixed, dimension_of(node, heads.value, 3)) : mixed;
  }
  return join_heads(node, mixed);
}

Values attention(NodeContext& node) {
  const Heads heads = prepare_heads(node);
  const AttentionOptions options = attention_options(node, heads.query.type());
  const bool is_plain = options.are_absent(heads.query.type());
  const AttentionMask mask = emit_attention_mask(node, heads, is_plain);
  Heads factors = heads;
  if (heads.are_grouped) {
    factors.key = unsqueeze(node, heads.key, {2});
    factors.value = unsqueeze(node, heads.value, {2});
  }
  DecomposedAttention result;
  if (is_plain && mask.fits_one_operation) {
    result.output = emit_fused_attention(node, {factors.query, factors.key, factors.value}, mask.value,
                                         scale_of(node), mask.hides_future);
  } else {
    result = decompose_attention(node, factors, mask.value, options);
  }
  if (mask.value) result.output = zero_fully_masked_rows(node, result.output, mask.value);
  Values outputs{pack_output(node, heads, result.output), heads.key, heads.value};
  if (!options.scores) return outputs;
  outputs.push_back(heads.are_grouped
                        ? merge_groups(node, heads, result.scores, dimension_of(node, heads.key, 2))
                        : result.scores);
  return outputs;
}

}  // namespace

std::vector<TranslatorRow> attention_translators() {
  return {{"Attention", 23, attention}};
}

}  // namespace onnx2ir::frontend
