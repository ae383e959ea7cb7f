// Any text as text IR: it is rejected with a position, or its printed form reads back.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/failure.hpp"
#include "ir/text/parser.hpp"
#include "ir/text/printer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace onnx2ir::ir;
  std::string text;
  try {
    text = onnx2ir::ir::text(*parse_text({reinterpret_cast<const char*>(data), size}));  // NOLINT
  } catch (const onnx2ir::base::Failure& failure) {
    if (failure.code() != onnx2ir::DiagnosticCode::unreadable_ir) throw;
    return 0;
  }
  if (text.find("weights(") == std::string::npos && onnx2ir::ir::text(*parse_text(text)) != text)
    std::abort();
  return 0;
}
