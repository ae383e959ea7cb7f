// Hints that need more knowledge than the place where an error is found has.
#pragma once

#include <onnx2ir/diagnostic.hpp>
#include <vector>

namespace onnx2ir {

/// Adds to errors about unknown operators the operator that was probably meant.
void add_suggestions(std::vector<Diagnostic>& diagnostics);

}  // namespace onnx2ir
