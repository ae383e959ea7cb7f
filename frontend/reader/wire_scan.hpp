// Takes the weights out of a serialized ModelProto before protobuf parses it, so that parsing neither copies
// nor reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/input_file.hpp"

namespace onnx2ir::frontend {

/// A range of the scanned bytes.
struct ByteRange {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;

  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

/// Raw data, and packed floats that are laid out like it, of this size or more is taken out of the model;
/// what stands for it has exactly this size. So no raw data of the model itself can look like a reference,
/// whatever its bytes are.
inline constexpr std::size_t kRawReferenceSize = 128;

/// Graphs nested deeper than this are refused: passes over a model recurse into its graphs.
inline constexpr int kMaxGraphDepth = 64;

/// A serialized ModelProto without its long raw data, documentation strings and training information.
struct StrippedModel {
  std::string bytes;                ///< for protobuf
  std::vector<ByteRange> raw_data;  ///< what the references stand for, in the scanned bytes
};

/// Strips `model`. The time is linear in what remains, not in the weights. Nothing, and the reason in
/// `problem`, when the bytes are not protobuf's wire format.
std::optional<StrippedModel> strip_raw_data(std::span<const std::byte> model, std::string& problem);
/// The same for a file, of which a bounded part is in memory. Throws ir::InputError.
std::optional<StrippedModel> strip_raw_data(const ir::InputFile& model, std::string& problem);

/// The index into StrippedModel::raw_data that `raw_data` of a stripped model stands for; nothing when it is
/// the data itself.
std::optional<std::uint64_t> raw_data_reference(std::string_view raw_data);

}  // namespace onnx2ir::frontend
