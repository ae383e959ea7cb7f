// GreedySearch: selects the best token in each step until all rows have ended. Sampling: draws one of the
// best tokens at random.
#include <optional>
#include <vector>

#include "frontend/translators/com_microsoft/operands.hpp"
#include "frontend/translators/com_microsoft/score_rules.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/random.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

// GreedySearch lacks the last ones.
using Input = inputs::microsoft::Sampling;

/// The tokens that Sampling draws from: the best ones whose probabilities sum up to `top_p`.
struct Sampling {
  double top_p;
  double filter_value;  ///< the score of the others
  std::int64_t least_kept;
  bool is_custom;         ///< includes the token that exceeds the sum, and keeps at least one token
  std::int64_t seed = 0;  ///< 0: a different one in each run
};

struct GreedySearch {
  ScoreRules rules;
  std::optional<Sampling> sampling;  ///< no value: the best token is selected
  std::int64_t pad_token;
};

/// The state between two steps.
struct Progress {
  DecoderState decoder;
  Value sequences;  ///< i32 [rows, length]
  Value has_ended;  ///< boolean [rows, 1]

  std::vector<Value*> parts() {
    std::vector<Value*> all = decoder.parts();
    all.insert(all.end(), {&sequences, &has_ended});
    return all;
  }
};

GreedySearch read_search(NodeContext& node) {
  if (node.flag_attribute("model_type")) node.fail("only decoders of GPT-2 (model_type 0) are converted");
  GreedySearch search;
  search.pad_token = node.integer_attribute("pad_token_id");
  search.rules = read_rules(
      node, {Input::min_length, Input::repetition_penalty, Input::vocab_mask, Input::prefix_vocab_mask});
  return search;
}

Sampling read_sampling(NodeContext& node) {
  if (node.has_input(Input::presence_mask)) node.fail("presence_mask is not converted");
  Sampling sampling;
  sampling.top_p = node.real_attribute("top_p", 0);
  sampling.filter_value = node.real_attribute("filter_value", -1e20);
  sampling.least_kept = node.integer_attribute("min_tokens_to_keep", 0);
  sampling.is_custom = node.flag_attribute("custom");
  if (node.has_input(Input::seed)) {
    // The seeds of OpenVINO's operations are attributes.
    if (const auto known = node.known_integers(node.input(Input::seed)); known && known->size() == 1)
      sampling.seed = known->front();
  }
  return sampling;
}

/// Which elements of `probabilities`, in descending order in each row, tokens are drawn from.
Value find_kept_places(Builder& builder, const Sampling& sampling, Value probabilities) {
  const auto sums = [&](bool is_exclusive, bool is_reverse) {
    return builder.op(ops::CumSum, {probabilities, builder.integer(1)},
                      {{"exclusive", is_exclusive}, {"reverse", is_reverse}});
  };
  if (sampling.is_custom)
    return builder.op(ops::LessEqual, {sums(true, false), builder.number(sampling.top_p, ElementType::f32)});
  const Value kept =
      builder.op(ops::Greater, {sums(false, true), builder.number(1 - sampling.top_p, ElementType::f32)});
  const Value places = enumerate_along(builder, probabilities, 1);
  return builder.op(ops::LogicalOr,
                    {kept, builder.op(ops::Less, {places, builder.integer(sampling.least_kept)})});
}

/// A token for each row, i32 [rows, 1].
Value draw_token(SearchScope& scope, const Sampling& sampling, Value scores, bool is_first) {
  const Best sorted = find_best(scope, scores, size_of(scope, scores, 1));
  const Value probabilities = scope.op(ops::SoftMax, {sorted.values}, {{"axis", 1}});
  const Value kept = scope.op(ops::Select, {find_kept_places(scope, sampling, probabilities), sorted.values,
                                            scope.number(sampling.filter_value, ElementType::f32)});
  // The first step is outside of the Loop: with the same seeds it would draw the numbers of the second step.
  const std::int64_t stream = is_first ? 1 : 2;
  const Seeds seeds = sampling.seed == 0 ? Seeds{} : Seeds{stream, sampling.seed};
  const Value place = draw_classes(scope, kept, scope.integers({1}), ElementType::i32, seeds);
  return scope.op(ops::GatherElements, {sorted.indices, place}, {{"axis", 1}});
}

