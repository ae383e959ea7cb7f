// MurmurHash3 of each element (the 32-bit hash of MurmurHash3_x86_32). The hash relies on products and sums
// of i32 that wrap around.
#include <cstdint>

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/control_flow.hpp"
#include "frontend/translators/onnx/string_list.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// Unsigned 32-bit arithmetic that wraps around, represented as i32.
class WordArithmetic {
 public:
  explicit WordArithmetic(Builder& builder) : builder_(&builder) {}

  Value emit_word(std::uint32_t bits) const {
    return builder_->integer(static_cast<std::int32_t>(bits), ElementType::i32);
  }
  Value multiply(Value a, std::uint32_t factor) const {
    return builder_->op(ops::Multiply, {a, emit_word(factor)});
  }
  Value add(Value a, std::uint32_t summand) const { return builder_->op(ops::Add, {a, emit_word(summand)}); }
  Value combine(Value a, Value b) const { return builder_->op(ops::BitwiseXor, {a, b}); }
  Value shift_left(Value a, unsigned bits) const {
    return builder_->op(ops::BitwiseLeftShift, {a, emit_word(bits)});
  }
  /// A logical shift: the shift operation itself copies the sign.
  Value shift_right(Value a, unsigned bits) const {
    const Value moved = builder_->op(ops::BitwiseRightShift, {a, emit_word(bits)});
    return builder_->op(ops::BitwiseAnd, {moved, emit_word((std::uint32_t{1} << (32 - bits)) - 1)});
  }
  Value rotate(Value a, unsigned bits) const {
    return builder_->op(ops::BitwiseOr, {shift_left(a, bits), shift_right(a, 32 - bits)});
  }

 private:
  Builder* builder_;
};

/// The hash with the bits of a block, which may be incomplete: a block of zeros changes nothing.
Value add_bits(const WordArithmetic& words, Value hash, Value block) {
  const Value scattered = words.multiply(words.rotate(words.multiply(block, 0xcc9e2d51U), 15), 0x1b873593U);
  return words.combine(hash, scattered);
}

/// The hash after a complete block, whose bits it has.
Value end_block(const WordArithmetic& words, Value hash) {
  return words.add(words.multiply(words.rotate(hash, 13), 5), 0xe6546b64U);
}

/// The hash after all elements, of `bytes` bytes each.
Value finish(const WordArithmetic& words, Value hash, Value bytes) {
  hash = words.combine(hash, bytes);
  hash = words.multiply(words.combine(hash, words.shift_right(hash, 16)), 0x85ebca6bU);
  hash = words.multiply(words.combine(hash, words.shift_right(hash, 13)), 0xc2b2ae35U);
  return words.combine(hash, words.shift_right(hash, 16));
}

/// The 32-bit words of an element, the lowest one first.
Values split_into_blocks(NodeContext& node, Value value) {
  switch (value.type()) {
    case ElementType::i32:
    case ElementType::u32:
    case ElementType::f32:
      return {convert_to_bits(node, value)};
    case ElementType::i64: {
      // i64 is computed in 32 bits (docs/limits.md): the upper word follows from the sign.
      const Value low = convert(node, value, ElementType::i32);
      const Value is_negative = node.op(ops::Less, {low, node.integer(0, ElementType::i32)});
      return {low, node.op(ops::Select, {is_negative, node.integer(-1, ElementType::i32),
                                         node.integer(0, ElementType::i32)})};
    }
    default:
      node.fail("hashes of " + std::string(ir::info(value.type()).name) + " are not converted");
  }
}

/// A Loop whose iterations feed the next four bytes of all strings, zeros after their ends.
Value hash_strings(NodeContext& node, Value input, Value seed) {
  const StringList texts(node, input);
  const Value bytes = widen_bytes(node, texts.bytes(), 0);
  const Value blocks = node.op(ops::BitwiseRightShift, {texts.find_longest(node), node.integer(2, kWhole)});
  const Value count = node.op(ops::Add, {convert(node, blocks, ElementType::i64), node.integer(1)});
  const auto write = [](Builder& body, Value iteration, const Values& states, const Values& invariants) {
    const WordArithmetic words(body);
    const Value begins = unsqueeze(body, invariants[0], {1});
    const Value lengths = unsqueeze(body, invariants[1], {1});
    const Value start = body.op(ops::Multiply, {convert(body, iteration, kWhole), body.integer(4, kWhole)});
    const Value places = body.op(ops::Add, {start, body.integers({0, 1, 2, 3}, kWhole)});
    const Value is_inside = body.op(ops::Less, {places, lengths});
    const Value read = gather_bytes(body, invariants[2], body.op(ops::Add, {begins, places}), is_inside);
    const Value shifted = body.op(ops::BitwiseLeftShift, {read, body.integers({0, 8, 16, 24}, kWhole)});
    const auto byte = [&](std::int64_t i) { return gather(body, shifted, body.integer(i), 1); };
    Value block = byte(0);
    for (const std::int64_t i : {1, 2, 3}) {
      const Value next = byte(i);
      block = body.op(ops::BitwiseOr, {block, next});
    }
    const Value hash = add_bits(words, states[0], block);
    const Value is_complete = gather(body, is_inside, body.integer(3), 1);
    return Iteration{{body.op(ops::Select, {is_complete, end_block(words, hash), hash})}, {}};
  };
  const Value first = broadcast_to(node, seed, shape_of(node, texts.lengths()));
  const Value hash = iterate(node, count, {first}, {texts.begins(), texts.lengths(), bytes}, write).states[0];
  return texts.reshape_to_tensor(node, finish(WordArithmetic(node), hash, texts.lengths()));
}

Value hash_numbers(NodeContext& node, Value input, Value seed) {
  const WordArithmetic words(node);
  const Values blocks = split_into_blocks(node, input);
  Value hash = seed;
  for (const Value& block : blocks) hash = end_block(words, add_bits(words, hash, block));
  return finish(words, hash, words.emit_word(static_cast<std::uint32_t>(4 * blocks.size())));
}

Values murmur_hash(NodeContext& node) {
  const Value input = node.input(0);
  const ElementType type = node.flag_attribute("positive", true) ? ElementType::u32 : ElementType::i32;
  const auto bits = static_cast<std::uint32_t>(node.integer_attribute("seed", 0));
  if (input.shape().element_count() == 0) return {fill(node, 0, type, shape_of(node, input))};
  const Value seed = WordArithmetic(node).emit_word(bits);
  const bool is_text = input.type() == ElementType::string;
  return {convert(node, is_text ? hash_strings(node, input, seed) : hash_numbers(node, input, seed), type)};
}

}  // namespace

std::vector<TranslatorRow> microsoft_hash_translators() {
  return {{"MurmurHash3", 1, murmur_hash, "double and uint64; int64 beyond 32 bits"}};
}

}  // namespace onnx2ir::frontend
