// BeamSearch and WhisperBeamSearch: continue several sequences per prompt and return the best ones. Rows are
// the beams of all prompts, grouped by prompt. Finished sequences are kept in one list per prompt, the best
// one first.
#include <limits>
#include <optional>

#include "frontend/translators/com_microsoft/generation_decoder.hpp"
#include "frontend/translators/com_microsoft/timestamp_rules.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"
#include "ir/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// The inputs that do not change; values of the node's graph.
struct BeamSearch {
  ScoreRules rules;
  std::optional<TimestampRules> timestamps;
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

/// The first `count` (i64 [1]) columns.
Value first_columns(Builder& builder, Value values, Value count) {
  return slice(builder, values, builder.integers({0}), count, 1);
}

BeamSearch read_search(NodeContext& node, Value prompt) {
  BeamSearch search;
  search.end_token = node.integer("eos_token_id");
  search.pad_token = node.integer("pad_token_id");
  search.is_early = node.flag("early_stopping");
  search.prompts = dimension_of(node, prompt, 0);
  search.length = parameter_of(node, 1, ElementType::i64);
  search.beams = parameter_of(node, 3, ElementType::i64);
  search.length_penalty = parameter_of(node, 5, ElementType::f32);
  search.rules = rules_of(node, 6);
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
  Value all_scores;  ///< f32 [prompts, beams * vocabulary], of all tokens
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
  if (search.timestamps) scores = apply_timestamp_rules(scope, *search.timestamps, scores, now.sequences);
  scores = builder.op(ops::Add, {scores, reshape(builder, now.scores, {-1, 1})});
  const Value vocabulary = convert(builder, size_of(builder, logits, 1), ElementType::i32);
  const Value beams = scope.outer(search.beams);
  const Value all =
      reshape(builder, scores, concat(builder, {scope.outer(search.prompts), builder.integers({-1})}));
  const Value count = squeeze(builder, builder.op(ops::Multiply, {beams, builder.integers({2})}), {0});
  const Best top = best(builder, all, count);
  Candidates found{all, top.values, {}, {}, {}};
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
  list.sequences = gather_in_rows(builder, concat(builder, {list.sequences, filled}, 1), kept.indices, 1);
}

Value lowest_score(Builder& builder) {
  return builder.number(-std::numeric_limits<double>::infinity(), ElementType::f32);
}

/// The score that the open sequences of each prompt may reach, [prompts, 1]. onnxruntime takes the best one
/// of the candidates [prompt * beams, prompt * beams + 2 * beams) of all prompts in a row, although each
/// prompt has 2 * beams of them (Process in its beam_search_scorer.cc).
Value best_candidate(SearchScope& scope, const BeamSearch& search, const Candidates& found) {
  Builder& builder = scope.builder();
  const Value count = builder.op(ops::Multiply, {scope.outer(search.beams), builder.integers({2})});
  const Value places = convert(builder, numbers_below(builder, count), ElementType::i32);
  const Value in_a_row = flat(builder, found.scores);
  return reduce_keep_dims(builder, ops::ReduceMax, gather(builder, in_a_row, rows_of(scope, search, places)),
                          {1});
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
    const Value hope = by_length(scope, search, best_candidate(scope, search, found), length);
    const Value worst = reduce_keep_dims(builder, ops::ReduceMin, list.scores, {1});
    is_done = builder.op(ops::LogicalAnd, {is_done, builder.op(ops::GreaterEqual, {worst, hope})});
  }
  list.is_done = builder.op(ops::LogicalOr, {list.is_done, is_done});
}

