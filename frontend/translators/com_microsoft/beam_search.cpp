// BeamSearch and WhisperBeamSearch: continue several sequences per prompt and return the best ones. Rows are
// the beams of all prompts, grouped by prompt.
#include <limits>
#include <optional>
#include <vector>

#include "frontend/translators/com_microsoft/operands.hpp"
#include "frontend/translators/com_microsoft/score_rules.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

// BeamSearch lacks the last ones.
using Input = inputs::microsoft::WhisperBeamSearch;
using Output = outputs::microsoft::WhisperBeamSearch;

/// The inputs that do not change; values of the node's graph.
struct BeamSearch {
  ScoreRules rules;
  std::optional<TimestampRules> timestamps;
  std::int64_t pad_token;
  bool is_early = false;  ///< a prompt is done when its list is full
  Value length;           ///< i64 [1]
  Value beams;            ///< i64 [1], of each prompt
  Value prompts;          ///< i64 [1]
  Value length_penalty;   ///< f32 [1]; null: no penalty
  Decoder decoder = {};
};

/// The list of finished sequences of each prompt, the best one first.
struct FinishedSequences {
  Value scores;     ///< f32 [prompts, beams], -infinity for an empty entry
  Value sequences;  ///< i32 [prompts, beams, length]
  Value count;      ///< i32 [prompts, 1]
  Value is_done;    ///< boolean [prompts, 1]
};

/// The state between two steps.
struct BeamProgress {
  DecoderState decoder;
  Value sequences;  ///< i32 [rows, length so far]
  Value scores;     ///< f32 [prompts, beams]
  FinishedSequences ended;

  std::vector<Value*> parts() {
    std::vector<Value*> all = decoder.parts();
    all.insert(all.end(),
               {&sequences, &scores, &ended.scores, &ended.sequences, &ended.count, &ended.is_done});
    return all;
  }
};

/// The first `count` (i64 [1]) columns.
Value take_first_columns(Builder& builder, Value values, Value count) {
  return slice(builder, values, builder.integers({0}), count, 1);
}

/// The score of a sequence: `sum` of its logarithms, normalised by its length.
Value normalize_by_length(SearchScope& scope, const BeamSearch& search, Value sum, Value length) {
  if (!search.length_penalty) return divide(scope, sum, convert(scope, length, ElementType::f32));
  const Value power =
      scope.op(ops::Power, {convert(scope, length, ElementType::f32), scope.outer(search.length_penalty)});
  return divide(scope, sum, power);
}

/// The candidates for the next token of each prompt, [prompts, 2 * beams], the best one first.
struct Candidates {
  Value all_scores;  ///< f32 [prompts, beams * vocabulary], of all tokens
  Value scores;
  Value tokens;  ///< i32
  Value beams;   ///< i32, of the prompt: the beam that it continues
  Value is_end;  ///< boolean
};

Candidates find_candidates(SearchScope& scope, const BeamSearch& search, Value logits,
                           const BeamProgress& now, bool is_first) {
  Value scores = scope.op(ops::LogSoftmax, {logits}, {{"axis", 1}});
  scores = apply_score_rules(scope, search.rules, scores, now.sequences, is_first);
  if (search.timestamps) scores = apply_timestamp_rules(scope, *search.timestamps, scores, now.sequences);
  scores = scope.op(ops::Add, {scores, reshape(scope, now.scores, {-1, 1})});
  const Value vocabulary = convert(scope, size_of(scope, logits, 1), ElementType::i32);
  const Value beams = scope.outer(search.beams);
  const Value all =
      reshape(scope, scores, concat(scope, {scope.outer(search.prompts), scope.integers({-1})}));
  const Value count = squeeze(scope, scope.op(ops::Multiply, {beams, scope.integers({2})}), {0});
  const Best top = find_best(scope, all, count);
  Candidates found{all, top.values, {}, {}, {}};
  found.beams = divide(scope, top.indices, vocabulary);
  found.tokens = scope.op(ops::Subtract, {top.indices, scope.op(ops::Multiply, {found.beams, vocabulary})});
  found.is_end =
      scope.op(ops::Equal, {found.tokens, scope.integer(search.rules.end_token, ElementType::i32)});
  return found;
}

