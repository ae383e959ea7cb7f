// Hints that need the table of all operators.
#pragma once

#include <onnx2ir/diagnostic.hpp>
#include <vector>

namespace onnx2ir {

/// Adds suggestions of similar operators to errors about unknown operators.
void add_suggestions(std::vector<Diagnostic>& diagnostics);

}  // namespace onnx2ir
