// Gates and mixtures of recent language models, computed in f32 and rounded once at the end.
#include "frontend/translators/com_microsoft/delegate.hpp"
#include "frontend/translators/com_microsoft/operands.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/operands.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

Value read_number(NodeContext& node, std::size_t index) {
  return convert(node, node.input(index), ElementType::f32);
}

/// ScaledSiLU: z * sigmoid(z) with z = scale * x, rounded after each step.
Values scaled_silu(NodeContext& node) {
  using Input = inputs::microsoft::ScaledSiLU;
  const ElementType type = node.input(Input::X).type();
  const Value scale = node.has_input(Input::scale)
                          ? reshape_to_scalar(node, read_number(node, Input::scale))
                          : node.number(node.real_attribute("alpha", 1), ElementType::f32);
  const Value z = convert(node, node.op(ops::Multiply, {read_number(node, Input::X), scale}), type);
  return {node.op(ops::Multiply, {z, node.op(ops::Sigmoid, {z})})};
}

/// GatedAdd: x + y * gate. With weights, the gate is projected to one number and opened by a Sigmoid.
Values gated_add(NodeContext& node) {
  using Input = inputs::microsoft::GatedAdd;
  Value gate = node.input(Input::gate);
  if (const Value weight = node.optional_input(Input::gate_weight))
    gate = node.op(ops::Sigmoid, {mat_mul(node, gate, weight)});
  return {node.op(ops::Add, {node.input(Input::X), node.op(ops::Multiply, {node.input(Input::Y), gate})})};
}

/// GatedRMSNorm: normalises groups of the length of the scale, and multiplies by the activated gate.
Values gated_rms_norm(NodeContext& node) {
  using Input = inputs::microsoft::GatedRMSNorm;
  const std::string activation = node.text_attribute("activation", "silu");
  if (activation != "silu" && activation != "swish" && activation != "sigmoid")
    node.fail("activation '" + activation + "' does not exist");
  const Value input = node.input(Input::X);
  const Value scale = read_number(node, Input::scale);
  const Value shape = concat(node, {node.integers({-1}), dimension_of(node, scale, 0)});
  const Value x = reshape(node, read_number(node, Input::X), shape);
  const Value y =
      node.op(ops::Multiply, {normalize_by_rms(node, x, node.real_attribute("epsilon", 1e-5F)), scale});
  const Value gate = read_number(node, Input::gate);
  const Value opened = node.op(activation == "sigmoid" ? ops::Sigmoid : ops::Swish, {gate});
  const Value product = node.op(ops::Multiply, {reshape(node, y, shape_of(node, input)), opened});
  return {convert(node, product, input.type())};
}

/// Branches [..., C, H] of streams that may be flattened, [..., C * H].
Value split_into_branches(NodeContext& node, Value streams, std::int64_t count) {
  if (count == 0) return streams;
  const std::int64_t rank = node.rank(streams);
  if (rank < 1 || count < 1) node.fail("the streams cannot be divided into branches");
  std::vector<std::int64_t> shape(static_cast<std::size_t>(rank) + 1, 0);
  shape[static_cast<std::size_t>(rank) - 1] = count;
  shape.back() = -1;
  const ir::Dimension width = streams.shape()[static_cast<std::size_t>(rank) - 1];
  if (width.is_static()) shape.back() = width.size() / count;
  return reshape_keeping(node, streams, shape);
}

Values branchwise_rms_norm(NodeContext& node) {
  using Input = inputs::microsoft::BranchwiseRMSNorm;
  const Value input = node.input(Input::X);
  const Value x =
      split_into_branches(node, read_number(node, Input::X), node.integer_attribute("num_branches", 0));
  Value y = normalize_by_rms(node, x, node.real_attribute("epsilon", 1e-5F));
  if (node.has_input(Input::scale)) {
    Value scale = read_number(node, Input::scale);
    const ir::Dimension width = x.shape()[x.shape().rank() - 1];
    const bool is_shared = scale.shape()[scale.shape().rank() - 1] == width;
    if (!is_shared)
      scale =
          reshape(node, scale, concat(node, {dimension_of(node, x, node.rank(x) - 2), node.integers({-1})}));
    y = node.op(ops::Multiply, {y, scale});
  }
  const Value result = convert(node, y, input.type());
  return {reshape(node, result, shape_of(node, input))};
}

