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
ir::Value round_to_grid(ir::Builder& builder, ir::Value numbers, const QuantizationGrid& grid);

}  // namespace onnx2ir::passes
