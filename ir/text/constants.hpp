// Elements of constants in text IR: single ones, exact in both directions, and all of a constant: a list, a
// splat, bytes, an offset in the weights file, or a hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "ir/graph.hpp"
#include "ir/text/printer.hpp"

namespace onnx2ir::ir {

/// The shortest text that reads back as the same bits: "-3", "true", "0.1", "inf", "nan", or the bits
/// "0x7fc00001" if no number has them. Requires has_element_bits(type).
std::string element_text(ElementType type, std::uint64_t bits);
/// The bits of `text` as an element of `type`; no value if it is invalid. A number with more digits than
/// `type` has is rounded to nearest even.
std::optional<std::uint64_t> element_from_text(ElementType type, std::string_view text);

/// The shortest text of an attribute: "0.5". If the shortest text in single precision is shorter, that with
/// the suffix f ("1e-05f").
std::string real_text(double value);
/// The number in `text`; no value if it is invalid.
std::optional<double> real_from_text(std::string_view text);

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
