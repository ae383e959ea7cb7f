// Any text as a pattern: it is rejected, or it gives a valid automaton.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "frontend/strings/byte_automaton.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace onnx2ir::frontend;
  const std::string_view pattern(reinterpret_cast<const char*>(data), size);  // NOLINT
  const auto automaton = byte_automaton(pattern);
  if (!automaton) return 0;
  const auto states = static_cast<std::int32_t>(automaton->accepts.size());
  if (automaton->next.size() != automaton->accepts.size() * static_cast<std::size_t>(automaton->class_count))
    std::abort();
  for (const std::int32_t next : automaton->next) {
    if (next < 0 || next >= states) std::abort();
  }
  for (const std::int32_t of_byte : automaton->class_of_byte) {
    if (of_byte < 0 || of_byte >= automaton->class_count) std::abort();
  }
  return 0;
}
