#pragma once

#include <cstdint>

namespace onnx2ir {

/// In which products with quantised weights the CPU plugin may round the other input to 8 bits. On CPUs with
/// VNNI this is up to twice as fast, with an error of about 1 %.
enum class DynamicQuantization : std::uint8_t {
  automatic,  ///< if onnxruntime rounds in all of them, too; otherwise in none
  never,
  always
};

}  // namespace onnx2ir
