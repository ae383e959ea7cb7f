// BeamSearch: continues several sequences per prompt and returns the best ones. Rows are the beams of all
// prompts, grouped by prompt. Finished sequences are kept in one list per prompt, the best one first.
#include <limits>

#include "frontend/translators/com_microsoft/delegate.hpp"
#include "frontend/translators/com_microsoft/generation_decoder.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"
#include "ir/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// The inputs that do not change; values of the node's graph.
struct BeamSearch {
  ScoreRules rules;
  std::int64_t end_token;
  std::int64_t pad_token;
  bool is_early = false;  ///< a prompt is done when its list is full
  Value length;           ///< i64 [1]
  Value beams;            ///< i64 [1], of each prompt
  Value prompts;          ///< i64 [1]
  Value length_penalty;   ///< f32 [1]; null: no penalty
  Decoder decoder = {};
};

/// The list of finished sequences of each prompt.
struct FinishedSequences {
  Value scores;     ///< f32 [prompts, beams], -infinity for an empty entry
  Value sequences;  ///< i32 [prompts, beams, length]
  Value count;      ///< i32 [prompts, 1]
  Value is_done;    ///< boolean [prompts, 1]
};

/// The state between two steps.
struct Progress {
  DecoderState decoder;
  Value sequences;  ///< i32 [rows, length so far]
  Value scores;     ///< f32 [prompts, beams]
  FinishedSequences ended;

  Values flat() const {
    Values values = decoder.flat();
    for (const Value& value : {sequences, scores, ended.scores, ended.sequences, ended.count, ended.is_done})
      values.push_back(value);
    return values;
  }
  static Progress of(const Values& values, const Progress& like) {
    const Value* own = values.end() - 6;
    return {DecoderState::of(values, like.decoder), own[0], own[1], {own[2], own[3], own[4], own[5]}};
  }
};

/// Selects rows of `values` by `indices` [prompts, n] within each prompt.
Value pick(Builder& builder, Value values, Value indices) {
  return builder.op(ops::Gather, {values, indices, builder.integer(1)}, {{"batch_dims", 1}});
}

/// The first `count` (i64 [1]) columns.
Value first_columns(Builder& builder, Value values, Value count) {
  return slice(builder, values, builder.integers({0}), count, 1);
}

BeamSearch read_search(NodeContext& node, Value prompt) {
  BeamSearch search;
  search.end_token = node.integer("eos_token_id");
  search.pad_token = node.integer("pad_token_id");
  search.is_early = node.integer("early_stopping", 0) != 0;
  search.prompts = dimension_of(node, prompt, 0);
  search.length = parameter_of(node, 1, ElementType::i64);
  search.beams = parameter_of(node, 3, ElementType::i64);
  search.length_penalty = parameter_of(node, 5, ElementType::f32);
  search.rules = rules_of(node, 6);
  if (node.has_output(2)) node.fail("the scores of all tokens (output 2) are not converted");
  return search;
}

/// The score of a sequence: `sum` of its logarithms, normalised by its length.
Value by_length(SearchScope& scope, const BeamSearch& search, Value sum, Value length) {
  if (!search.length_penalty)
    return divide(scope.builder(), sum, convert(scope.builder(), length, ElementType::f32));
  Builder& builder = scope.builder();
  const Value power = builder.op(
      ops::Power, {convert(builder, length, ElementType::f32), scope.outer(search.length_penalty)});
  return divide(builder, sum, power);
}

/// The candidates for the next token of each prompt, [prompts, 2 * beams], the best one first.
struct Candidates {
  Value scores;
  Value tokens;  ///< i32
  Value beams;   ///< i32, of the prompt: the beam that it continues
  Value is_end;  ///< boolean
};

Candidates candidates(SearchScope& scope, const BeamSearch& search, Value logits, const Progress& now,
                      bool is_first) {
  Builder& builder = scope.builder();
  Value scores = builder.op(ops::LogSoftmax, {logits}, {{"axis", 1}});
  scores = apply_score_rules(scope, search.rules, scores, now.sequences, is_first);
  scores = builder.op(ops::Add, {scores, reshape(builder, now.scores, {-1, 1})});
  const Value vocabulary = convert(builder, size_of(builder, logits, 1), ElementType::i32);
  const Value beams = scope.outer(search.beams);
  const Value all =
      reshape(builder, scores, concat(builder, {scope.outer(search.prompts), builder.integers({-1})}));
  const Value count = squeeze(builder, builder.op(ops::Multiply, {beams, builder.integers({2})}), {0});
  const Best top = best(builder, all, count);
  Candidates found{top.values, {}, {}, {}};
  found.beams = divide(builder, top.indices, vocabulary);
  found.tokens =
      builder.op(ops::Subtract, {top.indices, builder.op(ops::Multiply, {found.beams, vocabulary})});
  found.is_end = builder.op(ops::Equal, {found.tokens, builder.integer(search.end_token, ElementType::i32)});
  return found;
}

