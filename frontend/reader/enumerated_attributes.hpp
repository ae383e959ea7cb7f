// The values of attributes that are one of several words or numbers: ONNX's schemas do not have them.
#pragma once

#include <string_view>

namespace onnx2ir::frontend {

/// The words that onnxruntime accepts for attribute `name` of `op_type`, separated by blanks; empty if all
/// texts are accepted, or if the translator of the operator checks them.
std::string_view accepted_words(std::string_view op_type, std::string_view name);

/// Whether the integer attribute `name` is 0 or 1 in all operators of ONNX that have it.
bool is_flag(std::string_view name);

/// Whether `text` is one of `words`.
bool is_word_of(std::string_view words, std::string_view text);

}  // namespace onnx2ir::frontend
