// Counts the operators and weights of an ONNX model.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "frontend/reader/reader.hpp"

namespace onnx2ir::frontend {

/// The operators of one type. Those of a function of the model are counted for each of its calls.
struct OperatorCounts {
  std::uint64_t operators = 0;
  std::uint64_t in_bodies = 0;
};

/// The initializers and attributes of one element type.
struct TensorCounts {
  std::uint64_t tensors = 0;
  std::uint64_t elements = 0;
  std::uint64_t bytes = 0;
  bool holds_parameters = false;
};

struct ModelCounts {
  std::map<std::string, OperatorCounts> operators;  ///< by type: "Conv", "com.microsoft.Attention"
  std::map<std::string, TensorCounts> tensors;      ///< by element type
};

ModelCounts counts_of(const LoadedModel& model);

}  // namespace onnx2ir::frontend
