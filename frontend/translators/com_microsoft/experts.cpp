// Mixtures of experts. All experts process all tokens; those that are not selected have weight 0.
#include <limits>

#include "frontend/translators/com_microsoft/operands.hpp"
#include "frontend/translators/com_microsoft/packed_weights.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"
#include "ir/checked_arithmetic.hpp"

namespace onnx2ir::frontend {
namespace {

/// A layer of all experts.
struct ExpertLayer {
  Value weights;  ///< [E, N, K]; null if the operator has no such layer
  Value bias;     ///< [E, N], null without one
};

/// The results [E, T, N] of a layer for `x` [E, T, K].
Value apply_layer(NodeContext& node, Value x, const ExpertLayer& layer) {
  const Value y = mat_mul(node, x, layer.weights, {.b = true});
  return layer.bias ? node.op(ops::Add, {y, unsqueeze(node, layer.bias, {1})}) : y;
}

/// swiglu: G * sigmoid(alpha * G) * (L + beta).
Value swiglu(NodeContext& node, Value gate, Value linear) {
  if (node.flag_attribute("swiglu_limit_after_activation"))
    node.fail("swiglu_limit_after_activation is not converted; onnxruntime's CPU provider does not have it");
  const auto number = [&](double value) { return node.number_like(value, gate); };
  if (node.has_attribute("swiglu_limit")) {
    const double limit = node.real_attribute("swiglu_limit");
    gate = node.op(ops::Minimum, {gate, number(limit)});
    linear = node.op(ops::Clamp, {linear}, {{"min", -limit}, {"max", limit}});
  }
  const Value opened = node.op(
      ops::Sigmoid, {node.op(ops::Multiply, {gate, number(node.real_attribute("activation_alpha", 1))})});
  const Value shifted = node.op(ops::Add, {linear, number(node.real_attribute("activation_beta", 0))});
  return node.op(ops::Multiply, {node.op(ops::Multiply, {gate, opened}), shifted});
}

/// Gate and linear part in one product: interleaved, or in two halves.
Value emit_fused_swiglu(NodeContext& node, Value y, bool is_interleaved) {
  if (is_interleaved) {
    const Value pairs = reshape_keeping(node, y, {0, 0, -1, 2});
    const Value first = gather(node, pairs, node.integer(0), 3);
    return swiglu(node, first, gather(node, pairs, node.integer(1), 3));
  }
  ir::Node& halves = node.node(ops::Split, {y, node.integer(2)}, {{"num_splits", 2}}, 2);
  return swiglu(node, halves.value(0), halves.value(1));
}

/// `y` activated by a function of one value.
Value activate_alone(NodeContext& node, Value y, const std::string& name) {
  if (name == "relu") return node.op(ops::ReLU, {y});
  if (name == "gelu") return node.op(ops::Gelu, {y}, {{"approximation_mode", "TANH"}});
  if (name == "silu") return node.op(ops::Swish, {y});
  if (name != "identity") node.fail("activation '" + name + "' does not exist");
  return y;
}

Value activate(NodeContext& node, Value x, const ExpertLayer& first, const ExpertLayer& third) {
  const std::string name = node.text_attribute("activation_type", "relu");
  const Value y = apply_layer(node, x, first);
  const std::int64_t fusion = node.integer_attribute("swiglu_fusion", 0);
  if (name == "swiglu" && fusion != 0) return emit_fused_swiglu(node, y, fusion == 1);
  const Value linear = third.weights ? apply_layer(node, x, third) : Value{};
  if (name == "swiglu") {
    if (!linear) node.fail("swiglu needs a third layer unless it is fused into the first");
    return swiglu(node, y, linear);
  }
  const Value result = activate_alone(node, y, name);
  return linear ? node.op(ops::Multiply, {result, linear}) : result;
}

/// Where the weights of the best experts come from, and whether their sum is 1.
struct Routing {
  Value mixing;  ///< [T, E]; null: the softmax of the scores
  bool is_normalized;
};

/// The weight of each expert for each token, [T, E]: 0 for all but the `k` best.
Value compute_routing_weights(NodeContext& node, const Routing& routing) {
  const Value logits = node.input(inputs::microsoft::MoE::router_probs);
  ir::Node& best = top_k(node, logits, node.integer(node.integer_attribute("k", 1)), 1);
  const auto at_best = [&](Value value) {
    return node.op(ops::GatherElements, {value, best.value(1)}, {{"axis", 1}});
  };
  Value chosen =
      routing.mixing ? at_best(routing.mixing) : at_best(node.op(ops::SoftMax, {logits}, {{"axis", 1}}));
  if (routing.is_normalized) {
    const Value sum = reduce_keep_dims(node, ops::ReduceSum, chosen, {1});
    chosen = divide(node, chosen, sum);
  }
  const Value zeros = fill(node, 0, logits.type(), shape_of(node, logits));
  return scatter(node, zeros, best.value(1), chosen, 1);
}

Value mix_experts(NodeContext& node, const ExpertLayer& first, const ExpertLayer& second,
                  const ExpertLayer& third, const Routing& routing) {
  const Value input = node.input(inputs::microsoft::MoE::input);
  const std::int64_t rank = node.rank(input);
  const Value tokens =
      rank == 2
          ? input
          : reshape(node, input, concat(node, {node.integers({-1}), dimension_of(node, input, rank - 1)}));
  const Value shape = concat(node, {dimension_of(node, first.weights, 0), dimension_of(node, tokens, 0),
                                    dimension_of(node, tokens, 1)});
  const Value y = apply_layer(node, activate(node, broadcast_to(node, tokens, shape), first, third), second);
  const Value weights = unsqueeze(node, transpose(node, compute_routing_weights(node, routing), {1, 0}), {2});
  const Value sum = reduce(node, ops::ReduceSum, node.op(ops::Multiply, {y, weights}), {0});
  return rank == 2 ? sum : reshape(node, sum, shape_of(node, input));
}

Values mixture_of_experts(NodeContext& node) {
  using Input = inputs::microsoft::MoE;
  const ExpertLayer first{node.input(Input::fc1_experts_weights),
                          node.optional_input(Input::fc1_experts_bias)};
  const ExpertLayer second{node.input(Input::fc2_experts_weights),
                           node.optional_input(Input::fc2_experts_bias)};
  const ExpertLayer third{node.optional_input(Input::fc3_experts_weights),
                          node.optional_input(Input::fc3_experts_bias)};
  return {mix_experts(node, first, second, third, {{}, node.flag_attribute("normalize_routing_weights")})};
}

/// The input indices of a layer in QMoE, and the attribute with its bits.
struct InputIndices {
  std::size_t weights;
  std::size_t scales;
  std::size_t bias;
  std::size_t zero_points;
  std::string_view bits;
};

ExpertLayer read_quantized_layer(NodeContext& node, const InputIndices& places) {
  const std::int64_t bits =
      node.integer_attribute(places.bits, node.integer_attribute("expert_weight_bits", 4));
  check_bits(node, bits);
  const auto stored = node.input(places.weights).shape().sizes();
  if (!stored || stored->size() != 3)
    node.fail("the shapes of the weights must be known when the model is converted");
  const std::int64_t experts = (*stored)[0];
  const std::int64_t rows = (*stored)[1];
  const std::int64_t columns = ir::checked_multiply((*stored)[2], 8 / bits);
  const std::int64_t block =
      node.integer_attribute("block_size", 0) > 0 ? node.integer_attribute("block_size") : columns;
  if (columns == 0 || columns % block != 0)
    node.fail("the columns of the weights cannot be divided into blocks");
  const std::int64_t blocks = columns / block;
  const ElementType type = node.input(inputs::microsoft::QMoE::input).type();
  const std::vector<std::int64_t> parameters{experts, rows, blocks, 1};
  const Value scales = convert(node, reshape_constant(node, node.input(places.scales), parameters), type);
  Value zero = node.number(static_cast<double>(std::int64_t{1} << (bits - 1)), type);
  if (node.has_input(places.zero_points)) {
    // Packed along the blocks or, if there is one block per row, along the rows.
    const std::vector<std::int64_t> packed = node.rank(node.input(places.zero_points)) == 3
                                                 ? std::vector<std::int64_t>{experts, rows, blocks}
                                                 : std::vector<std::int64_t>{experts, rows};
    zero = reshape(node, unpack_rows(node, places.zero_points, bits, packed, type), parameters);
  }
  const Value numbers =
      convert(node, unpack_input(node, places.weights, bits, {experts, rows, blocks, block}), type);
  const Value weights = node.op(ops::Multiply, {node.op(ops::Subtract, {numbers, zero}), scales});
  return {reshape(node, weights, {experts, rows, columns}), node.optional_input(places.bias)};
}

Values quantized_mixture_of_experts(NodeContext& node) {
  using Input = inputs::microsoft::QMoE;
  if (const std::string type = node.text_attribute("quant_type", "int"); type != "int")
    node.fail("weights of type '" + type + "' are not converted");
  if (node.integer_attribute("weights_prepacked", -1) > 0)
    node.fail("weights in the layout of one device (weights_prepacked) are not converted",
              "use the model from before it was prepared for that device");
  const ExpertLayer first =
      read_quantized_layer(node, {Input::fc1_experts_weights, Input::fc1_scales, Input::fc1_experts_bias,
                                  Input::fc1_zero_points, "fc1_expert_weight_bits"});
  const ExpertLayer second =
      read_quantized_layer(node, {Input::fc2_experts_weights, Input::fc2_scales, Input::fc2_experts_bias,
                                  Input::fc2_zero_points, "fc2_expert_weight_bits"});
  ExpertLayer third;
  if (node.has_input(Input::fc3_experts_weights))
    third =
        read_quantized_layer(node, {Input::fc3_experts_weights, Input::fc3_scales, Input::fc3_experts_bias,
                                    Input::fc3_zero_points, "fc3_expert_weight_bits"});
  // onnxruntime always normalises the softmax of the scores.
  const Value mixing = node.optional_input(Input::router_weights);
  const bool is_normalized = !mixing || node.flag_attribute("normalize_routing_weights");
  return {mix_experts(node, first, second, third, {mixing, is_normalized})};
}

/// The scores [T, E] of the experts in the best groups; lowest for the others. A group is as good as the sum
/// of its best experts.
Value limit_to_best_groups(NodeContext& node, Value scores) {
  const std::int64_t groups = node.positive_attribute("n_group", 1);
  if (groups == 1) return scores;
  const Value grouped = reshape_keeping(node, scores, {0, groups, -1});
  const Value size = size_of(node, grouped, 2);
  const Value counted = node.op(ops::Minimum, {size, node.integer(node.positive_attribute("group_topk", 2))});
  const Value sums = reduce(node, ops::ReduceSum, top_k(node, grouped, counted, 2).value(0), {2});
  const Value best = top_k(node, sums, node.integer(node.positive_attribute("topk_group", 1)), 1).value(1);
  const Value none = fill(node, 0, ElementType::i32, shape_of(node, sums));
  const Value marks = scatter(node, none, best, fill(node, 1, ElementType::i32, shape_of(node, best)), 1);
  const Value is_best = unsqueeze(node, convert(node, marks, ElementType::boolean), {2});
  const Value lowest = node.number_like(std::numeric_limits<float>::lowest(), grouped);
  const Value limited = node.op(ops::Select, {is_best, grouped, lowest});
  return reshape(node, limited, shape_of(node, scores));
}

/// MoEGroupRouter: the logarithms of the sigmoids of the chosen experts; or all sigmoids, with and without
/// bias.
Values group_router(NodeContext& node) {
  using Input = inputs::microsoft::MoEGroupRouter;
  const ElementType type = node.input(Input::logits).type();
  const Value bias = node.input(Input::expert_bias);
  Value logits = convert(node, node.input(Input::logits), bias.type());
  if (const Value weight = node.optional_input(Input::projection_weight))
    logits = mat_mul(node, logits, convert(node, weight, bias.type()), {.b = true});
  logits = reshape(node, logits, concat(node, {node.integers({-1}), dimension_of(node, bias, 0)}));
  const Value weights = node.op(ops::Sigmoid, {logits});
  const Value scores = node.op(ops::Add, {weights, bias});
  const Value candidates = limit_to_best_groups(node, scores);
  const Value chosen = top_k(node, candidates, node.integer(node.positive_attribute("top_k")), 1).value(1);
  const Value at_chosen = node.op(ops::GatherElements, {weights, chosen}, {{"axis", 1}});
  const Value logarithms =
      node.op(ops::Log, {node.op(ops::Maximum, {at_chosen, node.number_like(1e-20, at_chosen)})});
  const Value others =
      fill(node, node.real_attribute("router_sentinel", -10000), bias.type(), shape_of(node, scores));
  return {convert(node, scatter(node, others, chosen, logarithms, 1), type), scores, weights};
}

}  // namespace

std::vector<TranslatorRow> microsoft_expert_translators() {
  return {
      {"MoE",
       1,
       mixture_of_experts,
       {},
       "activation_alpha activation_beta use_sparse_mixer swiglu_limit_after_activation=0"},
      {"MoEGroupRouter", 1, group_router, {}, "group_topk topk_group"},
      {"QMoE", 1, quantized_mixture_of_experts, "floating-point weights",
       "activation_alpha activation_beta accuracy_level normalize_routing_weights use_sparse_mixer "
       "swiglu_limit_after_activation=0"},
  };
}

}  // namespace onnx2ir::frontend
