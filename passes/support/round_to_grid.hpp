// Rounds numbers to those that quantised integers represent.
#pragma once

#include "ir/builder.hpp"

namespace onnx2ir::passes {

/// The numbers (integer - zero point) * scale of all integers of `type`, which has 8 bits.
struct QuantizationGrid {
  ir::ElementType type;
  double zero_point;
  double scale;
};

/// A FakeQuantize that rounds `numbers` to the nearest ones of `grid`. OpenVINO computes what follows with
/// integers then, also if all numbers are of the grid already.
inline ir::Value round_to_grid(ir::Builder& builder, ir::Value numbers, const QuantizationGrid& grid) {
  constexpr std::int64_t kLevels = 256;
  const ir::IntegerLimits limits = ir::limits_of(grid.type);
  const ir::Value low = builder.number_like((limits.low - grid.zero_point) * grid.scale, numbers);
  const ir::Value high = builder.number_like((limits.high - grid.zero_point) * grid.scale, numbers);
  return builder.op(ops::FakeQuantize, {numbers, low, high, low, high}, {{"levels", kLevels}});
}

}  // namespace onnx2ir::passes
