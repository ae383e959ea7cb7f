// Mutates XML of an IR, and text IR, word by word: most results still parse, which is rare if bytes are
// changed.
#pragma once

#include <string>
#include <string_view>

#include "mutator/random.hpp"

namespace onnx2ir::fuzz {

/// `text` with one to six changes: numbers, words, or lines are replaced, removed, repeated or exchanged.
std::string mutated_text(std::string_view text, Random& random);

}  // namespace onnx2ir::fuzz
