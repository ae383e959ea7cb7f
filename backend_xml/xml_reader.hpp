// Reads IR files, for onnx2ir-opt and tests.
#pragma once

#include <memory>
#include <stdexcept>
#include <string_view>

#include "ir/graph.hpp"

namespace onnx2ir::backend_xml {

/// Why IR cannot be read: malformed XML, an operation or version that `ir` does not have, layers out of
/// order, a port whose type or shape is not what inference finds, constants outside of the weights, ports of
/// Loop or If that do not fit their bodies, weights that are not those that the XML was written with.
class InvalidIr : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads the XML that write_xml() writes (OpenVINO IR version 11, layers in topological order). Constants are
/// views on `weights`. Writing the model again gives the same bytes. Throws InvalidIr.
std::unique_ptr<ir::Model> read_xml(std::string_view xml, const ir::ConstantData& weights);

}  // namespace onnx2ir::backend_xml
