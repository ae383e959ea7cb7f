// Weights of 2, 4 and 8 bits packed into bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// Fails if weights of `bits` bits are not converted.
void check_bits(NodeContext& node, std::int64_t bits);

/// The bytes of input `index` as unsigned integers of `bits` bits in `shape`; i32 unless it is a constant.
Value unpack_input(NodeContext& node, std::size_t index, std::int64_t bits,
                   const std::vector<std::int64_t>& shape);

/// Like unpack_input(), for rows that each begin at a new byte: removes the padding at their ends.
Value unpack_rows(NodeContext& node, std::size_t index, std::int64_t bits, std::vector<std::int64_t> shape,
                  ElementType type);

}  // namespace onnx2ir::frontend
