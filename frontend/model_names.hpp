// Names in an ONNX model that the graph of the IR does not have.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/reader/reader.hpp"

namespace onnx2ir::frontend {

/// The names of the dimensions (dim_param) of each tensor; empty for a dimension without a name.
using DimensionNames = std::map<std::string, std::vector<std::string>, std::less<>>;

DimensionNames input_dimension_names(const LoadedModel& model);
DimensionNames output_dimension_names(const LoadedModel& model);

/// The operator of each node of the main graph and its bodies, by the name that its layers get: that of the
/// node, or without one, of its first output. The first one if a name is not unique.
std::unordered_map<std::string, std::string> operators_by_name(const LoadedModel& model);

}  // namespace onnx2ir::frontend
