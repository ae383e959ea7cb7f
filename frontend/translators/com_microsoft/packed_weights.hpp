// Weights of 2, 4 and 8 bits that are packed into bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// The bytes of the constant input `index` as unsigned integers of `bits` bits in `shape`.
Value packed_input(NodeContext& node, std::size_t index, std::int64_t bits,
                   const std::vector<std::int64_t>& shape);

/// Like packed_input, for rows that each begin with a new byte: the numbers behind `shape`'s last axis in the
/// last byte of a row are left out.
Value packed_rows(NodeContext& node, std::size_t index, std::int64_t bits, std::vector<std::int64_t> shape,
                  ElementType type);

}  // namespace onnx2ir::frontend
