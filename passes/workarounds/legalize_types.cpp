// Workarounds for element types that releases compute wrongly, or not at all, also in outputs of the model.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "ir/control_flow.hpp"
#include "ir/views/elementwise.hpp"
#include "ir/views/selection.hpp"
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

using ir::Value;

// Fault::select_in_f32: the CPU plugin computes a Select of integers in f32, which loses the last digits of
// integers above 2^24. Sums and products of integers are exact.

/// f32 has all integers up to this one.
constexpr std::int64_t kLargestExact = std::int64_t{1} << 24U;
/// Constants from here on stand for "to the end" or "none".
constexpr std::int64_t kLeastSentinel = std::numeric_limits<std::int32_t>::max();

bool fits(const ir::ValueRange& range) {
  const bool is_sentinel = range.min >= kLeastSentinel || range.max <= -kLeastSentinel;
  return is_sentinel || (range.min >= -kLargestExact && range.max <= kLargestExact);
}

/// Whether f32 has all elements of a constant, or of a value that inference knows.
bool is_known_to_fit(Value value) {
  const auto known = ir::known_values(value);
  return known && std::ranges::all_of(*known, fits);
}

bool is_known_to_fit(const ir::Output& output) {
  return output.known && std::ranges::all_of(*output.known, fits);
}

/// Whether f32 has all numbers of `type`.
bool is_small(ir::ElementType type) {
  constexpr unsigned kMostBits = 24;
  return type == ir::ElementType::boolean || ir::info(type).bits <= kMostBits || type == ir::ElementType::f32;
}

/// Whether the integers may be larger than f32 can hold exactly: they are computed from integers of the model
/// or of a loop, or from large constants. Sizes, positions, and what was a small type or f32 before, are not.
bool may_be_large(Value integers) {
  constexpr std::size_t kMostNodes = 64;
  constexpr ir::OperationSet kPositions = {ops::ShapeOf, ops::NonZero, ops::TopK, ops::Bucketize};
  if (is_known_to_fit(integers)) return false;
  std::size_t visited = 0;
  return any_before(integers, kMostNodes, [&](const ir::Node& node) {
    if (++visited == kMostNodes) return Search::found;
    const ir::Output& output = node.output(0);
    const bool is_converted = node.is(ops::Convert) && is_small(node.input(0).type());
    if (node.is_one_of(kPositions) || is_converted || !ir::is_integral(output.type) ||
        is_known_to_fit(output))
      return Search::skip;
    return node.inputs().empty() || node.op().traits.has_bodies ? Search::found : Search::follow;
  });
}

/// Whether `use` reads the trip count of a loop. No loop runs 2^24 times.
bool is_trip_count(const ir::Use& use) {
  return use.node->loop() != nullptr && use.index == ir::LoopView::kTripCount;
}

bool may_lose_digits(ir::SelectView select) {
  const ir::ElementType type = select.output(0).type;
  return ir::is_integral(type) && !is_small(type) &&
         !std::ranges::any_of(select.output(0).uses, is_trip_count) &&
         (may_be_large(select.then_value()) || may_be_large(select.else_value()));
}

/// b + c * (a - b), where c is 1 or 0. A difference that overflows wraps around, and the sum wraps back. The
/// GPU plugin does not take a boolean that is converted to c in the body of a loop, but a Select.
Value select_by_arithmetic(ir::Builder& builder, ir::SelectView select) {
  const Value a = select.then_value();
  const Value b = select.else_value();
  const Value chosen = builder.op(
      ops::Select, {select.condition(), builder.integer(1, b.type()), builder.integer(0, b.type())});
  const bool is_none = ir::known_scalar(b) == 0 && b.shape().has_rank(0);
  if (is_none) return builder.op(ops::Multiply, {chosen, a});
  const Value difference = builder.op(ops::Subtract, {a, b});
  return builder.op(ops::Add, {b, builder.op(ops::Multiply, {chosen, difference})});
}

// The CPU plugin computes types such as f16 and i64 with numbers of another type, and OpenVINO removes a
// conversion to such a type and back. If both results are outputs of the model, the second one then has the
// names of both. If the model has an input of dynamic shape as an output after that, the CPU plugin writes
// beyond the memory of the output.

/// The type in which the CPU plugin computes numbers of `type`.
ir::ElementType computed_type(ir::ElementType type) {
  using enum ir::ElementType;
  constexpr unsigned kByte = 8;
  if (type == f16 || type == f64) return f32;
  if (type == boolean) return u8;
  return ir::is_integral(type) && ir::info(type).bits > kByte ? i32 : type;
}

