// Reads a StridedSlice, which the compiler never emits, as a Slice. OpenVINO computes both with the same
// code, so that they have the same faults.
#pragma once

#include <pugixml.hpp>
#include <span>

#include "ir/builder.hpp"

namespace onnx2ir::backend_xml {

/// Emits a Slice for `layer`, a StridedSlice of opset1, and a Squeeze if the layer removes axes. The last
/// node gets the name of the builder, the others names that begin with it. Returns null, without emitting a
/// node, if the layer inserts axes, has an ellipsis, reads a position outside of an axis that it removes, has
/// bounds that are not constants but have masks, or if the rank of its data is dynamic. Throws Failure
/// (unreadable_ir) for masks that are no lists of integers.
ir::Value emit_strided_slice(ir::Builder& builder, pugi::xml_node layer, std::span<const ir::Value> inputs);

}  // namespace onnx2ir::backend_xml
