// The constants that a reader of IR finds in a weights file.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "ir/constant_data.hpp"

namespace onnx2ir::ir {

/// Parts of `whole`, in bytes. Equal ranges are views on the same bytes (ConstantData::place), also small
/// ones of a file, which are copied to memory.
class SharedParts {
 public:
  explicit SharedParts(ConstantData whole) : whole_(std::move(whole)) {}

  /// The number of bytes of the whole.
  std::uint64_t size() const { return whole_.size(); }
  /// The bytes [offset, offset + size), which must exist. Throws Failure (unreadable_input).
  const ConstantData& part(std::uint64_t offset, std::uint64_t size) {
    const auto [found, is_new] = parts_.try_emplace({offset, size});
    if (is_new) found->second = whole_.part(offset, size);
    return found->second;
  }

 private:
  ConstantData whole_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, ConstantData> parts_;
};

}  // namespace onnx2ir::ir
