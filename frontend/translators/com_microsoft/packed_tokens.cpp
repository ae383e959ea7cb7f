// Operators of language models on sequences that follow each other in one list of tokens: their lengths may
// differ, and each has a state from before.
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/translators/com_microsoft/delegate.hpp"
#include "frontend/translators/com_microsoft/operands.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"
#include "ir/checked_arithmetic.hpp"

namespace onnx2ir::frontend {
namespace {

/// Where the sequences are in a list of tokens, i64.
struct Packing {
  Value starts;     ///< [B], the first token of each sequence
  Value lengths;    ///< [B]
  Value owners;     ///< [T], the sequence of each token
  Value positions;  ///< [T], the place of each token in its sequence
};

/// `bounds` [B + 1] are the starts of all sequences, and the end of the last one.
Packing read_packing(NodeContext& node, Value bounds, Value tokens) {
  const Value offsets = convert(node, bounds, ElementType::i64);
  const Value starts = slice(node, offsets, 0, -1, 0);
  const Value ends = slice(node, offsets, 1, kFarEnd, 0);
  const Value token = enumerate_along(node, tokens, 0);
  const Value is_after = node.op(ops::GreaterEqual, {unsqueeze(node, token, {1}), ends});
  const Value owners = reduce(node, ops::ReduceSum, convert(node, is_after, ElementType::i64), {1});
  return {starts, node.op(ops::Subtract, {ends, starts}), owners,
          node.op(ops::Subtract, {token, gather(node, starts, owners)})};
}

/// Rows of channels: those of the states of all sequences [B, C, L], then the tokens [T, C].
struct Rows {
  Value all;
  Value state_length;  ///< L, i64 scalar
  Value state_rows;    ///< B * L, i64 scalar
};

/// The rows at `positions` of the sequences `owners`; those before 0 are of the state. Both are broadcast.
Value rows_at(NodeContext& node, const Rows& rows, const Packing& packing, Value owners, Value positions) {
  const Value first = node.op(ops::Add, {gather(node, packing.starts, owners), rows.state_rows});
  const Value end_of_state =
      node.op(ops::Multiply, {node.op(ops::Add, {owners, node.integer(1)}), rows.state_length});
  const Value is_old = node.op(ops::Less, {positions, node.integer(0)});
  const Value origin = node.op(ops::Select, {is_old, end_of_state, first});
  return gather(node, rows.all, node.op(ops::Add, {origin, positions}), 0);
}

/// VarlenCausalConvWithState: each channel has its own filter over the state and the tokens of its sequence.
Values packed_causal_conv(NodeContext& node) {
  using Input = inputs::microsoft::VarlenCausalConvWithState;
  const Value tokens = node.input(Input::input);
  const Value state = node.input(Input::initial_state);
  const Value filter = transpose(node, squeeze(node, node.input(Input::weight), {1}), {1, 0});  // [K, C]
  const std::int64_t dilation = node.positive_attribute("dilation", 1);
  const Packing packing = read_packing(node, node.input(Input::cumulative_sequence_length), tokens);
  const Value by_length = transpose(node, state, {0, 2, 1});
  const Value old =
      reshape(node, by_length, concat(node, {node.integers({-1}), dimension_of(node, tokens, 1)}));
  const Value length = size_of(node, state, 2);
  const Rows rows{concat(node, {old, tokens}), length,
                  node.op(ops::Multiply, {size_of(node, state, 0), length})};

  const Value taps = node.op(ops::Multiply, {enumerate_along(node, filter, 0), node.integer(dilation)});
  const Value offsets = node.op(ops::Subtract, {taps, length});
  const Value places = node.op(ops::Add, {unsqueeze(node, packing.positions, {1}), offsets});
  const Value windows = rows_at(node, rows, packing, unsqueeze(node, packing.owners, {1}), places);
  Value y = reduce(node, ops::ReduceSum, node.op(ops::Multiply, {windows, filter}), {1});
  y = add_if_present(node, y, node.optional_input(Input::bias));
  const std::string activation = node.text_attribute("activation", "none");
  if (activation == "silu" || activation == "swish") {
    y = node.op(ops::Swish, {y});
  } else if (activation != "none") {
    node.fail("activation '" + activation + "' does not exist");
  }

  const Value owners = unsqueeze(node, enumerate_along(node, packing.starts, 0), {1});
  const Value lengths = unsqueeze(node, packing.lengths, {1});
  const Value last = node.op(
      ops::Add, {node.op(ops::Subtract, {lengths, length}), emit_range(node, length, ElementType::i64)});
  Values outputs{y, transpose(node, rows_at(node, rows, packing, owners, last), {0, 2, 1})};
  const std::int64_t capacity = node.integer_attribute("state_update_capacity", 0);
  if (capacity < 0) node.fail("state_update_capacity must not be negative");
  if (capacity == 0) return outputs;
  const Value counts = node.op(
      ops::Minimum,
      {unsqueeze(node, convert(node, node.input(Input::capture_count), ElementType::i64), {1}), lengths});
  const Value slots = emit_range(node, node.integer(capacity), ElementType::i64);
  const Value is_captured = unsqueeze(node, node.op(ops::Less, {slots, counts}), {2});
  const Value within = node.op(ops::Minimum, {slots, node.op(ops::Subtract, {lengths, node.integer(1)})});
  const Value values = rows_at(node, rows, packing, owners, within);
  outputs.push_back(node.op(ops::Select, {is_captured, values, node.number_like(0, values)}));
  return outputs;
}

/// Tokens [T, ...] as [B, S, ...]: the sequences as rows, with zeros after the end of the shorter ones.
struct Layout {
  Packing packing;  ///< of sequences of different lengths; null values if all have the same length
  Value rows;       ///< B, i64 [1]
  Value longest;    ///< S, i64 [1]
};

Layout read_layout(NodeContext& node, Value tokens, Value bounds, Value state) {
  if (!bounds) {
    const Value rows = dimension_of(node, state, 0);
    return {{}, rows, node.op(ops::Divide, {dimension_of(node, tokens, 0), rows})};
  }
  const Packing packing = read_packing(node, bounds, tokens);
  return {packing, dimension_of(node, packing.starts, 0),
          reduce_keep_dims(node, ops::ReduceMax, packing.lengths, {0})};
}

Value tokens_to_rows(NodeContext& node, const Layout& layout, Value tokens) {
  const std::int64_t rank = node.rank(tokens);
  if (!layout.packing.starts) {
    const Value sizes = concat(node, dimensions_of(node, tokens, 1, rank));
    return reshape(node, tokens, concat(node, {layout.rows, layout.longest, sizes}));
  }
  const Value times = emit_range(node, reshape_to_scalar(node, layout.longest), ElementType::i64);
  const Value lengths = unsqueeze(node, layout.packing.lengths, {1});
  const Value within = node.op(ops::Minimum, {times, node.op(ops::Subtract, {lengths, node.integer(1)})});
  const Value places = node.op(ops::Add, {unsqueeze(node, layout.packing.starts, {1}), within});
  const Value rows = gather(node, tokens, places);
  const Value is_inside = node.op(ops::Less, {times, lengths});
  return node.op(ops::Select,
                 {add_unit_dimensions(node, is_inside, 0, rank - 1), rows, node.number_like(0, rows)});
}

Value rows_to_tokens(NodeContext& node, const Layout& layout, Value rows) {
  const Value sizes = concat(node, dimensions_of(node, rows, 2, node.rank(rows)));
  const Value tokens =
      reshape(node, rows, concat(node, {node.op(ops::Multiply, {layout.rows, layout.longest}), sizes}));
  if (!layout.packing.starts) return tokens;
  const Value begins =
      node.op(ops::Multiply, {layout.packing.owners, reshape_to_scalar(node, layout.longest)});
  return gather(node, tokens, node.op(ops::Add, {begins, layout.packing.positions}));
}

/// Heads [..., H, D] with the length 1.
Value normalize_heads(NodeContext& node, Value heads) {
  const Value squares = reduce_keep_dims(node, ops::ReduceSum, node.op(ops::Multiply, {heads, heads}), {-1});
  const Value sums = node.op(ops::Add, {squares, node.number_like(1e-12, squares)});
  return divide(node, heads, node.op(ops::Sqrt, {sums}));
}

/// The decay [..., H] or [..., H, D], computed from the projection `x` of the same shape.
Value activate_decay(NodeContext& node, Value x, std::int64_t heads, bool is_keyed) {
  using Input = inputs::microsoft::GatedDeltaNet;
  const std::string activation = node.text_attribute("gate_activation", "none");
  if (activation == "none") return x;
  const auto parameter = [&](std::size_t index) {
    return is_keyed ? reshape(node, node.input(index), {heads, -1}) : node.input(index);
  };
  const Value rate = node.op(ops::Exp, {parameter(Input::a_log)});
  const Value shifted = node.op(ops::Add, {x, parameter(Input::dt_bias)});
  if (activation == "softplus" || activation == "qwen")
    return node.op(ops::Negative, {node.op(ops::Multiply, {rate, node.op(ops::SoftPlus, {shifted})})});
  if (activation != "sigmoid" && activation != "kda")
    node.fail("gate_activation '" + activation + "' does not exist");
  const Value opened = node.op(ops::Sigmoid, {node.op(ops::Multiply, {rate, shifted})});
  return multiply_by(node, opened, node.real_attribute("gate_lower_bound", -5));
}

/// The size along an axis, which must be static.
std::int64_t require_size(NodeContext& node, Value value, std::int64_t axis) {
  const ir::Dimension size = value.shape()[static_cast<std::size_t>(node.axis(axis, node.rank(value)))];
  if (size.is_dynamic() || size.size() == 0)
    node.fail("the numbers of heads and their sizes must be known when the model is converted, and not be 0");
  return size.size();
}

/// Each of the heads [..., H, D] several times, one after the other.
Value repeat_heads(NodeContext& node, Value heads, std::int64_t count) {
  const std::int64_t axis = node.rank(heads) - 2;
  const std::int64_t given = require_size(node, heads, axis);
  if (given == count) return heads;
  if (count % given != 0)
    node.fail("the number of heads of the values must be a multiple of those of the queries and of the keys");
  const Value repeated = emit_range(node, node.integer(count), ElementType::i64);
  return gather(node, heads, node.op(ops::Divide, {repeated, node.integer(count / given)}), axis);
}

/// Query, key and value, each [..., H, D] in f32.
std::array<Value, 3> read_heads(NodeContext& node, Value state) {
  using Input = inputs::microsoft::GatedDeltaNet;
  const auto read = [&](std::size_t index) { return convert(node, node.input(index), ElementType::f32); };
  if (node.has_input(Input::key)) return {read(Input::query), read(Input::key), read(Input::value)};
  if (!state) node.fail("a packed query needs the input initial_state");
  const Value packed = read(Input::query);
  const std::int64_t value_size = require_size(node, state, 2);
  const std::int64_t size = require_size(node, state, 3);
  const std::int64_t value_width = ir::checked_multiply(require_size(node, state, 1), value_size);
  const std::int64_t packed_width = require_size(node, packed, -1);
  const std::int64_t width = (packed_width - value_width) / 2;
  if (width < size || width % size != 0 || 2 * width + value_width != packed_width)
    node.fail("the packed query must hold queries, keys and values of the sizes of initial_state");
  const auto part = [&](std::int64_t begin, std::int64_t end, std::int64_t head_size) {
    std::vector<std::int64_t> shape(static_cast<std::size_t>(node.rank(packed)) + 1, 0);
    shape[shape.size() - 2] = (end - begin) / head_size;
    shape.back() = head_size;
    return reshape_keeping(node, slice(node, packed, begin, end, node.rank(packed) - 1), shape);
  };
  return {part(0, width, size), part(width, 2 * width, size),
          part(2 * width, 2 * width + value_width, value_size)};
}

/// LinearAttention of ONNX on its inputs with the attributes of `node`.
Operands emit_linear_attention(NodeContext& node, const Operands& inputs, std::int64_t heads,
                               const std::string& rule) {
  onnx::NodeProto call;
  call.set_op_type("LinearAttention");
  for (const std::string_view name : {"query", "key", "value", "past_state", "decay", "beta"}) {
    const bool is_present = !is_absent(inputs[static_cast<std::size_t>(call.input_size())]);
    call.add_input(is_present ? std::string(name) : std::string());
  }
  call.add_output("output");
  call.add_output("present_state");
  const auto set = [&](std::string_view name, onnx::AttributeProto::AttributeType type) {
    onnx::AttributeProto& attribute = *call.add_attribute();
    attribute.set_name(std::string(name));
    attribute.set_type(type);
    return &attribute;
  };
  set("q_num_heads", onnx::AttributeProto::INT)->set_i(heads);
  set("kv_num_heads", onnx::AttributeProto::INT)->set_i(heads);
  set("scale", onnx::AttributeProto::FLOAT)->set_f(static_cast<float>(node.real_attribute("scale", 0)));
  set("update_rule", onnx::AttributeProto::STRING)->set_s(rule);
  return translate_function_body(node, call, 27, inputs);
}

/// GatedDeltaNet: LinearAttention of ONNX on the sequences, after the activations that it includes.
Values gated_delta_net(NodeContext& node) {
  using Input = inputs::microsoft::GatedDeltaNet;
  if (node.flag_attribute("state_update_capacity")) node.fail("updates of states are not converted");
  const Value state = node.optional_input(Input::initial_state);
  auto [query, key, value] = read_heads(node, state);
  const std::int64_t rank = node.rank(query);
  const std::int64_t heads = require_size(node, value, rank - 2);
  if (node.flag_attribute("qk_l2_norm")) {
    query = normalize_heads(node, query);
    key = normalize_heads(node, key);
  }
  query = repeat_heads(node, query, heads);
  key = repeat_heads(node, key, heads);

  Layout layout;
  if (rank == 3) layout = read_layout(node, query, node.optional_input(Input::cu_seqlens), state);
  const auto as_rows = [&](Value tokens) {
    const Value rows = rank == 3 ? tokens_to_rows(node, layout, tokens) : tokens;
    return node.rank(rows) == 4 ? reshape_keeping(node, rows, {0, 0, -1}) : rows;
  };
  const std::string rule = node.text_attribute("update_rule", "gated_delta");
  Operands inputs{as_rows(query), as_rows(key), as_rows(value), {}, {}, {}};
  if (state) inputs[3] = transpose(node, state, {0, 1, 3, 2});
  if (rule.starts_with("gated")) {
    const Value decay = convert(node, node.input(Input::decay), ElementType::f32);
    inputs[4] = as_rows(activate_decay(node, decay, heads, node.rank(decay) == rank));
  }
  if (rule.ends_with("delta")) {
    const Value beta = convert(node, node.input(Input::beta), ElementType::f32);
    const bool is_open = node.text_attribute("beta_activation", "none") == "sigmoid";
    inputs[5] = as_rows(is_open ? node.op(ops::Sigmoid, {beta}) : beta);
  }

  const Operands outputs = emit_linear_attention(node, inputs, heads, rule);
  Value y = reshape_keeping(node, as_tensor(outputs[0]), {0, 0, heads, -1});
  if (rank == 3) y = rows_to_tokens(node, layout, y);
  return {convert(node, y, node.input(Input::query).type()),
          transpose(node, as_tensor(outputs[1]), {0, 1, 3, 2})};
}

}  // namespace

std::vector<TranslatorRow> microsoft_packed_token_translators() {
  return {
      {"VarlenCausalConvWithState", 1, packed_causal_conv, "input kernel_delta", "group_size delta_offset"},
      {"GatedDeltaNet", 1, gated_delta_net, "updates of states",
       "chunk_size gate_activation gate_lower_bound beta_activation"},
  };
}

}  // namespace onnx2ir::frontend
