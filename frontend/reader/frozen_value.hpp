// Parses the values that a caller gives for inputs: "16000", "true", "[1,2,3]".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/partial_shape.hpp"

namespace onnx {
class TensorProto;
}  // namespace onnx

namespace onnx2ir::frontend {

/// Sets `tensor` (all but its name) to the elements in `text`, of the ONNX type `element_type`. One element
/// without brackets fills a static shape. A dynamic dimension of `shape` is inferred from the number of
/// elements. Returns false, with the reason in `problem`, if text, type and shape do not fit together.
bool read_frozen_value(std::string_view text, std::int32_t element_type, const ir::PartialShape& shape,
                       onnx::TensorProto& tensor, std::string& problem);

}  // namespace onnx2ir::frontend
