// Shared by the rules of dimensions and of elements: the elements of small tensors as expressions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/small_vector.hpp"
#include "ir/graph.hpp"
#include "ir/size_expression.hpp"
#include "ir/views/groups.hpp"

namespace onnx2ir::ir {

using Sizes = base::SmallVector<Size, 8>;

/// Whether elements of `type` are tracked: those of sizes, axes and conditions.
bool is_tracked(ElementType type);
/// The number of elements of a value whose elements are tracked; no value for others.
std::optional<std::size_t> tracked_count(const Output& output);
/// The elements of `value`, null where nothing is known; no value if they are not tracked.
std::optional<Sizes> elements_of(Value value);

/// The elements of `value` if all expressions are numbers.
std::optional<Integers> exact_sizes(Value value);

/// Normalises `position` in a list of `size` entries; a negative one counts from the end.
std::optional<std::size_t> position_in(std::int64_t position, std::size_t size);

bool is_vector(Value value);

/// Where each update is written to in a vector of `size` elements. No value if `scatter` does more than
/// assign elements of a vector, as OpenVINO's inference does, or if the indices are not known or out of
/// range.
std::optional<std::vector<std::size_t>> updated_positions(AnyScatterView scatter, std::size_t size);

/// The value of an expression that is a number; no value for others and for null.
inline std::optional<std::int64_t> constant(Size size) {
  return size == nullptr ? std::nullopt : size->constant();
}

}  // namespace onnx2ir::ir
