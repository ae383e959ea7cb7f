// Facts about an ONNX model that the graph of the IR does not have: counts of operators and weights, and
// names.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/reader/onnx_proto.hpp"
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

/// The names of the dimensions (dim_param) of each tensor; empty for a dimension without a name.
using DimensionNames = std::map<std::string, std::vector<std::string>, std::less<>>;

/// Those of the inputs or the outputs of a model.
DimensionNames dimension_names(const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>& values);

/// The operator of each node of the main graph and its bodies, by the name that its layers get: that of the
/// node, or without one, of its first output. The first one if a name is not unique.
std::unordered_map<std::string, std::string> operators_by_name(const LoadedModel& model);

}  // namespace onnx2ir::frontend
