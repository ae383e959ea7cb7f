// The runtime converts to float8 by way of f16 and rounds twice; older releases do not round subnormals and
// float4 to nearest even. This pass rounds before the conversion: it scales by a power of two that makes
// representable numbers integers, rounds, and scales back.
#include <algorithm>
#include <array>
#include <cmath>

#include "ir/shape_tools.hpp"
#include "passes/passes.hpp"
#include "passes/rewrite.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

/// A floating-point format: mantissa bits, and exponents of the least and greatest normal number.
struct Format {
  ir::ElementType type;
  int mantissa;
  int least;
  int greatest;
  target::Fault fault;
};

constexpr std::array kFormats = {
    Format{ir::ElementType::f8e4m3, 3, -6, 8, target::Fault::float8_rounding},
    Format{ir::ElementType::f8e5m2, 2, -14, 15, target::Fault::float8_rounding},
    Format{ir::ElementType::f4e2m1, 1, 0, 2, target::Fault::float4_rounding},
};

ir::Value rounded(ir::Builder& builder, ir::Value x, const Format& format) {
  const auto power = [&](int exponent) { return builder.number_like(std::ldexp(1.0, exponent), x); };
  const auto times = [&](ir::Value value, int exponent) {
    return builder.op(ops::Multiply, {value, power(exponent)});
  };
  const int shift = format.mantissa - format.least;
  ir::Value scaled = times(x, shift);
  ir::Value factor = power(-shift);
  int step = 1;
  while (2 * step <= format.greatest - format.least) step *= 2;
  for (; step > 0; step /= 2) {
    const ir::Value is_large =
        builder.op(ops::GreaterEqual, {builder.op(ops::Abs, {scaled}), power(format.mantissa + step)});
    scaled = builder.op(ops::Select, {is_large, times(scaled, -step), scaled});
    factor = builder.op(ops::Select, {is_large, times(factor, step), factor});
  }
  return builder.op(ops::Multiply, {builder.op(ops::Round, {scaled}, {{"mode", "half_to_even"}}), factor});
}

}  // namespace

bool round_small_floats(ir::Model& model, PassContext& context) {
  return rewrite_values(model, {ops::Convert}, [&](ir::Builder& builder, const ir::Node& node) {
    if (node.is_legalized) return ir::Value{};
    const ir::Value x = node.input(0);
    const auto* const format = std::ranges::find(kFormats, node.type("destination_type"), &Format::type);
    if (format == kFormats.end() || !context.has(format->fault)) return ir::Value{};
    if (!ir::is_floating(x.type()) || ir::info(x.type()).bits < 16) return ir::Value{};
    const ir::Value wide = ir::convert(builder, x, ir::ElementType::f32);
    const ir::Value converted = ir::convert(builder, rounded(builder, wide, *format), format->type);
    converted.node->is_legalized = true;
    return converted;
  });
}

}  // namespace onnx2ir::passes
