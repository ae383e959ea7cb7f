// Constants in half precision, piece by piece: no constant has to be in memory as a whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "ir/constant_data.hpp"
#include "ir/half_precision.hpp"

namespace onnx2ir::ir {

/// Calls `work(offset, piece)` for all bytes of `data` in pieces, from up to `threads` threads at once (0: as
/// many as the machine runs), in any order. Stops when `work` returns false; then it returns false as well.
/// An exception in any of the threads is thrown to the caller; InputError when the data cannot be read.
bool for_each_piece(const ConstantData& data, unsigned threads,
                    const std::function<bool(std::uint64_t offset, std::span<const std::byte> piece)>& work);

/// Looks at all elements. Throws InputError.
HalfPrecisionFit half_precision_fit(const ConstantData& data, Narrowing narrowing, unsigned threads);

/// The elements of `piece` in half precision: `target` has one for each.
void narrow(std::span<const std::byte> piece, Narrowing narrowing, std::span<std::uint16_t> target);

/// Copies the bytes from `offset` on as they are written: narrowed if `data` is. Throws InputError.
void copy_written(const ConstantData& data, std::uint64_t offset, std::span<std::byte> target);

/// Bytes of one element before narrowing.
constexpr std::size_t element_size(Narrowing narrowing) {
  return narrowing == Narrowing::f64_to_f16 ? sizeof(double) : sizeof(float);
}

}  // namespace onnx2ir::ir