/// The row numbers of `beams` (i32 [prompts, n]) of each prompt, i32.
Value compute_rows(SearchScope& scope, const BeamSearch& search, Value beams) {
  const Value firsts =
      scope.op(ops::Multiply, {emit_range(scope, scope.outer(search.prompts)), scope.outer(search.beams)});
  return scope.op(ops::Add, {unsqueeze(scope, convert(scope, firsts, ElementType::i32), {1}), beams});
}

/// Inserts `sequences` [prompts, n, length] with `scores` above -infinity into the list.
void insert(SearchScope& scope, const BeamSearch& search, Value scores, Value sequences,
            FinishedSequences& list) {
  const Value count = squeeze(scope, scope.outer(search.beams), {0});
  const Value filled = fill_sequences(scope, sequences, scope.outer(search.length), search.pad_token);
  const Best kept = find_best(scope, concat(scope, {list.scores, scores}, 1), count);
  list.scores = kept.values;
  list.sequences = gather_in_rows(scope, concat(scope, {list.sequences, filled}, 1), kept.indices, 1);
}

Value emit_lowest_score(Builder& builder) {
  return builder.number(-std::numeric_limits<double>::infinity(), ElementType::f32);
}

/// The score that the open sequences of each prompt may reach, [prompts, 1]. onnxruntime takes the best one
/// of the candidates [prompt * beams, prompt * beams + 2 * beams) of all prompts in a row, although each
/// prompt has 2 * beams of them (Process in its beam_search_scorer.cc).
Value find_best_candidate(SearchScope& scope, const BeamSearch& search, const Candidates& found) {
  const Value count = scope.op(ops::Multiply, {scope.outer(search.beams), scope.integers({2})});
  const Value places = convert(scope, emit_range(scope, count), ElementType::i32);
  const Value in_a_row = flatten(scope, found.scores);
  return reduce_keep_dims(scope, ops::ReduceMax, gather(scope, in_a_row, compute_rows(scope, search, places)),
                          {1});
}

/// Inserts the candidates that end a sequence into the list if they are among the best `beams`.
void end_sequences(SearchScope& scope, const BeamSearch& search, const Candidates& found, BeamProgress& now) {
  FinishedSequences& list = now.ended;
  const Value beams = scope.outer(search.beams);
  const Value is_open = scope.op(ops::LogicalNot, {list.is_done});
  const Value ends = scope.op(ops::LogicalAnd, {take_first_columns(scope, found.is_end, beams), is_open});
  const Value length = dimension_of(scope, now.sequences, 1);
  const Value scores =
      normalize_by_length(scope, search, take_first_columns(scope, found.scores, beams), length);
  const Value rows = compute_rows(scope, search, take_first_columns(scope, found.beams, beams));
  const Value ended_scores = scope.op(ops::Select, {ends, scores, emit_lowest_score(scope)});
  insert(scope, search, ended_scores, gather(scope, now.sequences, rows), list);
  const Value added = reduce_keep_dims(scope, ops::ReduceSum, convert(scope, ends, ElementType::i32), {1});
  const Value limit = convert(scope, beams, ElementType::i32);
  list.count = scope.op(ops::Minimum, {scope.op(ops::Add, {list.count, added}), limit});
  Value is_done = scope.op(ops::GreaterEqual, {list.count, limit});
  if (!search.is_early) {
    // No open sequence can become better than the worst one in the list.
    const Value hope = normalize_by_length(scope, search, find_best_candidate(scope, search, found), length);
    const Value worst = reduce_keep_dims(scope, ops::ReduceMin, list.scores, {1});
    is_done = scope.op(ops::LogicalAnd, {is_done, scope.op(ops::GreaterEqual, {worst, hope})});
  }
  list.is_done = scope.op(ops::LogicalOr, {list.is_done, is_done});
}

