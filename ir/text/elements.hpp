// Single elements of constants as text, exact in both directions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ir/element_type.hpp"

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

}  // namespace onnx2ir::ir