/// Appends a token to each row; rows that have ended get the padding token.
void choose(SearchScope& scope, const GreedySearch& search, Value logits, Progress& progress, bool is_first) {
  const Value scores = apply_score_rules(scope, search.rules, logits, progress.sequences, is_first);
  const Value token = search.sampling ? draw_token(scope, *search.sampling, scores, is_first)
                                      : find_best(scope, scores, scope.integer(1)).indices;
  const Value is_end = scope.op(ops::Equal, {token, scope.integer(search.rules.end_token, ElementType::i32)});
  progress.has_ended = scope.op(ops::LogicalOr, {progress.has_ended, is_end});
  const Value pad = scope.integer(search.pad_token, ElementType::i32);
  progress.decoder.tokens = scope.op(ops::Select, {progress.has_ended, pad, token});
  progress.sequences = concat(scope, {progress.sequences, progress.decoder.tokens}, 1);
}

Value emit_is_unfinished(Builder& builder, const Progress& progress) {
  const Value all = reduce(builder, ops::ReduceLogicalAnd, progress.has_ended, {0, 1});
  return builder.op(ops::LogicalNot, {all});
}

Values generate(NodeContext& node, const GreedySearch& search) {
  const Value prompt = node.input(Input::input_ids);
  if (node.rank(prompt) != 2) node.fail("input_ids must be a matrix");
  DecoderStep first = start_gpt(node, prompt, node.optional_input(Input::attention_mask), search.pad_token);
  const Value rows = concat(node, {dimension_of(node, prompt, 0), node.integers({1})});
  Progress progress{std::move(first.next), prompt, fill(node, 0, ElementType::boolean, rows)};
  SearchScope outside(node.translator(), false);
  choose(outside, search, first.logits, progress, true);

  const Value length = read_vector(node, Input::max_length, ElementType::i64);
  const Value left = node.op(ops::Subtract, {length, dimension_of(node, progress.sequences, 1)});
  const auto step = [&](SearchScope& scope, const Values& states) {
    Progress now = restored(progress, states);
    DecoderStep result = run_decoder(node, scope, {}, now.decoder);
    now.decoder = std::move(result.next);
    choose(scope, search, result.logits, now, false);
    return Iteration{values_of(now), {}, emit_is_unfinished(scope, now)};
  };
  const Value most = squeeze(node, left, {0});
  const LoopOutputs last = repeat(node, most, emit_is_unfinished(node, progress), values_of(progress), step);
  return {fill_sequences(node, restored(progress, last.states).sequences, length, search.pad_token)};
}

Values greedy_search(NodeContext& node) {
  return generate(node, read_search(node));
}

Values sample(NodeContext& node) {
  GreedySearch search = read_search(node);
  if (const double temperature = node.real_attribute("temperature", 1); temperature != 1)
    search.rules.temperature = node.number(temperature, ElementType::f32);
  search.sampling = read_sampling(node);
  if (node.has_output(outputs::microsoft::Sampling::filtered_logits))
    node.fail("the filtered logits (output 1) are not converted");
  return generate(node, search);
}

}  // namespace

std::vector<TranslatorRow> microsoft_greedy_search_translators() {
  return {
      {"GreedySearch", 1, greedy_search, "decoders that share a buffer between past and present",
       "decoder_start_token_id"},
      {"Sampling", 1, sample,
       "decoders that share a buffer between past and present, presence_mask, the numbers that onnxruntime "
       "draws",
       "decoder_start_token_id presence_penalty=0"}};
}

}  // namespace onnx2ir::frontend