/// The best `beams` candidates that do not end a sequence become the new beams. The beams of a prompt that
/// `was_done` (boolean [prompts, 1]) get the score 0 and continue the first one of all with padding, as in
/// onnxruntime: their candidates count in `best_candidate`.
void continue_beams(SearchScope& scope, const BeamSearch& search, const Candidates& found, Value was_done,
                    BeamProgress& now) {
  const Value beams = scope.outer(search.beams);
  const Value twice = scope.op(ops::Multiply, {beams, scope.integers({2})});
  const Value places = convert(scope, emit_range(scope, twice), ElementType::i32);
  const Value order = scope.op(ops::Select, {found.is_end, convert(scope, twice, ElementType::i32),
                                             scope.integer(0, ElementType::i32)});
  const Value rank = scope.op(ops::Negative, {scope.op(ops::Add, {places, order})});
  const Value by_rank = convert(scope, rank, ElementType::f32);
  const Value kept = find_best(scope, by_rank, squeeze(scope, beams, {0})).indices;
  const auto unless_done = [&](Value done, Value open) {
    return scope.op(ops::Select, {was_done, done, open});
  };
  const Value open_scores = gather_in_rows(scope, found.scores, kept, 1);
  now.scores = unless_done(scope.number(0, ElementType::f32), open_scores);
  const Value continued = compute_rows(scope, search, gather_in_rows(scope, found.beams, kept, 1));
  const Value rows = flatten(scope, unless_done(scope.integer(0, ElementType::i32), continued));
  const Value pad = scope.integer(search.pad_token, ElementType::i32);
  const Value tokens = unless_done(pad, gather_in_rows(scope, found.tokens, kept, 1));
  now.decoder.tokens = reshape(scope, tokens, {-1, 1});
  now.sequences = concat(scope, {gather(scope, now.sequences, rows), now.decoder.tokens}, 1);
  for (Value& cache : now.decoder.caches) cache = gather(scope, cache, rows, search.decoder.row_axis);
}

/// The state before the first step. Only the first beam of each prompt is continued: all are equal.
BeamProgress start_progress(NodeContext& node, const BeamSearch& search, DecoderState state,
                            Value sequences) {
  BeamProgress now{std::move(state), sequences, {}, {}};
  const Value sizes = concat(node, {search.prompts, search.beams});
  const Value one = concat(node, {search.prompts, node.integers({1})});
  const Value is_first = node.op(ops::Equal, {emit_range(node, search.beams), node.integer(0)});
  const Value scores =
      node.op(ops::Select, {is_first, node.number(0, ElementType::f32), node.number(-1e9, ElementType::f32)});
  now.scores = broadcast_to(node, scores, sizes);
  now.ended.scores = broadcast_to(node, emit_lowest_score(node), sizes);
  now.ended.sequences = fill(node, static_cast<double>(search.pad_token), ElementType::i32,
                             concat(node, {sizes, search.length}));
  now.ended.count = fill(node, 0, ElementType::i32, one);
  now.ended.is_done = fill(node, 0, ElementType::boolean, one);
  return now;
}

/// The results of a step besides the state.
struct BeamChoice {
  Value is_unfinished;  ///< boolean scalar: whether any prompt is unfinished
  Value scores;         ///< f32 [prompts, beams, vocabulary]
};

/// Selects tokens by `logits`.
BeamChoice choose_beams(SearchScope& scope, const BeamSearch& search, Value logits, BeamProgress& now,
                        bool is_first) {
  const Candidates found = find_candidates(scope, search, logits, now, is_first);
  const Value was_done = now.ended.is_done;
  end_sequences(scope, search, found, now);
  continue_beams(scope, search, found, was_done, now);
  const Value all = reduce(scope, ops::ReduceLogicalAnd, now.ended.is_done, {0, 1});
  const Values sizes{scope.outer(search.prompts), scope.outer(search.beams), scope.integers({-1})};
  return {scope.op(ops::LogicalNot, {all}), reshape(scope, found.all_scores, concat(scope, sizes))};
}

