#include "frontend/translators/com_microsoft/quantized_cache.hpp"

#include <string>

#include "frontend/translators/onnx/shape_tools.hpp"
#include "ir/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

constexpr std::int64_t kZeroOf4Bits = 8;  ///< added to 4-bit codes, so that they are not negative

/// Packs two 4-bit codes into each byte, the first one in the lower bits.
Value pack_codes(NodeContext& node, Value codes) {
  const Value numbers = convert(node, codes, ElementType::i32);
  const Value positive = node.op(ops::Add, {numbers, node.integer(kZeroOf4Bits, ElementType::i32)});
  const auto every_second = [&](std::int64_t first) { return slice(node, positive, first, kFarEnd, 3, 2); };
  const Value high = node.op(ops::Multiply, {every_second(1), node.integer(16, ElementType::i32)});
  return convert(node, node.op(ops::Add, {every_second(0), high}), ElementType::u8);
}

Value unpack_codes(NodeContext& node, Value bytes, ir::Dimension size) {
  const Value numbers = convert(node, bytes, ElementType::i32);
  const Value sixteen = node.integer(16, ElementType::i32);
  const Value high = divide(node, numbers, sixteen);
  const Value low = node.op(ops::Subtract, {numbers, node.op(ops::Multiply, {high, sixteen})});
  const Value pairs = concat(node, {unsqueeze(node, low, {4}), unsqueeze(node, high, {4})}, 4);
  const Value codes = reshape_keeping(node, pairs, {0, 0, 0, size.is_static() ? size.size() : -1});
  return node.op(ops::Subtract, {codes, node.integer(kZeroOf4Bits, ElementType::i32)});
}

}  // namespace

QuantizedCache read_cache_quantization(NodeContext& node, std::string_view type, std::size_t index,
                                       std::int64_t heads) {
  const std::string kind = node.text_attribute(type, "NONE");
  QuantizedCache cache;
  if (kind == "NONE") return cache;
  cache.bits = node.integer_attribute("kv_cache_bit_width", 8);
  if (cache.bits != 4 && cache.bits != 8) node.fail("kv_cache_bit_width must be 4 or 8");
  const bool is_per_channel = kind == "PER_CHANNEL";
  if (!is_per_channel && kind != "PER_TENSOR")
    node.fail(std::string(type) + " '" + kind + "' does not exist");
  cache.scale = reshape(
      node, convert(node, node.input(index), ElementType::f32),
      is_per_channel ? std::vector<std::int64_t>{1, heads, 1, -1} : std::vector<std::int64_t>{1, 1, 1, 1});
  return cache;
}

Value quantize_cache(NodeContext& node, const QuantizedCache& cache, Value values) {
  if (!cache.scale) return values;
  const double highest = cache.bits == 4 ? 7 : 127;
  const Value quotient = divide_exactly(node, convert(node, values, ElementType::f32), cache.scale);
  const Value rounded = round_to_even(node, quotient);
  const Value codes = node.op(ops::Clamp, {rounded}, {{"min", -highest - 1}, {"max", highest}});
  return cache.bits == 4 ? pack_codes(node, codes) : convert(node, codes, ElementType::i8);
}

Value dequantize_cache(NodeContext& node, const QuantizedCache& cache, Value stored, ir::Dimension size) {
  if (!cache.scale) return stored;
  const Value codes = cache.bits == 4 ? unpack_codes(node, stored, size) : stored;
  const Value numbers = node.op(ops::Multiply, {convert(node, codes, ElementType::f32), cache.scale});
  return convert(node, numbers, node.input(0).type());
}

}  // namespace onnx2ir::frontend