/// The best `beams` candidates that do not end a sequence become the new beams. The beams of a prompt that
/// `was_done` (boolean [prompts, 1]) get the score 0 and continue the first one of all with padding, as in
/// onnxruntime: their candidates count in `best_candidate`.
void continue_beams(SearchScope& scope, const BeamSearch& search, const Candidates& found, Value was_done,
                    Progress& now) {
  Builder& builder = scope.builder();
  const Value beams = scope.outer(search.beams);
  const Value twice = builder.op(ops::Multiply, {beams, builder.integers({2})});
  const Value places = convert(builder, numbers_below(builder, twice), ElementType::i32);
  const Value order = builder.op(ops::Select, {found.is_end, convert(builder, twice, ElementType::i32),
                                               builder.integer(0, ElementType::i32)});
  const Value rank = builder.op(ops::Negative, {builder.op(ops::Add, {places, order})});
  const Value by_rank = convert(builder, rank, ElementType::f32);
  const Value kept = best(builder, by_rank, squeeze(builder, beams, {0})).indices;
  const auto unless_done = [&](Value done, Value open) {
    return builder.op(ops::Select, {was_done, done, open});
  };
  const Value open_scores = gather_in_rows(builder, found.scores, kept, 1);
  now.scores = unless_done(builder.number(0, ElementType::f32), open_scores);
  const Value continued = rows_of(scope, search, gather_in_rows(builder, found.beams, kept, 1));
  const Value rows = flat(builder, unless_done(builder.integer(0, ElementType::i32), continued));
  const Value pad = builder.integer(search.pad_token, ElementType::i32);
  const Value tokens = unless_done(pad, gather_in_rows(builder, found.tokens, kept, 1));
  now.decoder.tokens = reshape(builder, tokens, {-1, 1});
  now.sequences = concat(builder, {gather(builder, now.sequences, rows), now.decoder.tokens}, 1);
  for (Value& cache : now.decoder.caches) cache = gather(builder, cache, rows, search.decoder.row_axis);
}

/// What a step gives besides the state.
struct Choice {
  Value is_unfinished;  ///< boolean scalar: whether any prompt is unfinished
  Value scores;         ///< f32 [prompts, beams, vocabulary]
};

/// Selects tokens by `logits`.
Choice choose(SearchScope& scope, const BeamSearch& search, Value logits, Progress& now, bool is_first) {
  const Candidates found = candidates(scope, search, logits, now, is_first);
  const Value was_done = now.ended.is_done;
  end_sequences(scope, search, found, now);
  continue_beams(scope, search, found, was_done, now);
  Builder& builder = scope.builder();
  const Value all = reduce(builder, ops::ReduceLogicalAnd, now.ended.is_done, {0, 1});
  const Values sizes{scope.outer(search.prompts), scope.outer(search.beams), builder.integers({-1})};
  return {builder.op(ops::LogicalNot, {all}), reshape(builder, found.all_scores, concat(builder, sizes))};
}

