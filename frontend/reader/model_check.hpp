// Checks that a model follows ONNX's rules, as far as a conversion depends on them. All violations are
// reported with their places. Violations that onnxruntime accepts are warnings.
#pragma once

#include <onnx2ir/diagnostic.hpp>

#include "frontend/reader/functions.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/opset_imports.hpp"

namespace onnx2ir::frontend {

class WeightTable;

/// The opset versions that `model` imports; missing ones are added as in onnxruntime.
OpsetImports import_opsets(const onnx::ModelProto& model, DiagnosticSink& sink);

/// Checks `model` and reports errors to `sink`. Opens the external files of its tensors in `weights`. Returns
/// whether the nodes of all graphs are in topological order. Calls of functions may add `max_function_nodes`
/// nodes.
bool check_model(const onnx::ModelProto& model, const OpsetImports& opsets, const FunctionIndex& functions,
                 WeightTable& weights, std::uint64_t max_function_nodes, DiagnosticSink& sink);

}  // namespace onnx2ir::frontend
