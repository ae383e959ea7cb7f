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
  bool has_8_bits() const { return levels == 255 || levels == 256; }
  bool has_16_bits() const { return levels == 65536; }
  /// Whether a rounding to the grid is noise. With few levels it is a part of the model: a FakeQuantize with
  /// two levels is a threshold.
  bool is_fine() const { return has_8_bits() || has_16_bits(); }
  friend bool operator==(const Grid&, const Grid&) = default;
};

/// No value if channels have different bounds, or if they are not known.
std::optional<Grid> grid_of(ir::FakeQuantizeView rounded);

/// Whether the results have the bounds of the data: each result is then the nearest number of the grid.
bool keeps_bounds(ir::FakeQuantizeView rounded);

/// Whether two FakeQuantize round the same data to the same numbers.
bool are_equal_roundings(ir::FakeQuantizeView a, ir::FakeQuantizeView b);

/// Whether a FakeQuantize reads the value as its data, and no Convert reads the result. Integers may be a
/// result of the model, which must equal that of onnxruntime.
bool is_rounding(const ir::Use& use);

}  // namespace onnx2ir::passes
