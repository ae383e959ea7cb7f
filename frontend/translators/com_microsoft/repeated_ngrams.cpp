// Operators that compare n-grams of tokens: NGramRepeatBlock, BifurcationDetector.
#include "frontend/translators/com_microsoft/repeated_ngrams.hpp"

#include <limits>
#include <string>

#include "frontend/translators/com_microsoft/operands.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {

Value find_repeated_ngrams(Builder& builder, Value tokens, Value scores, std::int64_t size) {
  const Value length = size_of(builder, tokens, 1);
  const Value count = builder.op(
      ops::Maximum, {builder.op(ops::Subtract, {length, builder.integer(size - 1)}), builder.integer(0)});
  const Value begins = emit_range(builder, count);
  const Value followers =
      gather(builder, tokens, builder.op(ops::Add, {begins, builder.integer(size - 1)}), 1);
  Value found = fill(builder, 1, ElementType::i32, shape_of(builder, followers));
  for (std::int64_t i = 0; i + 1 < size; ++i) {
    const Value own = gather(builder, tokens, builder.op(ops::Add, {begins, builder.integer(i)}), 1);
    // The last tokens of the sequence. Sequences that are too short have no windows.
    const Value place = builder.op(
        ops::Maximum, {builder.op(ops::Add, {length, builder.integer(i - size + 1)}), builder.integer(0)});
    const Value last = gather(builder, tokens, reshape(builder, place, {1}), 1);
    found = builder.op(ops::Multiply,
                       {found, convert(builder, builder.op(ops::Equal, {own, last}), ElementType::i32)});
  }
  const Value none = fill(builder, 0, ElementType::i32, shape_of(builder, scores));
  const Value banned = scatter(builder, none, followers, found, 1, "max");
  return builder.op(ops::Greater, {banned, builder.integer(0, ElementType::i32)});
}

namespace {

/// NGramRepeatBlock: sets the score of each token that would repeat an n-gram of `ngram_size` tokens to
/// -infinity.
Values block_repeated_ngrams(NodeContext& node) {
  const Value tokens = convert(node, node.input(0), ElementType::i64);
  const Value scores = node.input(1);
  const std::int64_t size = node.integer_attribute("ngram_size");
  if (size < 1 || size > kMaxNgram)
    node.fail("ngram_size must be between 1 and " + std::to_string(kMaxNgram));
  return {node.op(ops::Select, {find_repeated_ngrams(node, tokens, scores, size),
                                node.number_like(-std::numeric_limits<double>::infinity(), scores), scores})};
}

using Input = inputs::microsoft::BifurcationDetector;

/// `tokens` and one more token, so that it has an element to gather.
Value pad_tokens(NodeContext& node, Value tokens) {
  return concat(node, {tokens, node.integers({0})});
}

/// The first of `places` whose condition is true; `count` if all conditions are false.
Value find_first_true(NodeContext& node, Value conditions, Value places, Value count) {
  return reduce(node, ops::ReduceMin, node.op(ops::Select, {conditions, places, count}), {0});
}

/// The current tokens and the prediction up to the first token that differs from the source after the last
/// match.
Value merge_tokens(NodeContext& node, Value source, Value count) {
  if (!node.has_input(Input::pred_tokens)) return node.input(Input::cur_tokens);
  const Value prediction = node.input(Input::pred_tokens);
  const Value places = enumerate_along(node, prediction, 0);
  const Value previous = reshape_to_scalar(node, node.input(Input::prev_suffix_match_idx));
  const Value in_source = node.op(ops::Add, {places, previous});
  const Value padded = pad_tokens(node, source);
  const Value expected = gather(node, padded, node.op(ops::Minimum, {in_source, count}));
  const Value differs = node.op(ops::LogicalOr, {node.op(ops::GreaterEqual, {in_source, count}),
                                                 node.op(ops::NotEqual, {expected, prediction})});
  const Value kept = node.op(
      ops::Add, {find_first_true(node, differs, places, size_of(node, prediction, 0)), node.integer(1)});
  const Value end = reshape(node, kept, {1});
  return concat(node, {node.input(Input::cur_tokens), slice(node, prediction, node.integers({0}), end, 0)});
}

/// The place after the n-gram of the source that ends the tokens; -1 unless the source has it once or at its
/// end.
Value match_suffix(NodeContext& node, Value source, Value count, Value tokens) {
  const std::int64_t smallest = node.integer_attribute("min_ngram_size", 1);
  const std::int64_t largest = node.integer_attribute("max_ngram_size", 1);
  if (smallest < 1 || largest < smallest || largest > kMaxNgram)
    node.fail("min_ngram_size and max_ngram_size must be between 1 and " + std::to_string(kMaxNgram));
  const Value length = size_of(node, tokens, 0);
  const Value candidates = pad_tokens(node, source);
  const Value endings = pad_tokens(node, tokens);
  const Value places = emit_range(node, node.op(ops::Add, {count, node.integer(1)}));
  Value matches = node.op(ops::Less, {places, count});  // the n-gram that ends at each place of the source
  Value is_open = node.boolean(true);
  Value result = node.integer(-1);
  for (std::int64_t size = 1; size <= largest; ++size) {
    const Value back = node.integer(size - 1);
    const auto shifted = [&](Value from, Value last) {
      const Value place = node.op(ops::Subtract, {last, back});
      return std::pair{gather(node, from, node.op(ops::Maximum, {place, node.integer(0)})),
                       node.op(ops::GreaterEqual, {place, node.integer(0)})};
    };
    const auto [own, is_in_source] = shifted(candidates, places);
    const auto [ending, is_in_tokens] = shifted(endings, node.op(ops::Subtract, {length, node.integer(1)}));
    for (const Value condition : {node.op(ops::Equal, {own, ending}), is_in_source, is_in_tokens})
      matches = node.op(ops::LogicalAnd, {matches, condition});
    if (size < smallest) continue;
    const Value found = reduce(node, ops::ReduceSum, convert(node, matches, ElementType::i64), {0});
    const Value after = node.op(ops::Add, {find_first_true(node, matches, places, count), node.integer(1)});
    const Value is_ambiguous = node.op(ops::LogicalAnd, {node.op(ops::Greater, {found, node.integer(1)}),
                                                         node.op(ops::Less, {after, count})});
    const Value is_found =
        node.op(ops::LogicalAnd, {is_open, node.op(ops::Greater, {found, node.integer(0)})});
    const Value match = node.op(ops::Select, {is_ambiguous, node.integer(-1), after});
    result = node.op(ops::Select, {is_found, match, result});
    // A longer n-gram is looked for only if this one is ambiguous.
    is_open = node.op(ops::LogicalAnd, {is_found, is_ambiguous});
  }
  return result;
}

/// BifurcationDetector: joins the accepted part of a prediction to a sentence, and finds where the end of the
/// sentence is in the source.
Values detect_bifurcation(NodeContext& node) {
  const Value source = node.input(Input::src_tokens);
  const Value count = size_of(node, source, 0);
  const Value tokens = merge_tokens(node, source, count);
  const Value match = match_suffix(node, source, count, tokens);
  return {tokens, reshape(node, match, shape_of(node, node.input(Input::prev_suffix_match_idx)))};
}

}  // namespace

std::vector<TranslatorRow> microsoft_ngram_translators() {
  return {{"NGramRepeatBlock", 1, block_repeated_ngrams}, {"BifurcationDetector", 1, detect_bifurcation}};
}

}  // namespace onnx2ir::frontend
