// As convert_bytes, for models in ONNX's text form.
#include <cstddef>
#include <cstdint>
#include <onnx2ir/onnx2ir.hpp>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const onnx2ir::Conversion conversion = onnx2ir::convert_text(text);
  if (conversion.model) static_cast<void>(conversion.model->xml());
  return 0;
}
