// Removes the weights from a serialized ModelProto before protobuf parses it, so that parsing neither copies
// nor reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <onnx2ir/result.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/reader/byte_window.hpp"

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
