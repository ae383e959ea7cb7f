#include "passes/support/round_to_grid.hpp"

namespace onnx2ir::passes {

ir::Value round_to_grid(ir::Builder& builder, ir::Value numbers, const QuantizationGrid& grid) {
  constexpr std::int64_t kLevels = 256;
  const ir::IntegerLimits limits = ir::limits_of(grid.type);
  const ir::Value low = builder.number_like((limits.low - grid.zero_point) * grid.scale, numbers);
  const ir::Value high = builder.number_like((limits.high - grid.zero_point) * grid.scale, numbers);
  return builder.op(ops::FakeQuantize, {numbers, low, high, low, high}, {{"levels", kLevels}});
}

}  // namespace onnx2ir::passes
