#include "frontend/translators/com_microsoft/masked_cache.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "frontend/graph/graph_translator.hpp"
#include "frontend/translators/com_microsoft/attention_parts.hpp"
#include "frontend/translators/com_microsoft/operands.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"
#include "ir/cache_names.hpp"
#include "ir/size_rules.hpp"
#include "ir/views/elementwise.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/reduction.hpp"

namespace onnx2ir::frontend {
namespace {

using Input = inputs::microsoft::GroupQueryAttention;
using Output = outputs::microsoft::GroupQueryAttention;

constexpr int kMaxSteps = 8;           ///< many nodes may have the same long chain before them
constexpr std::size_t kMaxInputs = 8;  ///< other inputs of a language model are before its caches

/// `value` before changes of its integer type and of its shape.
Value without_views(Value value) {
  for (int step = 0; step < kMaxSteps && value.type() != ElementType::boolean; ++step) {
    if (!value.node->is_one_of({ops::Convert, ops::Reshape, ops::Squeeze, ops::Unsqueeze})) break;
    value = value.node->input(0);
  }
  return value;
}

/// The value of which `value` is the sum along the axis 1, less 1; null if it is something else.
Value summed_mask(Value value) {
  const Value shifted = without_views(value);
  const auto difference = ir::match<ir::SubtractView>(shifted);
  const auto addition = ir::match<ir::AddView>(shifted);
  const bool is_less_1 = (difference && ir::exact_values(difference->b()) == ir::Integers{1}) ||
                         (addition && ir::exact_values(addition->b()) == ir::Integers{-1});
  if (!is_less_1) return {};
  const auto sum = ir::match<ir::ReduceSumView>(without_views(difference ? difference->a() : addition->a()));
  if (!sum) return {};
  const Value mask = sum->data();
  const auto axes = ir::exact_values(sum->axes());
  const bool is_along_1 = axes && axes->size() == 1 && (axes->front() == 1 || axes->front() == -1);
  const bool is_matrix = mask.shape().has_rank() && mask.shape().rank() == 2;
  return is_along_1 && is_matrix && ir::is_integral(mask.type()) ? mask : Value{};
}

/// Whether `past` is an input of the model whose length is not fixed.
bool is_growing_input(Value past) {
  const PartialShape& shape = past.shape();
  return past.node->is(ops::Parameter) && shape.has_rank() && shape.rank() == 4 && shape[2].is_dynamic();
}

/// Whether `past` and the output `index` of the node are the ends of a cache. Without this output, `past` may
/// be the cache to which another layer appends.
bool is_cache(NodeContext& node, Value past, std::size_t index) {
  if (node.has_output(index)) {
    const std::string_view present = node.output_name(index);
    return is_growing_input(past) && node.translator().is_output(present) &&
           ir::are_ends_of_a_cache(past.node->name, present);
  }
  const auto concat = ir::match<ir::ConcatView>(past);
  if (!concat) return false;
  const Value source = concat->parts().front();
  return is_growing_input(source) && std::ranges::any_of(past.output().names, [&](const auto& name) {
           return node.translator().is_output(name) && ir::are_ends_of_a_cache(source.node->name, name);
         });
}

/// Whether the caches become variables (passes/optimize/keep_caches_in_variables.cpp).
bool become_variables(NodeContext& node) {
  const GraphTranslator& translator = node.translator();
  const bool may_have_variables =
      translator.attempt().input->options->stateful && translator.kind() == GraphTranslator::Kind::main;
  return may_have_variables && node.has_input(Input::past_key) && node.has_input(Input::past_value) &&
         is_cache(node, node.input(Input::past_key), Output::present_key) &&
         is_cache(node, node.input(Input::past_value), Output::present_value);
}

/// Whether the node has an input, output or attribute that needs onnxruntime's layout of the cache, or a
/// quantised cache.
bool needs_packed_cache(NodeContext& node) {
  const bool has_bias = node.has_input(Input::attention_bias);
  const bool has_code = node.text_attribute("k_quant_type", "NONE") != "NONE" ||
                        node.text_attribute("v_quant_type", "NONE") != "NONE";
  const bool returns_scores = node.flag_attribute("qk_output") && node.has_output(Output::output_qk);
  return has_bias || has_code || returns_scores || !node.flag_attribute("causal", true);
}

/// The attention mask of the model from which the lengths of the node are computed; null if they are not.
Value mask_of_lengths(NodeContext& node) {
  const Value mask = summed_mask(node.input(Input::seqlens_k));
  if (!mask) return {};
  const Value longest = read_vector(node, Input::total_sequence_length, ElementType::i64);
  return ir::is_size_of(longest, 0, mask, 1) ? mask : Value{};
}

/// A variable is empty at first, so that it does not have the size of the window.
void check_window_of_variable(NodeContext& node) {
  if (!node.flag_attribute("sliding_window_cache")) return;
  node.fail(
      "its cache of the window (sliding_window_cache) cannot be kept in a variable, because the lengths are "
      "not computed from an input attention_mask, or because it has a bias, scores as an output, or a "
      "quantised cache",
      "convert it without --stateful, or export the model with a cache of the whole sequence");
}

/// The number of queries, i64 [1]: from an input of the model if possible, so that all layers share it.
Value count_queries(NodeContext& node, Value query) {
  const Value states = node.input(Input::query);
  const std::vector<ir::Node*>& parameters = node.translator().graph().parameters();
  for (ir::Node* parameter : std::span(parameters).first(std::min(kMaxInputs, parameters.size()))) {
    const PartialShape& shape = parameter->output(0).shape;
    if (shape.has_rank() && shape.rank() >= 2 && shape[1].is_dynamic() &&
        ir::have_equal_sizes(states, 1, parameter->value(), 1))
      return dimension_of(node, parameter->value(), 1);
  }
  return dimension_of(node, query, 2);
}

}  // namespace

std::optional<MaskedTokens> find_masked_tokens(NodeContext& node, Value query) {
  if (!become_variables(node)) return std::nullopt;
  const Value mask = needs_packed_cache(node) ? Value{} : mask_of_lengths(node);
  if (!mask) {
    check_window_of_variable(node);
    return std::nullopt;
  }
  MaskedTokens tokens;
  tokens.counts = node.op(ops::NotEqual, {mask, node.number_like(0, mask)});
  const Value one = node.integer(1);
  const Value sums = cumulative_sum(node, convert(node, mask, ElementType::i64), 1);
  tokens.positions = node.op(ops::Maximum, {node.op(ops::Subtract, {sums, one}), node.integer(0)});
  const Value total = dimension_of(node, mask, 1);
  const Value count = count_queries(node, query);
  tokens.own = node.op(ops::Add, {node.op(ops::Subtract, {total, count}), emit_range(node, count)});
  return tokens;
}

Value compute_query_positions(NodeContext& node, const MaskedTokens& tokens) {
  return gather(node, tokens.positions, tokens.own, 1);
}

Value find_seen_keys(NodeContext& node, const MaskedTokens& tokens, std::int64_t window) {
  const Value keys = enumerate_along(node, tokens.counts, 1);
  const Value own = unsqueeze(node, tokens.own, {1});
  const Value is_itself = node.op(ops::Equal, {keys, own});
  const Value is_past = node.op(ops::Less, {keys, own});
  const Value counts = unsqueeze(node, tokens.counts, {1, 2});
  Value is_seen = node.op(ops::LogicalAnd, {is_past, counts});
  if (window >= 1) {
    const Value first = node.op(ops::Subtract, {compute_query_positions(node, tokens), node.integer(window)});
    const Value is_near =
        node.op(ops::Greater, {unsqueeze(node, tokens.positions, {1, 2}), unsqueeze(node, first, {1, 3})});
    is_seen = node.op(ops::LogicalAnd, {is_seen, is_near});
  }
  return node.op(ops::LogicalOr, {is_seen, is_itself});
}

Value append_to_cache(NodeContext& node, Value past, Value now) {
  return now.shape()[2] == 0 ? past : concat(node, {past, now}, 2);
}

}  // namespace onnx2ir::frontend
