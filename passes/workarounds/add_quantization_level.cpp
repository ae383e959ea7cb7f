// Workaround for stripped_quantization: OpenVINO removes a FakeQuantize with 65536 levels together with its
// clipping, which may replace a ReLU. Here it gets one more level, above the others.
#include <algorithm>

#include "ir/views/quantization.hpp"
#include "passes/analysis/constant_values.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

constexpr std::int64_t kStrippedLevels = 65536;

bool are_equal(ir::Value a, ir::Value b) {
  const auto first = ir::exact_numbers(a);
  const auto second = ir::exact_numbers(b);
  return first && second &&
         std::ranges::equal(*first, *second, [&](double x, double y) { return is_near(x, y, a.type()); });
}

/// OpenVINO keeps those whose results have another range, and those with computed bounds.
bool is_stripped(ir::FakeQuantizeView quantize) {
  return quantize.levels() == kStrippedLevels && are_equal(quantize.input_low(), quantize.output_low()) &&
         are_equal(quantize.input_high(), quantize.output_high());
}

/// `high` plus a step.
ir::Value raise_bound(ir::Builder& builder, ir::Value low, ir::Value high) {
  constexpr double kShare = 1.0 / static_cast<double>(kStrippedLevels - 1);
  const ir::Value range = builder.op(ops::Subtract, {high, low});
  const ir::Value step = builder.op(ops::Multiply, {range, builder.number_like(kShare, range)});
  return builder.op(ops::Add, {high, step});
}

ir::Value add_level(ir::Builder& builder, ir::FakeQuantizeView quantize) {
  const ir::Value high = raise_bound(builder, quantize.input_low(), quantize.input_high());
  const ir::Value highest = raise_bound(builder, quantize.output_low(), quantize.output_high());
  return builder.op(ops::FakeQuantize,
                    {quantize.data(), quantize.input_low(), high, quantize.output_low(), highest},
                    {{"levels", kStrippedLevels + 1}});
}

}  // namespace

Workaround add_quantization_level() {
  return {.stage = Stage::operations,
          .summary = "Adds a level to a FakeQuantize of 65536 levels",
          .rows = {row<is_stripped, add_level>(Fault::stripped_quantization, {ops::FakeQuantize})}};
}

}  // namespace onnx2ir::passes
