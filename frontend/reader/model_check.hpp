// Whether a model follows ONNX's rules, as far as a conversion depends on them. Everything wrong is reported
// with its place, not only the first. What onnxruntime loads in spite of the rules is a warning.
#pragma once

#include <onnx2ir/diagnostic.hpp>

#include "frontend/reader/function_index.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/opset_imports.hpp"

namespace onnx2ir::frontend {

class WeightTable;

/// The opset versions `model` imports, those it forgets added as onnxruntime does.
OpsetImports import_opsets(const onnx::ModelProto& model, DiagnosticSink& sink);

/// The versions a list of imports names; what is wrong with them is reported at `place`.
OpsetImports read_opset_imports(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>& imports,
                                const Place& place, DiagnosticSink& sink);

/// Reports to `sink` what is wrong with `model`. Opens the external files of its tensors in `weights`. Says
/// whether the nodes of all graphs stand in the order of their dependencies. Calls of functions may add
/// `max_function_nodes` nodes.
bool check_model(const onnx::ModelProto& model, const OpsetImports& opsets, const FunctionIndex& functions,
                 WeightTable& weights, std::uint64_t max_function_nodes, DiagnosticSink& sink);

}  // namespace onnx2ir::frontend
