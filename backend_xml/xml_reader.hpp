// Reads IR files.
#pragma once

#include <memory>
#include <stdexcept>
#include <string_view>

#include "ir/graph.hpp"

namespace onnx2ir::backend_xml {

/// The reason why IR cannot be read: malformed XML, unknown operations or versions, cycles, ports whose type
/// or shape differs from the inferred one, constants outside of the weights, ports of Loop or If that do not
/// fit their bodies, or weights that were not written with the XML.
class InvalidIr : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads OpenVINO IR version 11. Constants become views on `weights`. If the XML was written by write_xml(),
/// writing the model again gives the same bytes. Throws InvalidIr.
std::unique_ptr<ir::Model> read_xml(std::string_view xml, const ir::ConstantData& weights);

/// The model that read_xml() gives after `model` was written: with unique names, and without notes for
/// passes. Its constants share the bytes of those of `model`. Throws InvalidIr and base::InputError.
std::unique_ptr<ir::Model> as_written(const ir::Model& model);

}  // namespace onnx2ir::backend_xml