/// The best sequences of each prompt and their scores: finished ones, and the beams of unfinished prompts.
/// Input `count` is their number.
Values select_best_sequences(NodeContext& node, const BeamSearch& search, BeamProgress& last,
                             std::size_t count) {
  SearchScope outside(node.translator(), false);
  const Value length = dimension_of(node, last.sequences, 1);
  const Value scores = normalize_by_length(outside, search, last.scores, length);
  const Value open = node.op(ops::Select, {last.ended.is_done, emit_lowest_score(node), scores});
  const Value shape = concat(node, {search.prompts, search.beams, length});
  insert(outside, search, open, reshape(node, last.sequences, shape), last.ended);
  const Value requested = read_vector(node, count, ElementType::i64);
  return {take_first_columns(node, last.ended.sequences, requested),
          take_first_columns(node, last.ended.scores, requested)};
}

BeamSearch read_search(NodeContext& node, Value prompt) {
  BeamSearch search;
  search.pad_token = node.integer_attribute("pad_token_id");
  search.is_early = node.flag_attribute("early_stopping");
  search.prompts = dimension_of(node, prompt, 0);
  search.length = read_vector(node, Input::max_length, ElementType::i64);
  search.beams = read_vector(node, Input::num_beams, ElementType::i64);
  search.length_penalty = read_optional_vector(node, Input::length_penalty, ElementType::f32);
  search.rules = read_rules(
      node, {Input::min_length, Input::repetition_penalty, Input::vocab_mask, Input::prefix_vocab_mask});
  return search;
}

/// Runs the first step on the prompts, then repeats each of them for its beams.
void repeat_for_beams(NodeContext& node, BeamSearch& search, DecoderStep& first, Value& sequences) {
  const Value prompts = unsqueeze(node, emit_range(node, search.prompts), {1});
  const Value sizes = concat(node, {search.prompts, search.beams});
  const Value rows = flatten(node, broadcast_to(node, prompts, sizes));
  const auto repeat = [&](Value& value, std::int64_t axis) {
    if (value) value = gather(node, value, rows, axis);
  };
  repeat(first.logits, 0);
  repeat(first.next.positions, 0);
  repeat(first.next.mask, 0);
  for (Value& cache : first.next.caches) repeat(cache, search.decoder.row_axis);
  for (Values* fixed : {&search.decoder.before, &search.decoder.after}) {
    for (Value& value : *fixed) repeat(value, 0);
  }
  repeat(search.rules.first_vocabulary, 0);
  repeat(sequences, 0);
}

/// f32 [prompts]: the probability of the token for silence after the first tokens; null if not needed.
Value compute_no_speech_probabilities(NodeContext& node, Value logits) {
  if (!node.has_output(Output::non_speech_probs)) return {};
  const Value token = node.integer(node.integer_attribute("no_speech_token_id"));
  return gather(node, node.op(ops::SoftMax, {logits}, {{"axis", 1}}), token, 1);
}

/// The scores of all tokens in each step, f32 [`steps`, prompts, beams, vocabulary]: of the `first` step and
/// of the `rest`, and 0 for the steps after the end of all prompts. `steps` is i64 [1].
Value stack_scores(NodeContext& node, Value first, Value rest, Value steps) {
  // A Loop of no iterations gives rows without sizes.
  const Value rows = reshape(node, rest, concat(node, {node.integers({-1}), shape_of(node, first)}));
  const Value known = concat(node, {unsqueeze(node, first, {0}), rows}, 0);
  const Value missing = node.op(ops::Subtract, {steps, dimension_of(node, known, 0)});
  const Value sizes = concat(node, {missing, shape_of(node, first)});
  return concat(node, {known, fill(node, 0, ElementType::f32, sizes)}, 0);
}

// Values of the attribute model_type; 1 is T5.
constexpr std::int64_t kGpt = 0;
constexpr std::int64_t kWhisper = 2;

/// The tokens that all sequences begin with, i32 [prompts, length].
Value emit_first_tokens(NodeContext& node, const BeamSearch& search, std::int64_t type) {
  if (type == kGpt) return node.input(Input::input_ids);
  if (type == kWhisper && node.has_input(Input::decoder_input_ids))
    return node.input(Input::decoder_input_ids);
  const Value start = node.integer(node.integer_attribute("decoder_start_token_id", -1), ElementType::i32);
  return broadcast_to(node, start, concat(node, {search.prompts, node.integers({1})}));
}

