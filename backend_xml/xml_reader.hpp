// IR files back as a model: for tests and tools that look at what was written.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "ir/graph.hpp"

namespace onnx2ir::backend_xml {

/// Why IR cannot be read: no XML, an operation or version that `ir` does not have, layers out of order, a
/// port whose type or shape is not what inference makes of the layer's inputs.
class InvalidIr : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads the XML that write_xml() writes (OpenVINO IR version 11, layers in topological order). Constants are
/// views on `weights`. Writing the model again gives the same bytes. Throws InvalidIr.
std::unique_ptr<ir::Model> read_xml(std::string_view xml,
                                    std::shared_ptr<const std::vector<std::byte>> weights);

}  // namespace onnx2ir::backend_xml
