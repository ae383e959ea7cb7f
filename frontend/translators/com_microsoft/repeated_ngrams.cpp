#include "frontend/translators/com_microsoft/repeated_ngrams.hpp"

#include <limits>
#include <string>

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"
#include "ir/shape_tools.hpp"

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

}  // namespace

std::vector<TranslatorRow> microsoft_ngram_translators() {
  return {{"NGramRepeatBlock", 1, block_repeated_ngrams}};
}

}  // namespace onnx2ir::frontend