/// Gates [..., C], [..., C, 1], [..., C, H] or, for flattened streams, [..., C * H], in a shape that
/// broadcasts to `branches`.
Value reshape_gates(NodeContext& node, Value gates, Value branches) {
  const std::int64_t missing = node.rank(branches) - node.rank(gates);
  if (missing == 0) return gates;
  const auto rank = static_cast<std::size_t>(node.rank(branches));
  const ir::Dimension count = branches.shape()[rank - 2];
  const ir::Dimension last = gates.shape()[rank - 2];
  // Flattened streams have a known number of branches. One gate for each branch becomes [..., C, 1].
  const bool is_one_each = count.is_dynamic() || last == count;
  return is_one_each ? unsqueeze(node, gates, {node.rank(gates)})
                     : split_into_branches(node, gates, count.size());
}

/// HyperConnectionPreMix: the sum of the branches, each multiplied by its gate.
Values hyper_connection_pre_mix(NodeContext& node) {
  using Input = inputs::microsoft::HyperConnectionPreMix;
  const Value x =
      split_into_branches(node, read_number(node, Input::streams), node.integer_attribute("num_branches", 0));
  const Value product =
      node.op(ops::Multiply, {x, reshape_gates(node, read_number(node, Input::pre_mix), x)});
  const Value sum = reduce(node, ops::ReduceSum, product, {-2});
  const double scale = node.real_attribute("reduction_scale", 1);
  return {convert(node, node.op(ops::Multiply, {sum, node.number_like(scale, sum)}),
                  node.input(Input::streams).type())};
}

/// HyperConnectionPostMix: mixes the branches, and adds the output of a block to each.
Values hyper_connection_post_mix(NodeContext& node) {
  using Input = inputs::microsoft::HyperConnectionPostMix;
  const Value input = node.input(Input::streams);
  Value x =
      split_into_branches(node, read_number(node, Input::streams), node.integer_attribute("num_branches", 0));
  const Value gates = reshape_gates(node, read_number(node, Input::post_mix), x);
  if (node.has_input(Input::stream_mix))
    x = mat_mul(node, read_number(node, Input::stream_mix), x, {.a = true});
  const Value block = unsqueeze(node, read_number(node, Input::block_output),
                                {node.rank(node.input(Input::block_output)) - 1});
  const Value sum = node.op(ops::Add, {x, node.op(ops::Multiply, {gates, block})});
  const Value result = convert(node, sum, input.type());
  return {reshape(node, result, shape_of(node, input))};
}

/// EngramGate: the value, gated by the similarity of key and query.
Values engram_gate(NodeContext& node) {
  using Input = inputs::microsoft::EngramGate;
  using Output = outputs::microsoft::EngramGate;
  const ElementType type = node.input(Input::key).type();
  const double epsilon = node.real_attribute("epsilon", 1e-5F);
  const auto normalized = [&](std::size_t x, std::size_t scale) {
    return node.op(ops::Multiply,
                   {normalize_by_rms(node, read_number(node, x), epsilon), read_number(node, scale)});
  };
  const Value product = node.op(ops::Multiply, {normalized(Input::key, Input::key_norm_scale),
                                                normalized(Input::query, Input::query_norm_scale)});
  const Value sum = reduce_keep_dims(node, ops::ReduceSum, product, {-1});
  const Value size = convert(node, size_of(node, node.input(Input::key), 3), ElementType::f32);
  const Value likeness = divide(node, sum, node.op(ops::Sqrt, {size}));
  const Value strength = node.op(
      ops::Sqrt, {node.op(ops::Maximum, {node.op(ops::Abs, {likeness}), node.number_like(1e-6F, likeness)})});
  const Value gate =
      node.op(ops::Sigmoid, {node.op(ops::Multiply, {node.op(ops::Sign, {likeness}), strength})});
  const Value gated = node.op(ops::Multiply, {gate, unsqueeze(node, read_number(node, Input::value), {2})});
  const Value output = convert(node, gated, type);
  const bool has_scale = node.has_input(Input::conv_norm_scale);  // may be there without the second output
  if (!node.has_output(Output::gated_value_normed)) return {output};
  if (!has_scale) node.fail("the output gated_value_normed needs the input conv_norm_scale");
  const Value scale = read_number(node, Input::conv_norm_scale);
  const Value normed = node.op(ops::Multiply, {normalize_by_rms(node, gated, epsilon), scale});
  return {output, convert(node, normed, type)};
}

