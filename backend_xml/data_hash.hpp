// Hashes and compares constants in memory or in files, in bounded memory.
#pragma once

#include <cstdint>

#include "ir/constant_data.hpp"

namespace onnx2ir::backend_xml {

/// Constants in a file up to this size are read as a whole: more system calls would cost more.
inline constexpr std::uint64_t kSmallConstant = std::uint64_t{1} << 16U;

/// Hashes the size, the narrowing, and some samples of the bytes; up to 128 bytes, all of them. Here and
/// below: throws Failure (unreadable_input).
std::uint64_t sample_hash(const ir::ConstantData& data);
std::uint64_t full_hash(const ir::ConstantData& data);
bool are_equal(const ir::ConstantData& a, const ir::ConstantData& b);

}  // namespace onnx2ir::backend_xml
