// Converts single numbers from and to floating-point formats narrower than f32, and gives the ranges of all
// floating-point formats.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/element_type.hpp"

namespace onnx2ir::ir {

/// Whether `type` is one of the formats: f16, bf16, f8e4m3, f8e5m2, f8e8m0, f4e2m1.
bool is_small_float(ElementType type);

/// The number that `bits` encode in `type`.
double decode_small_float(std::uint32_t bits, ElementType type);

/// The encoding nearest to `value`, ties to even. Overflow gives infinity; in formats without infinity, NaN
/// or the largest number, as specified for non-saturating conversion.
std::uint32_t encode_small_float(double value, ElementType type);

/// The largest finite number of a floating-point type; no value for other types, and for nf4.
std::optional<double> largest_finite(ElementType type);

}  // namespace onnx2ir::ir
