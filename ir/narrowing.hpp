// Converts constants to half precision piece by piece, so that no constant must be in memory as a whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "base/half_precision.hpp"
#include "ir/constant_data.hpp"

namespace onnx2ir::ir {

/// Calls `work(offset, piece)` for all bytes of `data` in pieces, in any order, on up to `threads` threads
/// (0: as many as the machine has). Stops and returns false if `work` returns false. Rethrows an exception of
/// any thread; throws Failure (unreadable_input) if the data cannot be read.
bool for_each_piece(const ConstantData& data, unsigned threads,
                    const std::function<bool(std::uint64_t offset, std::span<const std::byte> piece)>& work);

/// Examines all elements. Throws Failure (unreadable_input).
base::HalfPrecisionFit half_precision_fit(const ConstantData& data, Narrowing narrowing, unsigned threads);

/// Converts the elements of `piece` to half precision; `target` has the same number of elements.
void narrow(std::span<const std::byte> piece, Narrowing narrowing, std::span<std::uint16_t> target);

/// Copies bytes as they are written, from `offset` on: narrowed if `data` is. Throws Failure
/// (unreadable_input).
void copy_written(const ConstantData& data, std::uint64_t offset, std::span<std::byte> target);

/// Calls `compare` with the same piece of both constants as they are written, which have the same size there,
/// one piece after the other. Stops and returns false if `compare` returns false. Throws Failure
/// (unreadable_input).
bool for_each_pair(
    const ConstantData& a, const ConstantData& b,
    const std::function<bool(std::span<const std::byte> of_a, std::span<const std::byte> of_b)>& compare);
/// Whether both are the same bytes when they are written. Throws Failure (unreadable_input).
bool have_equal_bytes(const ConstantData& a, const ConstantData& b);

/// The bytes of one element before narrowing.
constexpr std::size_t element_size(Narrowing narrowing) {
  return narrowing == Narrowing::f64_to_f16 ? sizeof(double) : sizeof(float);
}

}  // namespace onnx2ir::ir
