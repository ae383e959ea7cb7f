// Operations that only move elements: known elements are still known at their new positions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/graph.hpp"
#include "ir/operation_set.hpp"

namespace onnx2ir::ir {

/// What a Slice takes of one axis.
struct SliceOfAxis {
  std::int64_t start = 0;   ///< -1 if it is empty and goes backwards
  std::int64_t length = 0;  ///< the number of elements
};
/// Clamps like NumPy. `size` is the length of the axis, `step` is not 0.
SliceOfAxis slice_axis(std::int64_t start, std::int64_t stop, std::int64_t step, std::int64_t size);

/// The operations whose outputs hold elements of input 0 and no others.
inline constexpr OperationSet kElementMoves{ops::Reshape,   ops::Squeeze, ops::Unsqueeze,    ops::Identity,
                                            ops::Transpose, ops::Slice,   ops::Gather,       ops::Broadcast,
                                            ops::Tile,      ops::Split,   ops::VariadicSplit};

/// For each of `count` elements of a tensor of sizes `to`, in C order, its position in a tensor of sizes
/// `from`, which is repeated along each axis. `to` may have more leading axes.
std::vector<std::int64_t> repeated_positions(const Integers& from, const Integers& to, std::int64_t count);

/// For each element of an output, in C order, its position in input 0; -1 for an index out of range. No value
/// for operations outside of kElementMoves, for shapes that are not static, for more than kMaxKnownElements,
/// or if `exact` does not know the indices, starts or steps: exact_values(), or exact_sizes(), which knows
/// more. The shapes of this output and of earlier ones must be set.
std::optional<std::vector<std::int64_t>> moved_from(const Node& node, std::size_t output,
                                                    std::optional<Integers> (*exact)(Value value));

/// Where each update is written to in a vector of `size` elements. No value if `scatter` does more than
/// assign elements of a vector, as OpenVINO's inference does, or if the indices are not known or out of
/// range.
std::optional<std::vector<std::size_t>> updated_positions(const Node& scatter, std::size_t size);

}  // namespace onnx2ir::ir
