// Shares the bytes of equal constants. A kilobyte of functions that call each other can create the same
// constant a hundred thousand times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>

#include "ir/constant_data.hpp"

namespace onnx2ir::ir {

/// The large constants of all graphs of a model that own their bytes. Not thread-safe.
class ConstantPool {
 public:
  /// `data`, or earlier data with the same bytes that is still in use. Small constants, and views on a file
  /// or on memory of the caller, are returned as they are: hashing the weights of a model takes time.
  ConstantData share(ConstantData data);

 private:
  struct Entry {
    std::weak_ptr<const void> owner;
    std::span<const std::byte> bytes;
  };
  std::unordered_multimap<std::uint64_t, Entry> entries_;  ///< by hash; only used for look-ups
};

}  // namespace onnx2ir::ir
