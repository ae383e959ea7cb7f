// The layouts of tensors in XML: an attribute of the port that has the tensor.
#pragma once

#include <pugixml.hpp>
#include <string_view>

#include "ir/graph.hpp"

namespace onnx2ir::backend_xml {

/// The layouts of tensors with names, by the first name, and those of inputs and outputs without names.
ir::Layouts layouts_of(pugi::xml_node net);

/// The layout of an output of `node`, which is in the outer graph; empty if it has none.
std::string_view layout_of(const ir::Layouts& layouts, const ir::Node& node, const ir::Output& output);

}  // namespace onnx2ir::backend_xml
