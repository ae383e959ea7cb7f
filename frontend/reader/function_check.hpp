// Checks a model's own functions.
#pragma once

#include <onnx2ir/diagnostic.hpp>

#include "frontend/reader/graph_check.hpp"
#include "frontend/reader/opset_imports.hpp"

namespace onnx {
class ModelProto;
}  // namespace onnx

namespace onnx2ir::frontend {

/// Checks all functions of `model`: their bodies, that none calls itself, and that inlining all calls does
/// not exceed the limit of nodes.
void check_functions(const onnx::ModelProto& model, ModelCheck& check);

}  // namespace onnx2ir::frontend