/// The first step of the decoder, after `sequences`.
DecoderStep start(NodeContext& node, BeamSearch& search, std::int64_t type, Value sequences) {
  const Value prompt = node.input(Input::input_ids);
  if (type == kWhisper) return start_with_encoder(node, search.decoder, prompt, {}, sequences);
  const Value mask = node.optional_input(Input::attention_mask);
  if (type == kGpt) return start_gpt(node, prompt, mask, search.pad_token);
  const Value known_mask = emit_encoder_mask(node, prompt, mask, search.pad_token);
  return start_with_encoder(node, search.decoder, prompt, known_mask, sequences);
}

Values search_beams(NodeContext& node, std::int64_t type) {
  const Value prompt = node.input(Input::input_ids);
  if (type < kGpt || type > kWhisper)
    node.fail("model_type " + std::to_string(type) + " is not one of GPT-2, T5 and Whisper (0, 1, 2)");
  if (node.rank(prompt) != (type == kWhisper ? 3 : 2))
    node.fail(type == kWhisper ? "input_features must have three dimensions" : "input_ids must be a matrix");
  BeamSearch search = read_search(node, prompt);
  if (type == kWhisper) {
    search.rules.temperature = read_optional_vector(node, Input::temperature, ElementType::f32);
    search.timestamps = timestamp_rules_of(node, Input::logits_processor);
  }
  Value sequences = emit_first_tokens(node, search, type);
  if (node.rank(sequences) != 2) node.fail("decoder_input_ids must be a matrix");
  DecoderStep first = start(node, search, type, sequences);
  const Value no_speech = compute_no_speech_probabilities(node, first.logits);
  repeat_for_beams(node, search, first, sequences);
  BeamProgress progress = start_progress(node, search, std::move(first.next), sequences);
  SearchScope outside(node.translator(), false);
  const BeamChoice choice = choose_beams(outside, search, first.logits, progress, true);
  const Value left = node.op(ops::Subtract, {search.length, dimension_of(node, progress.sequences, 1)});
  const bool gives_scores = node.has_output(Output::scores);
  const auto step = [&](SearchScope& scope, const Values& states) {
    BeamProgress now = restored(progress, states);
    if (search.decoder.reads_sequences) now.decoder.tokens = now.sequences;
    DecoderStep result = run_decoder(node, scope, search.decoder, now.decoder);
    now.decoder = std::move(result.next);
    const BeamChoice next = choose_beams(scope, search, result.logits, now, false);
    return Iteration{values_of(now), gives_scores ? Values{next.scores} : Values{}, next.is_unfinished};
  };
  const Value most = squeeze(node, left, {0});
  const LoopOutputs last =
      repeat(node, most, choice.is_unfinished, values_of(progress), step, gives_scores ? 1 : 0);
  BeamProgress end = restored(progress, last.states);
  Values outputs = select_best_sequences(node, search, end, Input::num_return_sequences);
  if (gives_scores) {
    const Value steps = node.op(ops::Add, {left, node.integers({1})});
    outputs.push_back(stack_scores(node, choice.scores, last.scans[0], steps));
  }
  if (no_speech) {
    outputs.resize(Output::non_speech_probs + 1);
    outputs[Output::non_speech_probs] = no_speech;
  }
  return outputs;
}

Values beam_search(NodeContext& node) {
  return search_beams(node, node.integer_attribute("model_type", kGpt));
}

Values whisper_beam_search(NodeContext& node) {
  if (node.has_input(Input::extra_decoding_ids))
    node.fail("extra_decoding_ids is not converted", "append them to decoder_input_ids");
  if (node.has_output(Output::cross_qk) || node.flag_attribute("decoder_output_cross_qk"))
    node.fail("the scores of the cross attention (output 3) are not converted");
  return search_beams(node, node.integer_attribute("model_type", kWhisper));
}

}  // namespace

std::vector<TranslatorRow> microsoft_beam_search_translators() {
  return {{"BeamSearch", 1, beam_search, "decoders that share a buffer between past and present",
           "decoder_start_token_id"},
          {"WhisperBeamSearch", 1, whisper_beam_search,
           "decoders that share a buffer between past and present, cross_qk, extra_decoding_ids",
           "decoder_start_token_id no_speech_token_id"}};
}

}  // namespace onnx2ir::frontend
