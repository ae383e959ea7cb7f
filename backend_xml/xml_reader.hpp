// Reads IR files, for onnx2ir-opt and tests.
#pragma once

#include <memory>
#include <stdexcept>
#include <string_view>

#include "ir/graph.hpp"

namespace onnx2ir::backend_xml {

/// The reason why IR cannot be read: malformed XML, unknown operations or versions, layers out of order,
/// ports whose type or shape differs from the inferred one, constants outside of the weights, ports of Loop
/// or If that do not fit their bodies, or weights that were not written with the XML.
class InvalidIr : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads the XML of write_xml() (OpenVINO IR version 11, layers in topological order). Constants become views
/// on `weights`. Writing the model again gives the same bytes. Throws InvalidIr.
std::unique_ptr<ir::Model> read_xml(std::string_view xml, const ir::ConstantData& weights);

}  // namespace onnx2ir::backend_xml
