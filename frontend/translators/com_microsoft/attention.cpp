// onnxruntime's Attention and QAttention: projections, heads, masks and a cache in one operator.
#include <limits>

#include "base/portable_math.hpp"
#include "frontend/translators/com_microsoft/attention_parts.hpp"
#include "frontend/translators/com_microsoft/operands.hpp"
#include "frontend/translators/com_microsoft/quantized.hpp"
#include "frontend/translators/com_microsoft/rotation.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/attention_steps.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

using Input = inputs::microsoft::Attention;
using Quantized = inputs::microsoft::QAttention;

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();  ///< an input that the operator lacks

/// Where the operator has the inputs of both that are not projected.
struct InputIndices {
  std::size_t mask;
  std::size_t past;
  std::size_t bias;         ///< added to the scores
  std::size_t past_length;  ///< of a past in a larger buffer
};

/// Splits the projected input [B, S, q + k + v] into heads.
Projections split_projection(NodeContext& node, Value projected, std::int64_t count) {
  const ir::Dimension width = projected.shape()[2];
  ir::Integers sizes = node.integer_list("qkv_hidden_sizes");
  if (sizes.empty() && width.is_dynamic()) {
    ir::Node& parts = node.node(ops::Split, {projected, node.integer(2)}, {{"num_splits", 3}}, 3);
    const auto part = [&](std::size_t which) { return split_heads(node, parts.value(which), count); };
    return {part(0), part(1), part(2)};
  }
  if (sizes.empty()) sizes.assign(3, width.size() / 3);
  if (sizes.size() != 3) node.fail("qkv_hidden_sizes must have three values");
  for (const std::int64_t size : sizes) {
    if (size < 1 || size > kFarEnd || (width.is_static() && size > width.size()) || size % count != 0)
      node.fail("the hidden sizes cannot be divided into the heads");
  }
  const auto part = [&](std::int64_t first, std::int64_t end) {
    return split_heads(node, slice(node, projected, first, end, 2), count);
  };
  const std::int64_t keys = sizes[0] + sizes[1];
  return {part(0, sizes[0]), part(sizes[0], keys), part(keys, keys + sizes[2])};
}

/// From the angles p / 10000^(2i / size) at `positions` [B or 1, S].
Rotation compute_rotation(NodeContext& node, Value positions, std::int64_t size) {
  std::vector<double> factors;
  for (std::int64_t i = 0; i < size / 2; ++i)
    factors.push_back(base::power(10000.0, -2.0 * static_cast<double>(i) / static_cast<double>(size)));
  const Value turns = node.numbers(factors, ElementType::f32);
  const Value columns = unsqueeze(node, convert(node, positions, ElementType::f32), {1, 3});
  const Value angles = node.op(ops::Multiply, {columns, turns});
  return {node.op(ops::Cos, {angles}), node.op(ops::Sin, {angles}), false};
}

/// Rotates by the caches that onnxruntime computes itself: the angle of pair i at position p is p / 10000^(2i
/// / r) with r = rotary_embedding_dim, which is h by default.
void rotate(NodeContext& node, Projections& heads, Value past_length) {
  const ir::Dimension whole = heads.query.shape()[3];
  std::int64_t size = node.integer_attribute("rotary_embedding_dim", 0);
  if (size == 0) {
    if (whole.is_dynamic()) node.fail("the size of the heads must be known when the model is converted");
    size = whole.size();
  }
  constexpr std::int64_t kMaxSize = 1 << 16;
  if (size < 1 || size % 2 != 0 || size > kMaxSize)
    node.fail("rotary_embedding_dim must be even and positive");
  Value positions = enumerate_along(node, heads.query, 2);
  if (past_length) positions = node.op(ops::Add, {positions, past_length});
  const Rotation rotation = compute_rotation(node, unsqueeze(node, positions, {0}), size);
  heads.query = rotate_heads(node, heads.query, rotation);
  heads.key = rotate_heads(node, heads.key, rotation);
}

Values emit_attention(NodeContext& node, Projections heads, const InputIndices& places) {
  const Value past = node.optional_input(places.past);
  const bool is_buffer = past && node.flag_attribute("past_present_share_buffer");
  // A past that is no buffer has this length itself.
  const bool has_length = node.has_input(places.past_length);
  if (is_buffer && !has_length)
    node.fail("a cache that is shared with the output (past_present_share_buffer) needs past_sequence_length",
              "export the model with a cache that grows");
  const Value length = is_buffer ? read_vector(node, places.past_length, ElementType::i64) : Value{};
  if (node.flag_attribute("do_rotary"))
    rotate(node, heads, past && !is_buffer ? dimension_of(node, past, 3) : length);
  const auto cached = [&](std::int64_t which, Value now) {
    if (!past) return Cache{now, now};
    return extend_cache(node, gather(node, past, node.integer(which)), length, now);
  };
  const Cache keys = cached(0, heads.key);
  const Cache values = cached(1, heads.value);
  AttentionInputs inputs{heads.query, keys.used, values.used};
  read_masks(node, inputs, places.mask, places.bias,
             node.flag_attribute("unidirectional") ? Causality::to_last_key : Causality::none);
  Values outputs{join_heads(node, attend(node, inputs).mixed)};
  if (node.has_output(outputs::microsoft::Attention::present)) {
    const Value present = unsqueeze(node, keys.present, {0});
    outputs.push_back(concat(node, {present, unsqueeze(node, values.present, {0})}));
  }
  return outputs;
}

std::int64_t head_count(NodeContext& node) {
  if (node.rank(node.input(Input::input)) != 3) node.fail("the input must be a batch of sequences");
  return node.positive_attribute("num_heads");
}

/// The product of the input and the weights, and the bias, which both operators have at the same place.
Value project(NodeContext& node, Value input, Value weights) {
  if (node.rank(weights) != 2) node.fail("the weights must be a matrix");
  return add_if_present(node, mat_mul(node, input, weights), node.optional_input(Input::bias));
}

Values attention(NodeContext& node) {
  const std::int64_t count = head_count(node);
  const Value all = project(node, node.input(Input::input), node.input(Input::weights));
  return emit_attention(node, split_projection(node, all, count),
                        {Input::mask_index, Input::past, Input::attention_bias, Input::past_sequence_length});
}

/// QAttention: the input and the weights are integers.
Values quantized_attention(NodeContext& node) {
  const std::int64_t count = head_count(node);
  const Value input =
      dequantize_input(node, Quantized::input, Quantized::input_scale, Quantized::input_zero_point);
  const Value weights =
      dequantize_input(node, Quantized::weight, Quantized::weight_scale, Quantized::weight_zero_point);
  const Value all = project(node, input, weights);
  return emit_attention(node, split_projection(node, all, count),
                        {Quantized::mask_index, Quantized::past, kNone, kNone});
}

}  // namespace

std::vector<TranslatorRow> microsoft_attention_translators() {
  return {
      {"Attention", 1, attention, "masks of four dimensions"},
      {"QAttention", 1, quantized_attention, "a shared cache"},
  };
}

}  // namespace onnx2ir::frontend