/// Fault::converted_output_name: both conversions keep the type in which the CPU plugin computes.
bool converts_output_back(ir::ConvertView convert) {
  const ir::Output& back = convert.output(0);
  if (!is_read_by(back, {ops::Result})) return false;
  const auto is_output = [](ir::Value value) { return is_read_by(value.output(), {ops::Result}); };
  const auto is_between = [&](ir::Value value) {
    return value.node->is(ops::Convert) && value.type() != back.type &&
           computed_type(value.type()) == back.type;
  };
  const ir::Value first = follow(convert.data(), [&](ir::Value value) {
    return is_between(value) && !is_output(value) ? value.node->input(0) : ir::Value{};
  });
  return is_between(first) && is_output(first) && computed_type(first.node->input(0).type()) == back.type;
}

/// Fault::input_converted_to_output: the conversions between an input and an output leave the numbers as the
/// CPU plugin computes them, also around a Reshape. It converts an input of another type by itself.
bool converts_input_to_output(ir::ConvertView convert) {
  const ir::Output& result = convert.output(0);
  if (!is_read_by(result, {ops::Result}) || result.shape.is_static() ||
      computed_type(result.type) != result.type)
    return false;
  const ir::Value data = follow(convert.data(), [&](ir::Value converted) {
    const ir::Node& node = *converted.node;
    const bool is_passed = node.is(ops::Convert) || node.op().traits.reshapes;
    return is_passed && computed_type(converted.type()) == result.type ? node.input(0) : ir::Value{};
  });
  return data.node->is(ops::Parameter) && data.type() == result.type;
}

/// OpenVINO removes a Reshape together with the conversions around it, but not an opaque copy.
void keep_output_apart(ir::Builder& builder, ir::Node& convert) {
  const ir::Value data = ir::ConvertView(convert).data();
  if (data.type() == convert.output(0).type)
    ir::replace_all_uses(convert.value(), ir::reshape_to_itself(builder, data));
  else
    convert.set_input(ir::ConvertView::Input::data, copy_opaquely(builder, data));
}

/// Fault::small_constant_results. The CPU plugin copies a constant of 4 bits to an output with the halves of
/// each byte exchanged.
bool is_small_constant(const ir::Node& result) {
  const ir::Value value = result.input(0);
  return ir::is_integral(value.type()) && ir::info(value.type()).bits == 4 &&
         ir::is_computed_from_constants(value);
}

void convert_at_run_time(ir::Builder&, ir::Node& result) {
  const ir::Value value = result.input(0);
  const ir::ElementType wide =
      value.type() == ir::ElementType::i4 ? ir::ElementType::i8 : ir::ElementType::u8;
  ir::Builder builder = ir::builder_beside(*value.node);
  const ir::Value numbers = ir::convert(builder, value, wide);
  const ir::Value chosen = hide_value(builder, emit_run_time_truth(builder), numbers);
  ir::replace_results(value, ir::convert(builder, chosen, value.type()));
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

Workaround legalize_types() {
  return {
      .summary =
          "Rounds numbers before they are converted to float8 and float4, replaces u2, BitwiseNot of u16 and "
          "Selects of large integers, and keeps conversions of outputs apart that OpenVINO would remove",
      .stages = {
          {Stage::imported,
           {row<is_rounded_to<4>, round_and_convert>(Fault::float4_rounding, {ops::Convert}),
            row<is_rounded_to<8>, round_and_convert>(Fault::float8_rounding, {ops::Convert}),
            row<is_of_2_bits, widen_2_bits>(Fault::two_bit_types, {ops::Const, ops::Convert}),
            row<is_of_words, invert_by_xor>(Fault::unsigned_bitwise_not, {ops::BitwiseNot})}},
          {Stage::kernels,
           {row<converts_output_back, separate_from_input>(Fault::converted_output_name, {ops::Convert}),
            row<converts_input_to_output, keep_output_apart>(Fault::input_converted_to_output,
                                                             {ops::Convert}),
            row<may_lose_digits, select_by_arithmetic>(Fault::select_in_f32, {ops::Select}),
            row<is_small_constant, convert_at_run_time>(Fault::small_constant_results, {ops::Result})}}}};
}

}  // namespace onnx2ir::passes