/// Runs the first step on the prompts, then repeats each of them for its beams.
void spread(NodeContext& node, BeamSearch& search, DecoderStep& first, Value& sequences) {
  const Value prompts = unsqueeze(node, numbers_below(node, search.prompts), {1});
  const Value sizes = concat(node, {search.prompts, search.beams});
  const Value rows = flat(node, broadcast_to(node, prompts, sizes));
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

/// Output 4, f32 [prompts]: the probability of the token for silence after the first tokens; null if not
/// needed.
Value no_speech_probabilities(NodeContext& node, Value logits) {
  if (!node.has_output(4)) return {};
  const Value token = node.integer(node.integer("no_speech_token_id"));
  return gather(node, node.op(ops::SoftMax, {logits}, {{"axis", 1}}), token, 1);
}

/// The scores of all tokens in each step, f32 [`steps`, prompts, beams, vocabulary]: of the `first` step and
/// of the `rest`, and 0 for the steps after the end of all prompts. `steps` is i64 [1].
Value all_scores(NodeContext& node, Value first, Value rest, Value steps) {
  // A Loop of no iterations gives rows without sizes.
  const Value rows = reshape(node, rest, concat(node, {node.integers({-1}), shape_of(node, first)}));
  const Value known = concat(node, {unsqueeze(node, first, {0}), rows}, 0);
  const Value missing = node.op(ops::Subtract, {steps, dimension_of(node, known, 0)});
  const Value sizes = concat(node, {missing, shape_of(node, first)});
  return concat(node, {known, filled(node, 0, ElementType::f32, sizes)}, 0);
}

// Values of the attribute model_type; 1 is T5.
constexpr std::int64_t kGpt = 0;
constexpr std::int64_t kWhisper = 2;

/// The tokens that all sequences begin with, i32 [prompts, length].
Value first_tokens(NodeContext& node, const BeamSearch& search, std::int64_t type) {
  if (type == kGpt) return node.input(0);
  if (type == kWhisper && node.has_input(10)) return node.input(10);
  const Value start = node.integer(node.integer("decoder_start_token_id", -1), ElementType::i32);
  return broadcast_to(node, start, concat(node, {search.prompts, node.integers({1})}));
}

/// The first step of the decoder, after `sequences`.
DecoderStep start(NodeContext& node, BeamSearch& search, std::int64_t type, Value sequences) {
  const Value prompt = node.input(0);
  if (type == kWhisper) return start_with_encoder(node, search.decoder, prompt, {}, sequences);
  const Value mask = node.optional_input(9);
  if (type == kGpt) return start_gpt(node, prompt, mask, search.pad_token);
  const Value known_mask = encoder_mask(node, prompt, mask, search.pad_token);
  return start_with_encoder(node, search.decoder, prompt, known_mask, sequences);
}

Values search_beams(NodeContext& node, std::int64_t type) {
  const Value prompt = node.input(0);
  if (type < kGpt || type > kWhisper)
    node.fail("model_type " + std::to_string(type) + " is not one of GPT-2, T5 and Whisper (0, 1, 2)");
  if (node.rank(prompt) != (type == kWhisper ? 3 : 2))
    node.fail(type == kWhisper ? "input_features must have three dimensions" : "input_ids must be a matrix");
  BeamSearch search = read_search(node, prompt);
  if (type == kWhisper) {
    search.rules.temperature = parameter_of(node, 14, ElementType::f32);
    search.timestamps = timestamp_rules_of(node, 11);
  }
  Value sequences = first_tokens(node, search, type);
  if (node.rank(sequences) != 2) node.fail("decoder_input_ids must be a matrix");
  DecoderStep first = start(node, search, type, sequences);
  const Value no_speech = no_speech_probabilities(node, first.logits);
  spread(node, search, first, sequences);
  Progress progress = first_progress(node, search, std::move(first.next), sequences);
  SearchScope outside(node.translator(), false);
  const Choice choice = choose(outside, search, first.logits, progress, true);
  const Value left = node.op(ops::Subtract, {search.length, dimension_of(node, progress.sequences, 1)});
  const bool gives_scores = node.has_output(2);
  const auto step = [&](SearchScope& scope, const Values& states) {
    Progress now = Progress::of(states, progress);
    if (search.decoder.reads_sequences) now.decoder.tokens = now.sequences;
    DecoderStep result = run_decoder(node, scope, search.decoder, now.decoder);
    now.decoder = std::move(result.next);
    const Choice next = choose(scope, search, result.logits, now, false);
    return SearchStep{now.flat(), next.is_unfinished, gives_scores ? Values{next.scores} : Values{}};
  };
  const Value most = squeeze(node, left, {0});
  const SearchResult last =
      repeat(node, most, choice.is_unfinished, progress.flat(), step, gives_scores ? 1 : 0);
  Progress end = Progress::of(last.states, progress);
  Values outputs = results(node, search, end);
  if (gives_scores) {
    const Value steps = node.op(ops::Add, {left, node.integers({1})});
    outputs.push_back(all_scores(node, choice.scores, last.rows[0], steps));
  }
  if (no_speech) {
    outputs.resize(5);
    outputs[4] = no_speech;
  }
  return outputs;
}

Values beam_search(NodeContext& node) {
  return search_beams(node, node.integer("model_type", kGpt));
}

Values whisper_beam_search(NodeContext& node) {
  if (node.has_input(13))
    node.fail("extra_decoding_ids is not converted", "Append them to decoder_input_ids.");
  if (node.has_output(3) || node.flag("decoder_output_cross_qk"))
    node.fail("the scores of the cross attention (output 3) are not converted");
  return search_beams(node, node.integer("model_type", kWhisper));
}

}  // namespace

std::vector<TranslatorRow> microsoft_beam_search_translators() {
  constexpr std::string_view kShared = "decoders that share a buffer between past and present";
  return {{"BeamSearch", 1, beam_search, kShared, "decoder_start_token_id"},
          {"WhisperBeamSearch", 1, whisper_beam_search,
           "decoders that share a buffer between past and present, cross_qk, extra_decoding_ids",
           "decoder_start_token_id no_speech_token_id"}};
}

}  // namespace onnx2ir::frontend
