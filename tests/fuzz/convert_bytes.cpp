// Any bytes are a model or a list of diagnostics: no crash, no hang, no undefined behaviour. Started with
// models of tests/models as a corpus: build/fuzz/fuzz_convert_bytes CORPUS tests/models
#include <cstddef>
#include <cstdint>
#include <onnx2ir/onnx2ir.hpp>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const onnx2ir::Conversion conversion = onnx2ir::convert_bytes(std::as_bytes(std::span(data, size)));
  if (conversion.model) static_cast<void>(conversion.model->xml());
  return 0;
}
