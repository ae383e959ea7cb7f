// Converts a regular expression to an automaton that reads bytes.
#pragma once

#include <array>
#include <cstdint>
#include <onnx2ir/result.hpp>
#include <string_view>
#include <vector>

namespace onnx2ir::frontend {

/// A deterministic automaton with start state 0. Bytes that it does not distinguish share a class.
struct ByteAutomaton {
  std::array<std::int32_t, 256> class_of_byte{};
  std::int32_t class_count = 0;
  std::vector<std::int32_t> next;  ///< by state * class_count + class
  std::vector<bool> accepts;       ///< by state
};

/// The automaton for texts in UTF-8 that match `pattern` as a whole. A problem (cannot_convert) if the
/// pattern cannot be used, or if the automaton is too large.
Result<ByteAutomaton> byte_automaton(std::string_view pattern);

}  // namespace onnx2ir::frontend
