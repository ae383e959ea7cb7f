// The rules of the elements of small integer tensors.
#pragma once

#include <cstddef>

#include "ir/element_sizes.hpp"

namespace onnx2ir::ir {

/// The `count` elements of an output, computed from the inputs; null where no rule gives them.
Sizes computed_elements(const Node& node, std::size_t output, std::size_t count);

}  // namespace onnx2ir::ir
