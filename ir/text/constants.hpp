// Elements of constants in text IR: a list, a splat, bytes, an offset in the weights file, or a hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "ir/graph.hpp"
#include "ir/text/printer.hpp"

namespace onnx2ir::ir {

/// The most bytes that all splats of a text may expand to: a text of a kilobyte must not fill the memory.
inline constexpr std::uint64_t kMaxSplatBytes = std::uint64_t{1} << 28U;

/// "sha256:0123456789abcdef": the first digits of the hash of the bytes in the weights file. Throws
/// Failure (unreadable_input).
std::string hash_text(const ConstantData& data);

/// Prints the elements of the constants of one text.
class ConstantPrinter {
 public:
  /// Constants that are too large for the text are appended to `weights`; if it is null, they are hashed.
  explicit ConstantPrinter(TextWeights* weights) : weights_(weights) {}

  /// The text after the "=" of a constant with output `output`: "[1, 2.5]", "splat 0", "weights(64, 4096)".
  /// Elements that are narrowed when written are narrowed here.
  std::string text(const Output& output, const ConstantData& data);
  /// For people: the same with a hash, followed by the first elements: "sha256:0123456789abcdef [1, 2, ...]".
  std::string summary(const Output& output, const ConstantData& data);

 private:
  std::string placed(const ConstantData& data);

  TextWeights* weights_;
  std::uint64_t splat_bytes_ = 0;
  std::map<std::pair<const void*, std::uint64_t>, std::size_t>
      blocks_;  ///< constants that share bytes share a block
};

}  // namespace onnx2ir::ir
