// Hints that need the table of all operators.
#pragma once

#include <onnx2ir/diagnostic.hpp>
#include <vector>

namespace onnx2ir {

/// Adds suggestions of similar operators to errors about unsupported operators. Removes the warnings that
/// these operators are read as onnxruntime's.
void explain_unsupported_operators(std::vector<Diagnostic>& diagnostics);

}  // namespace onnx2ir
