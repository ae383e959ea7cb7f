// How quantised models are computed: docs/quantised-models.md.
#pragma once

#include <cstdint>

namespace onnx2ir {

/// How the operators of a quantised model are computed.
enum class Quantization : std::uint8_t {
  fast,  ///< with the integer kernels of the runtime: results differ from onnxruntime's by a quantisation
         ///< step
  exact  ///< in f32, with the rounding of onnxruntime
};

/// In which products with quantised weights the CPU plugin may round the other input to 8 bits. On CPUs with
/// VNNI this is up to twice as fast, with an error of about 1 %.
enum class DynamicQuantization : std::uint8_t {
  automatic,  ///< if onnxruntime rounds in all of them, too; otherwise in none
  never,
  always
};

}  // namespace onnx2ir
