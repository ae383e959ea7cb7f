// Replaces operations on types of up to 16 bits that releases compute wrongly, or not at all.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "ir/views/unary.hpp"
#include "passes/finished_forms.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/pattern.hpp"

namespace onnx2ir::passes {
namespace {

/// A floating-point format: mantissa bits, and exponents of the least and greatest normal number.
struct Format {
  ir::ElementType type;
  int mantissa;
  int least;
  int greatest;
};

constexpr std::array kFormats = {
    Format{ir::ElementType::f8e4m3, 3, -6, 8},
    Format{ir::ElementType::f8e5m2, 2, -14, 15},
    Format{ir::ElementType::f4e2m1, 1, 0, 2},
};

/// The runtime converts to float8 by way of f16 and rounds twice; older releases do not round subnormals and
/// float4 to nearest even. This rounds before the conversion: it scales by a power of two that makes
/// representable numbers integers, rounds, and scales back.
ir::Value round_to_format(ir::Builder& builder, ir::Value x, const Format& format) {
  const auto emit_power = [&](int exponent) { return builder.number_like(std::ldexp(1.0, exponent), x); };
  const auto scale_by_power = [&](ir::Value value, int exponent) {
    return builder.op(ops::Multiply, {value, emit_power(exponent)});
  };
  const int shift = format.mantissa - format.least;
  ir::Value scaled = scale_by_power(x, shift);
  ir::Value factor = emit_power(-shift);
  int step = 1;
  while (2 * step <= format.greatest - format.least) step *= 2;
  for (; step > 0; step /= 2) {
    const ir::Value is_large =
        builder.op(ops::GreaterEqual, {builder.op(ops::Abs, {scaled}), emit_power(format.mantissa + step)});
    scaled = builder.op(ops::Select, {is_large, scale_by_power(scaled, -step), scaled});
    factor = builder.op(ops::Select, {is_large, scale_by_power(factor, step), factor});
  }
  return builder.op(ops::Multiply, {builder.op(ops::Round, {scaled}, {{"mode", "half_to_even"}}), factor});
}

/// The format to which a Convert rounds numbers of more bits that are not rounded yet; null if it does not.
const Format* format_of(ir::ConvertView convert) {
  const ir::ElementType from = convert.data().type();
  if (convert.node().notes.contains(ir::Note::rounded) || !ir::is_floating(from) || ir::info(from).bits < 16)
    return nullptr;
  const auto* const format = std::ranges::find(kFormats, convert.destination_type(), &Format::type);
  return format == kFormats.end() ? nullptr : format;
}

template <unsigned kBits>
bool is_rounded_to(const ir::Node& convert) {
  const Format* const format = format_of(convert);
  return format != nullptr && ir::info(format->type).bits == kBits;
}

ir::Value round_and_convert(ir::Builder& builder, ir::ConvertView convert) {
  const Format& format = *format_of(convert);
  const ir::Value wide = ir::convert(builder, convert.data(), ir::ElementType::f32);
  const ir::Value result = ir::convert(builder, round_to_format(builder, wide, format), format.type);
  result.node->notes.add(ir::Note::rounded);
  return result;
}

constexpr unsigned kStoredBits = 2;

/// Unpacks each byte of u2 elements to two bytes of u4 elements.
ir::ConstantData widened(std::span<const std::byte> packed, std::size_t elements) {
  std::vector<std::byte> bytes((elements + 1) / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto four = std::to_integer<unsigned>(packed[i / 2]) >> (i % 2 * 2 * kStoredBits);
    bytes[i] = static_cast<std::byte>((four & 3U) | ((four >> kStoredBits) & 3U) << 4U);
  }
  return ir::ConstantData(std::move(bytes));
}

/// Fault::two_bit_types. Releases before 2026.4 read u2 in an IR but cannot compute with it. Inputs and
/// outputs of the model keep their types.
bool is_of_2_bits(const ir::Node& node) {
  return node.output(0).type == ir::ElementType::u2 && !is_read_by(node, {ops::Result});
}

/// Constants become u4, which all releases keep compressed in products; conversions to u2 become conversions
/// to u8.
ir::Value widen_2_bits(ir::Builder& builder, const ir::Node& node) {
  using enum ir::ElementType;
  if (const auto convert = ir::match<ir::ConvertView>(node)) return ir::convert(builder, convert->data(), u8);
  const auto sizes = node.output(0).shape.sizes();
  const std::size_t elements = *node.output(0).shape.element_count();
  return builder.constant(u4, *sizes, widened(node.constant()->bytes(), elements));
}

/// Fault::unsigned_bitwise_not. The CPU plugin computes in i32 and saturates negative results to 0.
bool is_of_words(ir::BitwiseNotView inversion) {
  return inversion.data().type() == ir::ElementType::u16;
}

/// BitwiseXor with a constant of ones gives the same bits without negative numbers.
ir::Value invert_by_xor(ir::Builder& builder, ir::BitwiseNotView inversion) {
  constexpr std::int64_t kOnes = 0xffff;
  const ir::Value value = inversion.data();
  return builder.op(ops::BitwiseXor, {value, builder.integer(kOnes, value.type())});
}

}  // namespace

bool is_converted_from_rounded(ir::Value value) {
  const auto convert = ir::match<ir::ConvertView>(value);
  if (!convert || !ir::is_floating(value.type()) || ir::info(value.type()).bits > 8) return false;
  ir::Value round;
  return matches(convert->data(),
                 commutative(ops::Multiply, any(round, op(ops::Round, any())), op(ops::Select, any()))) &&
         ir::RoundView(*round.node).mode() == "half_to_even";
}

Workaround legalize_small_types() {
  return {.stage = Stage::imported,
          .summary =
              "Rounds numbers before they are converted to float8 and float4, and replaces u2 and BitwiseNot "
              "of u16",
          .rows = {row<is_rounded_to<4>, round_and_convert>(Fault::float4_rounding, {ops::Convert}),
                   row<is_rounded_to<8>, round_and_convert>(Fault::float8_rounding, {ops::Convert}),
                   row<is_of_2_bits, widen_2_bits>(Fault::two_bit_types, {ops::Const, ops::Convert}),
                   row<is_of_words, invert_by_xor>(Fault::unsigned_bitwise_not, {ops::BitwiseNot})}};
}

}  // namespace onnx2ir::passes
