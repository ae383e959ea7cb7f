// Layers of operation versions that are older than those in ir/ops.
#pragma once

#include <optional>
#include <pugixml.hpp>
#include <string>
#include <string_view>

namespace onnx2ir::backend_xml {

/// Whether `layer` means the same as a layer of the version in ir/ops with the attributes that
/// missing_attribute() returns.
bool is_older_layer(pugi::xml_node layer);

/// The value of an attribute that the version of `layer` lacks; no value if it is not known.
std::optional<std::string> missing_attribute(pugi::xml_node layer, std::string_view name);

/// Whether an attribute that ir/ops does not have can be left out: it has the only value that the operation
/// is emitted with, or repeats others.
bool is_redundant(pugi::xml_node layer, pugi::xml_attribute attribute);

}  // namespace onnx2ir::backend_xml
