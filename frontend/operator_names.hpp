// The operators of the nodes of an ONNX model.
#pragma once

#include <string>
#include <unordered_map>

#include "frontend/reader/reader.hpp"

namespace onnx2ir::frontend {

/// The operator of each node of the main graph and its bodies, by the name that its layers get: that of the
/// node, or without one, of its first output. The first one if a name is not unique.
std::unordered_map<std::string, std::string> operators_by_name(const LoadedModel& model);

}  // namespace onnx2ir::frontend
