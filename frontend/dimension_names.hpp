// The names of dimensions (dim_param) of a model's inputs and outputs. The graph of the IR has none.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "frontend/reader/reader.hpp"

namespace onnx2ir::frontend {

/// The names of the dimensions of each tensor; empty for a dimension without a name.
using DimensionNames = std::map<std::string, std::vector<std::string>, std::less<>>;

DimensionNames input_dimension_names(const LoadedModel& model);
DimensionNames output_dimension_names(const LoadedModel& model);

}  // namespace onnx2ir::frontend
