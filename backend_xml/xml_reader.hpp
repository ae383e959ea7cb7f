// Reads IR files.
#pragma once

#include <memory>
#include <string_view>

#include "ir/graph.hpp"

namespace onnx2ir::backend_xml {

/// Reads OpenVINO IR version 11. Constants become views on `weights`. If the XML was written by write_xml(),
/// writing the model again gives the same bytes. Throws Failure (unreadable_ir): for malformed XML, unknown
/// operations or versions, cycles, ports whose type or shape differs from the inferred one, constants outside
/// of the weights, ports of Loop or If that do not fit their bodies, or weights that were not written with
/// the XML.
std::unique_ptr<ir::Model> read_xml(std::string_view xml, const ir::ConstantData& weights);

/// The model that read_xml() gives after `model` was written: with unique names, and without notes for
/// passes. Its constants share the bytes of those of `model`. Throws Failure (unreadable_ir) and Failure
/// (unreadable_input).
std::unique_ptr<ir::Model> as_written(const ir::Model& model);

}  // namespace onnx2ir::backend_xml
