// Changes the inputs and outputs of a model as requested, before it is checked and translated.
#pragma once

#include <map>
#include <onnx2ir/diagnostic.hpp>
#include <onnx2ir/interface.hpp>
#include <optional>
#include <string>

#include "frontend/reader/onnx_proto.hpp"
#include "ir/element_type.hpp"
#include "ir/partial_shape.hpp"

namespace onnx2ir::frontend {

/// Requests for an input that an onnx::ModelProto cannot express: bounds of dimensions, and a type that
/// differs from the one the model computes with.
struct InputOverride {
  std::optional<ir::PartialShape> shape;
  std::optional<ir::ElementType> type;
};

/// By the name of the input.
using InputOverrides = std::map<std::string, InputOverride, std::less<>>;

/// Changes the main graph of `model`: order of inputs, cuts, frozen inputs, outputs. Removes nodes,
/// initializers and inputs that are no longer needed after a cut. Reports requests that do not fit the model.
InputOverrides change_interface(onnx::ModelProto& model, const InterfaceSpec& requested,
                                DiagnosticSink& sink);

}  // namespace onnx2ir::frontend
