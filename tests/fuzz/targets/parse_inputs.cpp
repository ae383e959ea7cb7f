// Any text as the value of --input: it is rejected with a reason, or it is a list of inputs.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <onnx2ir/onnx2ir.hpp>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);  // NOLINT
  const auto inputs = onnx2ir::parse_inputs(text);
  if (!inputs && inputs.error().message.empty()) std::abort();
  return 0;
}
