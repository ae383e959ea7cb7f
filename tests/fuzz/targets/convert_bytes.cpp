// Any bytes as a model.
#include <cstddef>
#include <cstdint>
#include <span>

#include "targets/outcome.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace onnx2ir;
  fuzz::check_outcome(convert_bytes(std::as_bytes(std::span(data, size)), fuzz::limited_options()));
  return 0;
}
