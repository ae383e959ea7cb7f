#include "frontend/translators/com_microsoft/score_rules.hpp"

#include <limits>
#include <string>

#include "frontend/translators/com_microsoft/repeated_ngrams.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"
#include "ir/checked_arithmetic.hpp"

namespace onnx2ir::frontend {
namespace {

/// Whether each token of the vocabulary occurs in a row of `sequences`: boolean, in the shape of `scores`.
Value find_seen_tokens(Builder& builder, Value sequences, Value scores) {
  const Value none = fill(builder, 0, ElementType::i32, shape_of(builder, scores));
  const Value ones = fill(builder, 1, ElementType::i32, shape_of(builder, sequences));
  const Value seen = scatter(builder, none, sequences, ones, 1, "max");
  return builder.op(ops::Greater, {seen, builder.integer(0, ElementType::i32)});
}

Value penalize(Builder& builder, Value scores, Value sequences, Value penalty) {
  const Value is_negative = builder.op(ops::Less, {scores, builder.number_like(0, scores)});
  const Value worse = builder.op(ops::Select, {is_negative, builder.op(ops::Multiply, {scores, penalty}),
                                               divide(builder, scores, penalty)});
  return builder.op(ops::Select, {find_seen_tokens(builder, sequences, scores), worse, scores});
}

/// The score of a token that must not be selected, as in onnxruntime.
Value emit_lowest(Builder& builder) {
  return builder.number(std::numeric_limits<float>::lowest(), ElementType::f32);
}

Value keep_allowed(Builder& builder, Value scores, Value allowed) {
  return builder.op(ops::Select, {allowed, scores, emit_lowest(builder)});
}

/// The score of the end token is masked below `length`.
Value find_allowed_tokens(Builder& builder, Value scores, Value sequences, Value length,
                          std::int64_t end_token) {
  const Value tokens = enumerate_along(builder, scores, 1);
  const Value is_other = builder.op(ops::NotEqual, {tokens, builder.integer(end_token)});
  const Value is_long = builder.op(ops::GreaterEqual, {dimension_of(builder, sequences, 1), length});
  return builder.op(ops::LogicalOr, {is_other, is_long});
}

/// A mask input as boolean; null if absent.
Value read_mask(NodeContext& node, std::size_t index) {
  const Value mask = node.optional_input(index);
  return mask ? node.op(ops::NotEqual, {mask, node.number_like(0, mask)}) : mask;
}

/// The first timestamp is at most 1 second: 50 steps of 20 ms, as in onnxruntime.
constexpr std::int64_t kLastFirstTimestamp = 50;

/// What the rules need to know of each sequence; boolean or i32 [rows, 1].
struct Past {
  Value is_last;         ///< the last token is a timestamp
  Value is_penultimate;  ///< so is the token before it, or there is no earlier timestamp
  Value has_any;
  Value has_earlier;   ///< a timestamp before the last token
  Value newest_token;  ///< the last timestamp
};

Value emit_and(Builder& builder, Value a, Value b) {
  return builder.op(ops::LogicalAnd, {a, b});
}

Value emit_or(Builder& builder, Value a, Value b) {
  return builder.op(ops::LogicalOr, {a, b});
}

Value emit_not(Builder& builder, Value a) {
  return builder.op(ops::LogicalNot, {a});
}

/// Column `place` from the end, [rows, 1].
Value take_column(Builder& builder, Value values, std::int64_t place) {
  return gather(builder, values, builder.integers({-1 - place}), 1);
}

Past read_past(Builder& builder, const TimestampRules& rules, Value sequences) {
  const Value first = builder.integer(rules.first_timestamp, ElementType::i32);
  const Value is_timestamp = builder.op(ops::GreaterEqual, {sequences, first});
  Past past;
  past.is_last = take_column(builder, is_timestamp, 0);
  // A column before the first one, because the sequence may be one token.
  const Value none = emit_and(builder, past.is_last, emit_not(builder, past.is_last));
  const Value before_last = take_column(builder, concat(builder, {none, is_timestamp}, 1), 1);
  const Value zero = builder.integer(0, ElementType::i32);
  const Value places =
      convert(builder, emit_range(builder, dimension_of(builder, sequences, 1)), ElementType::i32);
  const Value place = reduce_keep_dims(
      builder, ops::ReduceMax,
      builder.op(ops::Select, {is_timestamp, places, builder.integer(-1, ElementType::i32)}), {1});
  const Value count =
      reduce_keep_dims(builder, ops::ReduceSum, convert(builder, is_timestamp, ElementType::i32), {1});
  const Value earlier = builder.op(ops::Subtract, {count, convert(builder, past.is_last, ElementType::i32)});
  past.has_any = builder.op(ops::Greater, {count, zero});
  past.has_earlier = builder.op(ops::Greater, {earlier, zero});
  past.is_penultimate = emit_or(builder, emit_not(builder, past.has_earlier), before_last);
  const Value known_place = builder.op(ops::Maximum, {place, zero});
  past.newest_token = builder.op(ops::GatherElements, {sequences, known_place}, {{"axis", 1}});
  return past;
}

/// Which tokens must not follow: boolean [rows, vocabulary].
Value find_forbidden_tokens(Builder& builder, const TimestampRules& rules, const Past& past,
                            Value vocabulary) {
  const Value tokens = convert(builder, emit_range(builder, vocabulary), ElementType::i32);
  const auto number = [&](std::int64_t value) { return builder.integer(value, ElementType::i32); };
  const auto is = [&](std::int64_t token) { return builder.op(ops::Equal, {tokens, number(token)}); };
  const Value is_timestamp = builder.op(ops::GreaterEqual, {tokens, number(rules.first_timestamp)});

  Value result = emit_or(builder, is(rules.no_timestamps), is(rules.start_of_lm));
  const Value is_task =
      emit_or(builder, is(rules.start), emit_or(builder, is(rules.translate), is(rules.transcribe)));
  result = emit_or(builder, result, emit_and(builder, past.has_earlier, is_task));

  // Timestamps are in pairs except for the first one.
  const Value ends_pair = emit_and(builder, past.is_last, past.is_penultimate);
  result = emit_or(builder, result, emit_and(builder, ends_pair, is_timestamp));
  const Value begins_pair = emit_and(builder, past.is_last, emit_not(builder, past.is_penultimate));
  const Value is_text = builder.op(ops::Less, {tokens, number(rules.end)});
  result = emit_or(builder, result, emit_and(builder, begins_pair, is_text));

  // They never decrease, and the next pair begins later.
  const Value least = builder.op(
      ops::Select, {begins_pair, past.newest_token, builder.op(ops::Add, {past.newest_token, number(1)})});
  const Value decreases = emit_and(builder, is_timestamp, builder.op(ops::Less, {tokens, least}));
  result = emit_or(builder, result, emit_and(builder, past.has_any, decreases));

  const Value is_late =
      builder.op(ops::Greater, {tokens, number(ir::checked_add(rules.first_timestamp, kLastFirstTimestamp))});
  return emit_or(builder, result, emit_and(builder, emit_not(builder, past.has_earlier), is_late));
}

/// Masks all tokens but timestamps in rows where the timestamps together are more probable than any of them.
Value prefer_timestamps(Builder& builder, const TimestampRules& rules, Value scores, Value lowest) {
  const auto part = [&](std::int64_t begin, std::int64_t end) {
    return slice(builder, scores, begin, end, 1);
  };
  const Value of_timestamps = part(rules.first_timestamp, std::numeric_limits<std::int64_t>::max());
  const Value best = reduce_keep_dims(builder, ops::ReduceMax, of_timestamps, {1});
  const Value powers = builder.op(ops::Exp, {builder.op(ops::Subtract, {of_timestamps, best})});
  const Value sum = reduce_keep_dims(builder, ops::ReduceSum, powers, {1});
  const Value together = builder.op(ops::Add, {builder.op(ops::Log, {sum}), best});
  const Value best_other = reduce_keep_dims(builder, ops::ReduceMax, part(0, rules.first_timestamp), {1});
  const Value tokens = enumerate_along(builder, scores, 1);
  const Value is_other = builder.op(ops::Less, {tokens, builder.integer(rules.first_timestamp)});
  const Value is_masked = emit_and(builder, builder.op(ops::Greater, {together, best_other}), is_other);
  return builder.op(ops::Select, {is_masked, lowest, scores});
}

}  // namespace

Value apply_score_rules(SearchScope& scope, const ScoreRules& rules, Value scores, Value sequences,
                        bool is_first) {
  if (rules.repetition_penalty)
    scores = penalize(scope, scores, sequences, scope.outer(rules.repetition_penalty));
  if (rules.ngram_size > 0) {
    const Value tokens = convert(scope, sequences, ElementType::i64);
    const Value repeated = find_repeated_ngrams(scope, tokens, scores, rules.ngram_size);
    scores = scope.op(ops::Select, {repeated, emit_lowest(scope), scores});
  }
  if (rules.vocabulary) scores = keep_allowed(scope, scores, scope.outer(rules.vocabulary));
  if (rules.first_vocabulary && is_first)
    scores = keep_allowed(scope, scores, scope.outer(rules.first_vocabulary));
  if (rules.min_length) {
    const Value length = scope.outer(rules.min_length);
    scores =
        keep_allowed(scope, scores, find_allowed_tokens(scope, scores, sequences, length, rules.end_token));
  }
  if (rules.temperature) {
    const Value temperature = scope.outer(rules.temperature);
    const Value is_positive = scope.op(ops::Greater, {temperature, scope.number_like(0, temperature)});
    const Value divisor =
        scope.op(ops::Select, {is_positive, temperature, scope.number_like(1, temperature)});
    scores = divide(scope, scores, divisor);
  }
  return scores;
}

ScoreRules read_rules(NodeContext& node, const RuleInputs& inputs) {
  ScoreRules rules;
  rules.repetition_penalty = read_optional_vector(node, inputs.repetition_penalty, ElementType::f32);
  rules.ngram_size = node.integer_attribute("no_repeat_ngram_size", 0);
  if (rules.ngram_size > kMaxNgram)
    node.fail("no_repeat_ngram_size must not be greater than " + std::to_string(kMaxNgram));
  rules.vocabulary = read_mask(node, inputs.vocab_mask);
  rules.first_vocabulary = read_mask(node, inputs.prefix_vocab_mask);
  rules.min_length = read_optional_vector(node, inputs.min_length, ElementType::i64);
  rules.end_token = node.integer_attribute("eos_token_id");
  return rules;
}

std::optional<TimestampRules> timestamp_rules_of(NodeContext& node, std::size_t logits_processor) {
  constexpr std::int64_t kTimestamps = 1;
  const std::int64_t end = node.integer_attribute("eos_token_id");
  TimestampRules rules{.end = end,
                       .start = node.integer_attribute("decoder_start_token_id", -1),
                       .translate = node.integer_attribute("translate_token_id", -1),
                       .transcribe = node.integer_attribute("transcribe_token_id", -1),
                       .start_of_lm = node.integer_attribute("start_of_lm_token_id", -1),
                       .no_timestamps = node.integer_attribute("no_timestamps_token_id", -1),
                       .first_timestamp = node.integer_attribute("beginning_timestamp_token_id", -1),
                       .is_active = {}};
  if (!node.has_input(logits_processor)) return std::nullopt;
  const Value processor = read_vector(node, logits_processor, ElementType::i64);
  const auto known = node.known_integers(processor);
  if (known && known->front() != kTimestamps) return std::nullopt;
  if (!node.has_attribute("beginning_timestamp_token_id")) {
    // What onnxruntime assumed before it had the attributes: the vocabulary of Whisper.
    rules.start = ir::checked_add(end, 1);
    rules.translate = 50358;
    rules.transcribe = 50359;
    rules.start_of_lm = ir::checked_add(end, 105);
    rules.no_timestamps = ir::checked_add(end, 106);
    rules.first_timestamp = ir::checked_add(end, 107);
  }
  if (rules.first_timestamp < 1) node.fail("beginning_timestamp_token_id must be positive");
  if (!known) rules.is_active = node.op(ops::Equal, {processor, node.integers({kTimestamps})});
  return rules;
}

Value apply_timestamp_rules(SearchScope& scope, const TimestampRules& rules, Value scores, Value sequences) {
  const Value lowest = emit_lowest(scope);
  const Past past = read_past(scope, rules, sequences);
  const Value is_forbidden = find_forbidden_tokens(scope, rules, past, size_of(scope, scores, 1));
  const Value allowed = scope.op(ops::Select, {is_forbidden, lowest, scores});
  const Value result = prefer_timestamps(scope, rules, allowed, lowest);
  if (!rules.is_active) return result;
  return scope.op(ops::Select, {scope.outer(rules.is_active), result, scores});
}

}  // namespace onnx2ir::frontend
