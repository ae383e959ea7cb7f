// onnxruntime's Attention: projections, heads, masks and a cache in one operator.
#include <cmath>

#include "frontend/translators/com_microsoft/delegate.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

struct Heads {
  Value query;  ///< [B, N, S, h]
  Value key;
  Value value;
};

/// Columns [first, behind) of the projected input as heads [B, N, S, h].
Value heads_of(NodeContext& node, Value projected, std::int64_t first, std::int64_t behind,
               std::int64_t count) {
  const Value part = slice(node, projected, node.integers({first}), node.integers({behind}), 2);
  const Value shape = concat(node, {dimension_of(node, projected, 0), dimension_of(node, projected, 1),
                                    node.integers({count, (behind - first) / count})});
  return transpose(node, reshape(node, part, shape), {0, 2, 1, 3});
}

Heads projected_heads(NodeContext& node, std::int64_t count) {
  const Value weights = node.input(1);
  if (node.rank(weights) != 2 || weights.shape()[1].is_dynamic()) {
    node.fail("the size of the weights must be known when the model is converted");
  }
  std::vector<std::int64_t> sizes = node.integer_list("qkv_hidden_sizes");
  if (sizes.empty()) sizes.assign(3, weights.shape()[1].size() / 3);
  if (sizes.size() != 3) node.fail("qkv_hidden_sizes must have three values");
  for (const std::int64_t size : sizes) {
    if (size < 1 || size % count != 0) node.fail("the hidden sizes cannot be divided into the heads");
  }
  Value all = node.op("MatMul", {node.input(0), weights}, {{"transpose_a", false}, {"transpose_b", false}});
  if (const Value bias = node.optional_input(2)) all = node.op("Add", {all, bias});
  const std::int64_t keys = sizes[0] + sizes[1];
  return {heads_of(node, all, 0, sizes[0], count), heads_of(node, all, sizes[0], keys, count),
          heads_of(node, all, keys, keys + sizes[2], count)};
}

/// `filter` where `hidden` holds, else 0.
Value filtered(NodeContext& node, Value hidden, double filter, Value scores) {
  return node.op("Select", {hidden, node.number_like(filter, scores), node.number_like(0, scores)});
}

/// 0, 1, 2 ... for each key, i64.
Value key_numbers(NodeContext& node, Value scores) {
  return node.op("Range", {node.integer(0), size_of(node, scores, 3), node.integer(1)},
                 {{"output_type", ElementType::i64}});
}

/// Where the mask hides keys, as it broadcasts to [B, N, S, T]: a row or a matrix of ones for each sentence,
/// or where its words end (and, behind all ends, begin).
Value hidden_by_mask(NodeContext& node, Value mask, Value scores) {
  const std::int64_t rank = node.rank(mask);
  const auto is_zero = [&](Value value) { return node.op("LessEqual", {value, node.number_like(0, value)}); };
  if (rank == 2) return is_zero(unsqueeze(node, mask, {1, 2}));
  if (rank == 3) return is_zero(unsqueeze(node, mask, {1}));
  if (rank != 1) node.fail("masks must be lengths, or of two or three dimensions");
  const Value batch = dimension_of(node, scores, 0);
  const Value limits = convert(node, mask, ElementType::i64);
  const Value numbers = key_numbers(node, scores);
  const auto column = [&](Value start, Value stop) {
    return unsqueeze(node, slice(node, limits, start, stop, 0), {1, 2, 3});
  };
  const Value too_late = node.op("GreaterEqual", {numbers, column(node.integers({0}), batch)});
  const auto entries = mask.shape().element_count();
  const auto sentences = scores.shape()[0];
  if (!entries || sentences.is_dynamic()) {
    node.fail("how many numbers the mask has for each sentence is not known");
  }
  if (static_cast<std::int64_t>(*entries) == sentences.size()) return too_late;
  if (static_cast<std::int64_t>(*entries) != 2 * sentences.size())
    node.fail("masks of this kind are not converted");
  const Value twice = node.op("Add", {batch, batch});
  return node.op("LogicalOr", {too_late, node.op("Less", {numbers, column(batch, twice)})});
}

/// Keys behind the query's own position.
Value hidden_future(NodeContext& node, Value scores) {
  const Value keys = key_numbers(node, scores);
  const Value queries = node.op("Range", {node.integer(0), size_of(node, scores, 2), node.integer(1)},
                                {{"output_type", ElementType::i64}});
  const Value past = node.op("Subtract", {size_of(node, scores, 3), size_of(node, scores, 2)});
  return node.op("Greater", {keys, unsqueeze(node, node.op("Add", {queries, past}), {1})});
}

/// Attention 1.
Values attention(NodeContext& node) {
  const Value input = node.input(0);
  if (node.rank(input) != 3) node.fail("the input must be a batch of sequences");
  if (node.integer("do_rotary", 0) != 0) node.fail("rotary embedding inside Attention is not converted");
  if (node.has_input(6)) node.fail("a cache that is shared with the output is not converted");
  const std::int64_t count = node.integer("num_heads");
  if (count < 1) node.fail("num_heads must be positive");
  Heads heads = projected_heads(node, count);
  if (const Value past = node.optional_input(4)) {
    const auto cached = [&](std::int64_t which, Value now) {
      return concat(node, {gather(node, past, node.integer(which)), now}, 2);
    };
    heads.key = cached(0, heads.key);
    heads.value = cached(1, heads.value);
  }
  double scale = node.real("scale", 0);
  if (scale == 0) scale = 1 / std::sqrt(static_cast<double>(heads.query.shape()[3].size()));
  const Value query = node.op("Multiply", {heads.query, node.number_like(scale, heads.query)});
  Value scores = node.op("MatMul", {query, heads.key}, {{"transpose_a", false}, {"transpose_b", true}});
  const double filter = node.real("mask_filter_value", -10000);
  const Value unmasked = scores;
  if (const Value mask = node.optional_input(3)) {
    scores = node.op("Add", {scores, filtered(node, hidden_by_mask(node, mask, unmasked), filter, unmasked)});
  }
  if (node.integer("unidirectional", 0) != 0) {
    // The future is no candidate even where the mask hides all else.
    scores = node.op(
        "Select", {hidden_future(node, unmasked), node.number_like(-3.4028234663852886e38, scores), scores});
  }
  if (const Value bias = node.optional_input(5)) scores = node.op("Add", {scores, bias});
  const Value weights = node.op("SoftMax", {scores}, {{"axis", 3}});
  const Value mixed =
      node.op("MatMul", {weights, heads.value}, {{"transpose_a", false}, {"transpose_b", false}});
  const Value shape = concat(node, {dimension_of(node, input, 0), dimension_of(node, input, 1),
                                    node.integers({count * heads.value.shape()[3].size()})});
  Values outputs{reshape(node, transpose(node, mixed, {0, 2, 1, 3}), shape)};
  if (node.has_output(1)) {
    outputs.push_back(concat(node, {unsqueeze(node, heads.key, {0}), unsqueeze(node, heads.value, {0})}));
  }
  return outputs;
}

}  // namespace

std::vector<TranslatorRow> microsoft_attention_translators() {
  return {
      {"Attention", 1, attention, "rotary embedding, a shared cache, masks of four dimensions", kMicrosoft}};
}

}  // namespace onnx2ir::frontend
