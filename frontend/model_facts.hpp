// Facts about an ONNX model that the graph of the IR does not have: counts of operators and weights, and
// names.
#pragma once

#include <map>
#include <onnx2ir/statistics.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/reader.hpp"

namespace onnx2ir::frontend {

/// The operators and weights of a model. Operators of a function are counted for each of its calls.
GraphCounts counts_of(const LoadedModel& model);

/// The names of the dimensions (dim_param) of each tensor; empty for a dimension without a name.
using DimensionNames = std::map<std::string, std::vector<std::string>, std::less<>>;

/// Those of the inputs or the outputs of a model.
DimensionNames dimension_names(const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>& values);

/// The operator of each node of the main graph and its bodies, by the name that its layers get: that of the
/// node, or without one, of its first output. The first one if a name is not unique.
std::unordered_map<std::string, std::string> operators_by_name(const LoadedModel& model);

}  // namespace onnx2ir::frontend