/// LinearAttentionGate: decay_scale * softplus(a + dt_bias), and sigmoid(b).
Values linear_attention_gate(NodeContext& node) {
  using Input = inputs::microsoft::LinearAttentionGate;
  using Output = outputs::microsoft::LinearAttentionGate;
  const ElementType type = node.input(Input::a).type();
  const Value soft = node.op(
      ops::SoftPlus, {node.op(ops::Add, {read_number(node, Input::a), read_number(node, Input::dt_bias)})});
  Values outputs{convert(node, node.op(ops::Multiply, {soft, read_number(node, Input::decay_scale)}), type)};
  if (node.has_output(Output::beta))
    outputs.push_back(convert(node, node.op(ops::Sigmoid, {read_number(node, Input::b)}), type));
  return outputs;
}

/// [B, S, d1, d2 ...] as [B, d1 * d2 ..., S].
Value move_joint_channels_first(NodeContext& node, Value value) {
  const Value joint = node.rank(value) == 3 ? value : reshape_keeping(node, value, {0, 0, -1});
  return transpose(node, joint, {0, 2, 1});
}

/// [B, d1 * d2 ..., S] in the layout of `like` [B, ?, d1, d2 ...].
Value move_split_channels_last(NodeContext& node, Value value, Value like) {
  const Value swapped = transpose(node, value, {0, 2, 1});
  if (node.rank(like) == 3) return swapped;
  const Value channels = slice(node, shape_of(node, like), 2, kFarEnd, 0);
  const Value length = dimension_of(node, swapped, 1);
  return reshape(node, swapped, concat(node, {dimension_of(node, like, 0), length, channels}));
}

/// CausalConvWithState along one axis, with one state. With channels_last, channels may have several axes.
Values causal_conv_with_state(NodeContext& node) {
  using Input = inputs::CausalConvWithState;
  const bool is_last = node.flag_attribute("channels_last");
  const std::int64_t state_order = node.integer_attribute("state_channels_last", -1);  // -1: of the data
  bool is_extended =
      node.integer_attribute("ndim", 1) != 1 || (state_order >= 0 && (state_order != 0) != is_last);
  for (const std::string_view name :
       {"state_window", "state_length", "state_update_capacity", "input_channel_offset", "input_channels"}) {
    is_extended = node.flag_attribute(name) || is_extended;
  }
  if (is_extended)
    node.fail("several axes, windows and updates of states, and parts of channels are not converted",
              "onnxruntime's CPU provider has none of them: export the model for CPUs");
  Operands inputs = node.operands();
  if (is_last) {
    inputs[Input::input] = move_joint_channels_first(node, node.input(Input::input));
    if (node.has_input(Input::past_state))
      inputs[Input::past_state] = move_joint_channels_first(node, node.input(Input::past_state));
  }
  Values outputs = translate_as(node, "CausalConvWithState", 27, inputs);
  if (is_last) {
    for (Value& output : outputs) output = move_split_channels_last(node, output, node.input(Input::input));
  }
  return outputs;
}

/// LinearAttention: the part that equals ONNX's operator.
Operands linear_attention(NodeContext& node) {
  if (node.flag_attribute("state_window")) node.fail("windows of states are not converted");
  node.mark_all_as_read();
  return translate_function_body(node, 27);
}

}  // namespace

std::vector<TranslatorRow> microsoft_gate_translators() {
  return {
      {"ScaledSiLU", 1, scaled_silu, {}, "alpha"},
      {"GatedAdd", 1, gated_add},
      {"GatedRMSNorm", 1, gated_rms_norm},
      {"BranchwiseRMSNorm", 1, branchwise_rms_norm},
      {"HyperConnectionPreMix", 1, hyper_connection_pre_mix},
      {"HyperConnectionPostMix", 1, hyper_connection_post_mix},
      {"EngramGate", 1, engram_gate},
      {"LinearAttentionGate", 1, linear_attention_gate},
      {"LinearAttention", 1, linear_attention, "windows of states"},
      {"CausalConvWithState", 1, causal_conv_with_state,
       "several axes, windows and updates of states, parts of channels"},
  };
}

}  // namespace onnx2ir::frontend
