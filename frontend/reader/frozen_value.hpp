// Parses the values that a caller gives for inputs: "16000", "true", "[1,2,3]".
#pragma once

#include <onnx2ir/result.hpp>
#include <string_view>

#include "frontend/reader/onnx_proto.hpp"
#include "ir/partial_shape.hpp"

namespace onnx2ir::frontend {

/// A tensor without a name with the elements in `text`, of the ONNX type `element_type`. One element without
/// brackets fills a static shape. A dynamic dimension of `shape` is inferred from the number of elements. A
/// problem (bad_interface) if text, type and shape do not fit together.
Result<onnx::TensorProto> read_frozen_value(std::string_view text, std::int32_t element_type,
                                            const ir::PartialShape& shape);

}  // namespace onnx2ir::frontend
