// Gives a model the inputs and outputs that the caller wants, before it is checked and translated.
#pragma once

#include <map>
#include <onnx2ir/diagnostic.hpp>
#include <onnx2ir/interface.hpp>
#include <optional>
#include <string>

#include "ir/element_type.hpp"
#include "ir/partial_shape.hpp"

namespace onnx {
class ModelProto;
}  // namespace onnx

namespace onnx2ir::frontend {

/// What is wanted of a model input and what ONNX's message cannot say: bounds of dimensions, and a type that
/// differs from the one that the model computes with.
struct InputOverride {
  std::optional<ir::PartialShape> shape;
  std::optional<ir::ElementType> type;
};

/// By the input's name.
using InputOverrides = std::map<std::string, InputOverride, std::less<>>;

/// Changes the main graph of `model`: order of inputs, cuts, frozen inputs, outputs. Nodes, initializers and
/// inputs that only served what a cut removed are removed too. Reports what does not fit the model.
InputOverrides change_interface(onnx::ModelProto& model, const InterfaceSpec& wanted, DiagnosticSink& sink);

}  // namespace onnx2ir::frontend
