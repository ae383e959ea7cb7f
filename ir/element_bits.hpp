// Bitwise access to elements of constants, for code that must preserve every bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ir/element_type.hpp"

namespace onnx2ir::ir {

/// Whether elements of `type` can be read and written one by one: their size is a divisor or a multiple of
/// one byte.
bool has_element_bits(ElementType type);
/// The bits of element `index`, in the lowest bits of the result. `bytes` must hold the element.
std::uint64_t element_bits(ElementType type, std::span<const std::byte> bytes, std::size_t index);
/// Stores the lowest bits of `bits` as element `index`, whose bits must be zero.
void set_element_bits(ElementType type, std::span<std::byte> bytes, std::size_t index, std::uint64_t bits);
/// Stores the lowest bits of `bits` as each of the first `count` elements. `bytes` must be zero.
void fill_element_bits(ElementType type, std::span<std::byte> bytes, std::size_t count, std::uint64_t bits);

}  // namespace onnx2ir::ir
