// Hashes and comparison of constants, wherever their bytes lie, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ir/constant_data.hpp"

namespace onnx2ir::backend_xml {

/// Constants of a file up to this size are read as a whole: calls for their parts would cost more.
inline constexpr std::uint64_t kSmallConstant = std::uint64_t{1} << 16U;

/// The size, the narrowing and a few samples spread over the bytes; of up to 128 bytes, all of them. Here and
/// below: throws ir::InputError.
std::uint64_t sample_hash(const ir::ConstantData& data);
std::uint64_t full_hash(const ir::ConstantData& data);
bool are_equal(const ir::ConstantData& a, const ir::ConstantData& b);

/// Of all bytes; not made for people who look for two texts with one hash.
std::uint64_t hash_bytes(std::uint64_t seed, std::span<const std::byte> bytes);

}  // namespace onnx2ir::backend_xml
