// FakeQuantize with the same bounds for all elements.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/graph.hpp"
#include "ir/views/quantization.hpp"

namespace onnx2ir::passes {

/// The results of a FakeQuantize: `levels` numbers from `low` to `high`, which is larger.
struct Grid {
  double low;
  double high;
  std::int64_t levels;

  double step() const { return (high - low) / static_cast<double>(levels - 1); }
  /// Whether a rounding to the grid is noise. With few levels it is a part of the model: a FakeQuantize with
  /// two levels is a threshold.
  bool has_8_bits() const { return levels == 255 || levels == 256; }
  friend bool operator==(const Grid&, const Grid&) = default;
};

/// No value if channels have different bounds, or if they are not known.
std::optional<Grid> grid_of(ir::FakeQuantizeView rounded);

/// Whether the results are those of the grid that are nearest to the data: the bounds of data and results are
/// the same.
bool keeps_bounds(ir::FakeQuantizeView rounded);

/// Whether two FakeQuantize give the same numbers.
bool are_equal_roundings(ir::FakeQuantizeView a, ir::FakeQuantizeView b);

}  // namespace onnx2ir::passes