/// The row numbers of `beams` (i32 [prompts, n]) of each prompt, i32.
Value rows_of(SearchScope& scope, const BeamSearch& search, Value beams) {
  Builder& builder = scope.builder();
  const Value firsts = builder.op(
      ops::Multiply, {numbers_below(builder, scope.outer(search.prompts)), scope.outer(search.beams)});
  return builder.op(ops::Add, {unsqueeze(builder, convert(builder, firsts, ElementType::i32), {1}), beams});
}

/// Inserts `sequences` [prompts, n, length] with `scores` above -infinity into the list.
void insert(SearchScope& scope, const BeamSearch& search, Value scores, Value sequences,
            FinishedSequences& list) {
  Builder& builder = scope.builder();
  const Value count = squeeze(builder, scope.outer(search.beams), {0});
  const Value filled = filled_sequences(builder, sequences, scope.outer(search.length), search.pad_token);
  const Best kept = best(builder, concat(builder, {list.scores, scores}, 1), count);
  list.scores = kept.values;
  list.sequences = pick(builder, concat(builder, {list.sequences, filled}, 1), kept.indices);
}

Value lowest_score(Builder& builder) {
  return builder.number(-std::numeric_limits<double>::infinity(), ElementType::f32);
}

/// Inserts the candidates that end a sequence into the list if they are among the best `beams`.
void end_sequences(SearchScope& scope, const BeamSearch& search, const Candidates& found, Progress& now) {
  Builder& builder = scope.builder();
  FinishedSequences& list = now.ended;
  const Value beams = scope.outer(search.beams);
  const Value is_open = builder.op(ops::LogicalNot, {list.is_done});
  const Value ends = builder.op(ops::LogicalAnd, {first_columns(builder, found.is_end, beams), is_open});
  const Value length = dimension_of(builder, now.sequences, 1);
  const Value scores = by_length(scope, search, first_columns(builder, found.scores, beams), length);
  const Value rows = rows_of(scope, search, first_columns(builder, found.beams, beams));
  const Value ended_scores = builder.op(ops::Select, {ends, scores, lowest_score(builder)});
  insert(scope, search, ended_scores, gather(builder, now.sequences, rows), list);
  const Value added =
      reduce_keep_dims(builder, ops::ReduceSum, convert(builder, ends, ElementType::i32), {1});
  const Value limit = convert(builder, beams, ElementType::i32);
  list.count = builder.op(ops::Minimum, {builder.op(ops::Add, {list.count, added}), limit});
  Value is_done = builder.op(ops::GreaterEqual, {list.count, limit});
  if (!search.is_early) {
    // No open sequence can become better than the worst one in the list.
    const Value hope =
        by_length(scope, search, first_columns(builder, found.scores, builder.integers({1})), length);
    const Value worst = reduce_keep_dims(builder, ops::ReduceMin, list.scores, {1});
    is_done = builder.op(ops::LogicalAnd, {is_done, builder.op(ops::GreaterEqual, {worst, hope})});
  }
  list.is_done = builder.op(ops::LogicalOr, {list.is_done, is_done});
}

/// The best `beams` candidates that do not end a sequence become the new beams.
void continue_beams(SearchScope& scope, const BeamSearch& search, const Candidates& found, Progress& now) {
  Builder& builder = scope.builder();
  const Value beams = scope.outer(search.beams);
  const Value twice = builder.op(ops::Multiply, {beams, builder.integers({2})});
  const Value places = convert(builder, numbers_below(builder, twice), ElementType::i32);
  const Value order = builder.op(ops::Select, {found.is_end, convert(builder, twice, ElementType::i32),
                                               builder.integer(0, ElementType::i32)});
  const Value rank = builder.op(ops::Negative, {builder.op(ops::Add, {places, order})});
  const Value by_rank = convert(builder, rank, ElementType::f32);
  const Value kept = best(builder, by_rank, squeeze(builder, beams, {0})).indices;
  now.scores = pick(builder, found.scores, kept);
  const Value rows = reshape(builder, rows_of(scope, search, pick(builder, found.beams, kept)), {-1});
  now.decoder.tokens = reshape(builder, pick(builder, found.tokens, kept), {-1, 1});
  now.sequences = concat(builder, {gather(builder, now.sequences, rows), now.decoder.tokens}, 1);
  for (Value& cache : now.decoder.caches) cache = gather(builder, cache, rows, search.decoder.row_axis);
}

/// Selects tokens by `logits`. Returns whether any prompt is unfinished, a boolean scalar.
Value choose(SearchScope& scope, const BeamSearch& search, Value logits, Progress& now, bool is_first) {
  const Candidates found = candidates(scope, search, logits, now, is_first);
  end_sequences(scope, search, found, now);
  continue_beams(scope, search, found, now);
  Builder& builder = scope.builder();
  const Value all = reduce(builder, ops::ReduceLogicalAnd, now.ended.is_done, {0, 1});
  return builder.op(ops::LogicalNot, {all});
}

