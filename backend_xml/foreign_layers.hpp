// Layers that the compiler never emits: versions of operations that are older than those in ir/ops, and
// StridedSlice.
#pragma once

#include <optional>
#include <pugixml.hpp>
#include <span>
#include <string>
#include <string_view>

#include "ir/builder.hpp"

namespace onnx2ir::backend_xml {

/// Whether `layer` means the same as a layer of the version in ir/ops with the attributes that
/// missing_attribute() returns.
bool is_older_layer(pugi::xml_node layer);

/// The value of an attribute that the version of `layer` lacks; no value if it is not known.
std::optional<std::string> missing_attribute(pugi::xml_node layer, std::string_view name);

/// Whether an attribute that ir/ops does not have can be left out: it has the only value that the operation
/// is emitted with, or repeats others.
bool is_redundant(pugi::xml_node layer, pugi::xml_attribute attribute);

/// Emits a Slice for `layer`, a StridedSlice of opset1, and a Squeeze if the layer removes axes. OpenVINO
/// computes both with the same code, so that they have the same faults. The last node gets the name of the
/// builder, the others names that begin with it. Returns null, without emitting a node, if the layer inserts
/// axes, has an ellipsis, reads a position outside of an axis that it removes, has bounds that are not
/// constants but have masks, or if the rank of its data is dynamic. Throws Failure (unreadable_ir) for masks
/// that are no lists of integers.
ir::Value emit_strided_slice(ir::Builder& builder, pugi::xml_node layer, std::span<const ir::Value> inputs);

}  // namespace onnx2ir::backend_xml
