// MurmurHash3 of each element (the 32-bit hash of MurmurHash3_x86_32). The hash relies on products and sums
// of i32 that wrap around.
#include <cstdint>

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// Unsigned 32-bit arithmetic that wraps around, represented as i32.
class WordArithmetic {
 public:
  explicit WordArithmetic(NodeContext& node) : node_(&node) {}

  Value emit_word(std::uint32_t bits) const {
    return node_->integer(static_cast<std::int32_t>(bits), ElementType::i32);
  }
  Value multiply(Value a, std::uint32_t factor) const {
    return node_->op(ops::Multiply, {a, emit_word(factor)});
  }
  Value add(Value a, std::uint32_t summand) const { return node_->op(ops::Add, {a, emit_word(summand)}); }
  Value combine(Value a, Value b) const { return node_->op(ops::BitwiseXor, {a, b}); }
  Value shift_left(Value a, unsigned bits) const {
    return node_->op(ops::BitwiseLeftShift, {a, emit_word(bits)});
  }
  /// A logical shift: the shift operation itself copies the sign.
  Value shift_right(Value a, unsigned bits) const {
    const Value moved = node_->op(ops::BitwiseRightShift, {a, emit_word(bits)});
    return node_->op(ops::BitwiseAnd, {moved, emit_word((std::uint32_t{1} << (32 - bits)) - 1)});
  }
  Value rotate(Value a, unsigned bits) const {
    return node_->op(ops::BitwiseOr, {shift_left(a, bits), shift_right(a, 32 - bits)});
  }

 private:
  NodeContext* node_;
};

Value add_block(const WordArithmetic& words, Value hash, Value block) {
  const Value scattered = words.multiply(words.rotate(words.multiply(block, 0xcc9e2d51U), 15), 0x1b873593U);
  return words.add(words.multiply(words.rotate(words.combine(hash, scattered), 13), 5), 0xe6546b64U);
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

Values murmur_hash(NodeContext& node) {
  const WordArithmetic words(node);
  const Values blocks = split_into_blocks(node, node.input(0));
  Value hash = words.emit_word(static_cast<std::uint32_t>(node.integer_attribute("seed", 0)));
  for (const Value& block : blocks) hash = add_block(words, hash, block);
  hash = words.combine(hash, words.emit_word(static_cast<std::uint32_t>(4 * blocks.size())));
  hash = words.multiply(words.combine(hash, words.shift_right(hash, 16)), 0x85ebca6bU);
  hash = words.multiply(words.combine(hash, words.shift_right(hash, 13)), 0xc2b2ae35U);
  hash = words.combine(hash, words.shift_right(hash, 16));
  return {node.flag_attribute("positive", true) ? convert(node, hash, ElementType::u32) : hash};
}

}  // namespace

std::vector<TranslatorRow> microsoft_hash_translators() {
  return {{"MurmurHash3", 1, murmur_hash, "strings, double and uint64; int64 beyond 32 bits"}};
}

}  // namespace onnx2ir::frontend
