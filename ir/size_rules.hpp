// The expressions of dimensions and of the elements of small integer tensors: how inference computes them
// from those of the inputs, and queries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/small_vector.hpp"
#include "ir/graph.hpp"
#include "ir/size_expression.hpp"

namespace onnx2ir::ir {

using Sizes = base::SmallVector<Size, 8>;

/// The number of elements of a value whose elements are tracked: those of short lists of sizes, axes, pads
/// and conditions; no value for others.
std::optional<std::size_t> tracked_count(const Output& output);
/// The elements of `value`, null where nothing is known; no value if they are not tracked.
std::optional<Sizes> elements_of(Value value);

/// The elements of `value` if all expressions are numbers.
std::optional<Integers> exact_sizes(Value value);

/// Normalises `position` in a list of `size` entries; a negative one counts from the end.
std::optional<std::size_t> position_in(std::int64_t position, std::size_t size);

/// The value of an expression that is a number; no value for others and for null.
inline std::optional<std::int64_t> constant(Size size) {
  return size == nullptr ? std::nullopt : size->constant();
}

/// Completes the expressions of `shape`, which output `index` gets next: a dimension that the inference
/// function has not copied or computed gets the expression of its rule, or a symbol. The output keeps the
/// symbols of its present shape, so that they are the same in every inference.
void set_dimension_sizes(Node& node, std::size_t index, PartialShape& shape);
/// The same for the elements of the output, whose type and shape were set.
void set_element_sizes(Node& node, std::size_t index);
/// Gives a Parameter the expressions of the value that it captures. Returns whether they have changed.
bool copy_sizes(Value outer, Node& parameter);

/// The size of `value` along `axis`; null if it is not known.
Size size_along(Value value, std::size_t axis);
/// Element `index` of a list of integers or booleans; null if it is not known.
Size size_in(Value list, std::size_t index);
/// The size that a Reshape of `data` to `pattern` gives the -1; null if it is not known.
Size remaining_size(Value data, Value pattern, bool special_zero);

/// Whether two values have the same size along these axes. A Concat has the sizes of all its inputs along the
/// axes that it does not join.
bool have_equal_sizes(Value a, std::size_t axis, Value b, std::size_t other_axis);
/// The same for `count` axes from `axis` and from `other_axis` on. Inference knows the same of each pair.
bool have_equal_sizes(Value a, std::size_t axis, Value b, std::size_t other_axis, std::size_t count);
/// Whether two values have the same rank, which is known, and the same sizes.
bool have_equal_shapes(Value a, Value b);
/// Whether element `index` of `sizes` is the size of `value` along `axis`.
bool is_size_of(Value sizes, std::size_t index, Value value, std::size_t axis);
/// Element `index` of `list` if it is the same in every run.
std::optional<std::int64_t> known_element(Value list, std::size_t index);

/// Which runs a condition is decided for.
enum class Runs : std::uint8_t { all, without_zero_sizes };
/// The value of a boolean scalar if the sizes decide it.
std::optional<bool> decided(Value condition, Runs runs = Runs::all);

}  // namespace onnx2ir::ir
