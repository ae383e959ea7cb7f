// The bytes of a model, in memory or in a file that is read piece by piece, for a scan that mostly moves
// forward.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/input_file.hpp"

namespace onnx2ir::frontend {

/// Functions throw Failure (unreadable_input) if the file cannot be read.
class ByteWindow {
 public:
  /// `memory` and `file` must outlive the window.
  // NOLINTBEGIN(google-explicit-constructor): the argument of strip_raw_data()
  ByteWindow(std::span<const std::byte> memory) : window_(memory), size_(memory.size()) {}
  ByteWindow(const base::InputFile& file) : size_(file.size()), file_(&file) {}
  // NOLINTEND(google-explicit-constructor)

  std::uint64_t size() const { return size_; }
  /// The byte at `offset`, which must be less than size().
  std::byte at(std::uint64_t offset) {
    if (offset - begin_ >= window_.size()) load(offset);
    return window_[offset - begin_];
  }
  /// Appends the bytes of [begin, end) to `target`.
  void append_to(std::string& target, std::uint64_t begin, std::uint64_t end) const;

 private:
  void load(std::uint64_t offset);

  std::span<const std::byte> window_;
  std::uint64_t begin_ = 0;  ///< of the window
  std::uint64_t size_;
  const base::InputFile* file_ = nullptr;
  std::vector<std::byte> buffer_;
};

}  // namespace onnx2ir::frontend
