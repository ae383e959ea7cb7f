// How the CPU plugin multiplies by quantised weights.
#pragma once

#include <cstdint>

namespace onnx2ir::target {

/// Whether the CPU plugin keeps the integer weights of a product with this many inputs compressed, and may
/// round these inputs: 2024.6 requires full groups of 32. The groups are the same for all products, and some
/// releases fail if they are larger than the inputs, so that products with few inputs are computed in f32.
constexpr bool has_full_groups(std::int64_t inputs) {
  constexpr std::int64_t kGroup = 32;
  return inputs >= 2 * kGroup && inputs % kGroup == 0;
}

}  // namespace onnx2ir::target
