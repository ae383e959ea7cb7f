// Counts of a model: operators, parameters, weights, arithmetic and memory (docs/stats.md).
#pragma once

#include <cstdint>
#include <onnx2ir/diagnostic.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace onnx2ir {

/// The operators, or the layers, of one type.
struct OperatorCount {
  std::string type;             ///< "Conv", "com.microsoft.Attention"; of layers "Convolution"
  std::uint64_t count = 0;      ///< with those in bodies, and in functions as often as they are called
  std::uint64_t in_bodies = 0;  ///< how many of them are in bodies of Loop, Scan and If
  /// Of layers: multiplications that are followed by an addition, in one inference.
  std::uint64_t multiply_adds = 0;
  /// Of layers: all arithmetic operations; a multiply-add counts as two.
  std::uint64_t flops = 0;
  /// Of layers: how many have arithmetic that is not counted, because it depends on dynamic sizes.
  std::uint64_t without_sizes = 0;
};

/// The constants of one element type. Constants that share their bytes count once.
struct WeightCount {
  std::string element_type;  ///< IR name: "f32"; the ONNX name of a type that OpenVINO does not have
  std::uint64_t constants = 0;
  std::uint64_t elements = 0;
  std::uint64_t bytes = 0;
};

/// The counts of the ONNX model, or of the IR.
struct GraphCounts {
  std::vector<OperatorCount> operators;  ///< those with the most arithmetic first, then by count and name
  std::vector<WeightCount> weights;      ///< the types with the most bytes first
  std::uint64_t operator_count = 0;
  /// Elements of floating-point constants and of integer constants with at most 8 bits; other integers are
  /// sizes and indices.
  std::uint64_t parameters = 0;
  std::uint64_t weight_bytes = 0;
};

/// What depends on the sizes of the inputs: of the IR in one inference.
struct Costs {
  std::uint64_t multiply_adds = 0;
  std::uint64_t flops = 0;
  std::uint64_t without_sizes = 0;  ///< layers whose arithmetic is not counted
  /// Loops of which one iteration is counted, because the trip count is not known.
  std::uint64_t open_loops = 0;
  /// The most bytes of activations that are in use at the same time, if layers run in their order and each
  /// value is freed after its last use. No value if a size is dynamic.
  std::optional<std::uint64_t> peak_bytes;
  std::string peak_layer;  ///< the layer that runs then: "loop/body/MatMul_3"
};

struct StatsOptions {
  /// Sizes of dynamic dimensions of the inputs: (name, size). The name is that of the ONNX model, or
  /// "INPUT[AXIS]", which has precedence. Names of sums ("past + length") follow from the others.
  std::vector<std::pair<std::string, std::int64_t>> sizes;
};

/// The result of stats().
struct Stats {
  std::optional<GraphCounts> onnx;  ///< before the conversion; no value for a model that was read from IR
  GraphCounts ir;                   ///< after it
  Costs costs;
  /// Names of the dynamic dimensions of the inputs that have no size in the options: "batch", "x[0]".
  std::vector<std::string> missing_sizes;
  std::vector<Diagnostic> diagnostics;  ///< an error if the sizes do not fit the model
};

}  // namespace onnx2ir
