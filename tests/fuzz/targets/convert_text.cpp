// Any text as a model in ONNX's text form.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "targets/outcome.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace onnx2ir;
  const std::string_view text(reinterpret_cast<const char*>(data), size);  // NOLINT
  fuzz::check_outcome(convert_text(text, fuzz::limited_options()));
  return 0;
}