/// Runs the first step on the prompts, then repeats each of them for its beams.
void spread(NodeContext& node, BeamSearch& search, DecoderStep& first, Value& sequences) {
  const Value prompts = unsqueeze(node, numbers_below(node, search.prompts), {1});
  const Value sizes = concat(node, {search.prompts, search.beams});
  const Value rows = reshape(node, broadcast_to(node, prompts, sizes), {-1});
  const auto repeated = [&](Value& value, std::int64_t axis) {
    if (value) value = gather(node, value, rows, axis);
  };
  repeated(first.logits, 0);
  repeated(first.next.positions, 0);
  repeated(first.next.mask, 0);
  for (Value& cache : first.next.caches) repeated(cache, search.decoder.row_axis);
  for (Values* fixed : {&search.decoder.before, &search.decoder.after}) {
    for (Value& value : *fixed) repeated(value, 0);
  }
  repeated(search.rules.first_vocabulary, 0);
  repeated(sequences, 0);
}

/// The state before the first step. Only the first beam of each prompt can be continued, because all are
/// equal.
Progress first_progress(NodeContext& node, const BeamSearch& search, DecoderState state, Value sequences) {
  Progress now{std::move(state), sequences, {}, {}};
  const Value sizes = concat(node, {search.prompts, search.beams});
  const Value one = concat(node, {search.prompts, node.integers({1})});
  const Value is_first = node.op(ops::Equal, {numbers_below(node, search.beams), node.integer(0)});
  const Value scores =
      node.op(ops::Select, {is_first, node.number(0, ElementType::f32), node.number(-1e9, ElementType::f32)});
  now.scores = broadcast_to(node, scores, sizes);
  now.ended.scores = broadcast_to(node, lowest_score(node), sizes);
  now.ended.sequences = filled(node, static_cast<double>(search.pad_token), ElementType::i32,
                               concat(node, {sizes, search.length}));
  now.ended.count = filled(node, 0, ElementType::i32, one);
  now.ended.is_done = filled(node, 0, ElementType::boolean, one);
  return now;
}

/// The best sequences: finished ones, and the beams of unfinished prompts.
Values results(NodeContext& node, const BeamSearch& search, Progress& last) {
  SearchScope outside(node.translator(), false);
  const Value length = dimension_of(node, last.sequences, 1);
  const Value scores = by_length(outside, search, last.scores, length);
  const Value open = node.op(ops::Select, {last.ended.is_done, lowest_score(node), scores});
  const Value shape = concat(node, {search.prompts, search.beams, length});
  insert(outside, search, open, reshape(node, last.sequences, shape), last.ended);
  const Value requested = parameter_of(node, 4, ElementType::i64);
  return {first_columns(node, last.ended.sequences, requested),
          first_columns(node, last.ended.scores, requested)};
}

Values beam_search(NodeContext& node) {
  constexpr std::int64_t kT5 = 1;
  const std::int64_t type = node.integer("model_type", 0);
  if (type > kT5) node.fail("only decoders of GPT-2 and T5 (model_type 0 and 1) are converted");
  const Value prompt = node.input(0);
  if (node.rank(prompt) != 2) node.fail("input_ids must be a matrix");
  BeamSearch search = read_search(node, prompt);
  const Value mask = node.optional_input(9);
  Value sequences = prompt;
  DecoderStep first;
  if (type == kT5) {
    const Value start = node.integer(node.integer("decoder_start_token_id", -1), ElementType::i32);
    sequences = broadcast_to(node, start, concat(node, {search.prompts, node.integers({1})}));
    first =
        start_t5(node, search.decoder, prompt, encoder_mask(node, prompt, mask, search.pad_token), sequences);
  } else {
    first = start_gpt(node, prompt, mask, search.pad_token);
  }
  spread(node, search, first, sequences);
  Progress progress = first_progress(node, search, std::move(first.next), sequences);
  SearchScope outside(node.translator(), false);
  const Value is_unfinished = choose(outside, search, first.logits, progress, true);
  const Value left = node.op(ops::Subtract, {search.length, dimension_of(node, progress.sequences, 1)});
  const auto step = [&](SearchScope& scope, const Values& states, Value& next_condition) {
    Progress now = Progress::of(states, progress);
    DecoderStep result = run_decoder(node, scope, search.decoder, now.decoder);
    now.decoder = std::move(result.next);
    next_condition = choose(scope, search, result.logits, now, false);
    return now.flat();
  };
  const Values last = repeat(node, squeeze(node, left, {0}), is_unfinished, progress.flat(), step);
  Progress end = Progress::of(last, progress);
  return results(node, search, end);
}

}  // namespace

std::vector<TranslatorRow> microsoft_beam_search_translators() {
  return {
      {"BeamSearch", 1, beam_search,
       "decoders of Whisper, decoders that share a buffer between past and present, the scores of all tokens",
       kMicrosoft, "decoder_start_token_id"}};
}

}  // namespace onnx2ir::frontend
