// Compares two models by structure.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.hpp"

namespace onnx2ir::ir {

/// The differences between two models as read_xml() gives them, one line each; empty if they are equal. The
/// order of nodes does not matter, except that of the model's inputs and outputs. Throws InputError.
std::vector<std::string> diff(const Model& before, const Model& after);

}  // namespace onnx2ir::ir
