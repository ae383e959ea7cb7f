// Removes the weights from a serialized ModelProto before protobuf parses it, so that parsing neither copies
// nor reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <onnx2ir/result.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/input_file.hpp"

namespace onnx2ir::frontend {

/// A range of the scanned bytes.
struct ByteRange {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;

  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

/// Raw data of this size or more, and packed floats with the same layout, are removed from the model and
/// replaced by a reference of exactly this size. So raw data that remains in the model cannot be mistaken for
/// a reference.
inline constexpr std::size_t kRawReferenceSize = 128;

/// Deeper nesting of graphs is an error, because the conversion recurses into graphs.
inline constexpr int kMaxGraphDepth = 64;

/// The bytes of a model, in memory or in a file that is read piece by piece, for a scan that mostly moves
/// forward. Functions throw Failure (unreadable_input) if the file cannot be read.
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

/// A serialized ModelProto without its long raw data, documentation strings and training information.
struct StrippedModel {
  std::string bytes;                ///< for protobuf
  std::vector<ByteRange> raw_data;  ///< what the references stand for, in the scanned bytes
};

/// Strips `model`. The time is linear in the remaining bytes, not in the weights; a file is read with bounded
/// memory. A problem if the bytes are not in protobuf's wire format: unreadable_input if they end too early,
/// otherwise unreadable_model. Throws Failure (unreadable_input) if the file cannot be read.
Result<StrippedModel> strip_raw_data(ByteWindow model);

/// The index into StrippedModel::raw_data that `raw_data` of a stripped model refers to; no value if it is
/// the data itself.
std::optional<std::uint64_t> raw_data_reference(std::string_view raw_data);

}  // namespace onnx2ir::frontend
