#include "frontend/translators/com_microsoft/beam_selection.hpp"

#include <limits>

#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {

std::array<Value*, 6> BeamProgress::own() {
  return {&sequences, &scores, &ended.scores, &ended.sequences, &ended.count, &ended.is_done};
}

Values BeamProgress::flat() {
  Values values = decoder.flat();
  for (const Value* value : own()) values.push_back(*value);
  return values;
}

BeamProgress BeamProgress::of(const Values& values, const BeamProgress& like) {
  BeamProgress now{DecoderState::of(values, like.decoder), {}, {}, {}};
  const auto own = now.own();
  const Value* next = values.end() - own.size();
  for (Value* value : own) *value = *next++;
  return now;
}

namespace {

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

}  // namespace

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

}  // namespace onnx2ir::frontend
