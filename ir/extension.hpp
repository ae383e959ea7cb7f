// Operations of an extension of OpenVINO, which the program that runs the IR registers, and those of OpenVINO
// that the compiler only reads and writes (is_openvino_operation). The compiler knows only what the node
// states: its type, its attributes as texts, and the types of its outputs.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/attribute.hpp"
#include "ir/graph.hpp"

namespace onnx2ir::ir {

/// The operation set of operations that are defined without one: OPENVINO_OP("Name") in C++, and each
/// openvino.Op in Python.
inline constexpr std::string_view kExtensionOpset = "extension";

/// The type and shape of an output. The bounds of dynamic dimensions are not kept.
struct ExtensionOutput {
  ElementType type = ElementType::dynamic;
  PartialShape shape;
};

/// The attributes of a node of ops::ExtensionOperation. `type` is the type of the layer; `texts` are the
/// attributes of the layer, each "name=value".
std::vector<Attribute> extension_attributes(std::string type, std::vector<std::string> texts,
                                            std::span<const ExtensionOutput> outputs);

/// Whether `name` can be the name of an attribute in XML.
bool is_attribute_name(std::string_view name);

/// An attribute of the layer.
struct ExtensionAttribute {
  std::string_view name;
  std::string_view value;
};
/// Splits "name=value".
ExtensionAttribute split_extension_attribute(std::string_view text);

/// The type, the operation set and the attributes of the layer that `node` becomes: those of its operation,
/// or of the extension's.
std::string_view layer_type(const Node& node);
std::string_view layer_version(const Node& node);
using AttributeVisitor = std::function<void(std::string_view name, std::string_view value)>;
void visit_layer_attributes(const Node& node, const AttributeVisitor& visit);

/// Whether `opset` ("opset4") of OpenVINO defines a version of the operation `type`, as the XML names it.
/// Those that the compiler never emits have no row in ir/ops: IR of other programs that contains them is read
/// as ops::ExtensionOperation, whose outputs have the types of the ports.
bool is_openvino_operation(std::string_view type, std::string_view opset);

}  // namespace onnx2ir::ir
