// Operations that only move elements: what is known of an element moves with it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/graph.hpp"
#include "ir/operation_set.hpp"

namespace onnx2ir::ir {

inline constexpr OperationSet kElementMoves{ops::Reshape,   ops::Squeeze, ops::Unsqueeze,    ops::Identity,
                                            ops::Transpose, ops::Slice,   ops::Gather,       ops::Broadcast,
                                            ops::Tile,      ops::Split,   ops::VariadicSplit};

/// For each element of an output, in C order, its position in input 0; -1 for an index out of range. No value
/// for operations outside of kElementMoves, for shapes that are not static, for more than kMaxKnownElements,
/// or if `exact` does not know the indices, starts or steps: exact_values(), or exact_sizes(), which knows
/// more. The shapes of this output and of earlier ones must be set.
std::optional<std::vector<std::int64_t>> moved_from(const Node& node, std::size_t output,
                                                    std::optional<Integers> (*exact)(Value value));

}  // namespace onnx2ir::ir
