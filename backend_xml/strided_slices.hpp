// Layers StridedSlice, which the compiler never emits, as Slices: they have the faults of Slices.
#pragma once

#include <pugixml.hpp>
#include <span>

#include "ir/builder.hpp"

namespace onnx2ir::backend_xml {

/// Emits what `layer`, a StridedSlice of opset1, computes from `inputs`: a Slice, and a Squeeze of the axes
/// that it removes. The builder has the name of the layer. Null if it adds axes, skips any number of them, or
/// if its masks apply to positions that are not constants.
ir::Value emit_strided_slice(ir::Builder& builder, pugi::xml_node layer, std::span<const ir::Value> inputs);

}  // namespace onnx2ir::backend_xml
