// Hashes and comparison of constants, wherever their bytes lie, in bounded memory.
#pragma once

#include <cstdint>

#include "ir/constant_data.hpp"

namespace onnx2ir::backend_xml {

/// Constants up to this size are read through the mapping of their file: a call for each would cost more.
inline constexpr std::uint64_t kSmallConstant = std::uint64_t{1} << 16U;

/// Reads constants for hashing. What cannot be read hashes to something and is equal to nothing.
class DataReader {
 public:
  /// The size, the narrowing and a few samples spread over the bytes; of up to 128 bytes, all of them.
  std::uint64_t sample_hash(const ir::ConstantData& data);
  std::uint64_t full_hash(const ir::ConstantData& data);
  bool are_equal(const ir::ConstantData& a, const ir::ConstantData& b);

 private:
  ir::MappedReads mapped_;
};

}  // namespace onnx2ir::backend_xml
