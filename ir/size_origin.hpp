// Finds where sizes come from: dynamic sizes that are equal in every run because both are the same dimension
// of the same value, and known sizes in lists of unknown ones.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/graph.hpp"
#include "ir/size_comparison.hpp"
#include "ir/size_steps.hpp"

namespace onnx2ir::ir {

/// Whether element `index` of the integers `sizes` is provably the size of `axis` of `value`.
bool is_size_of(Value sizes, std::size_t index, Value value, std::size_t axis);
bool is_size_of(SizeComparison& comparison, Value sizes, std::size_t index, Value value, std::size_t axis);

/// Whether two sizes are provably the same. Passes that ask for many nodes share a SizeComparison.
bool are_equal_sizes(SizeComparison& comparison, const Place& a, const Place& b);
/// Whether `count` axes of `a` from `first` on provably have the sizes of those of `b` from `second` on, and
/// inference knows the same of them. Both ranks are known, and have these axes. A size that a Reshape leaves
/// for its -1 is equal if no size is 0, or if onnxruntime accepts the Reshape.
bool are_equal_sizes(SizeComparison& comparison, Value a, std::size_t first, Value b, std::size_t second,
                     std::size_t count);

/// Element `index` of the integers `values` if it is known, although other elements of a Concat may not be.
std::optional<std::int64_t> known_element(Value values, std::size_t index);

/// Whether `axis` of `a` and of `b` provably have the same size, also if both are what a Reshape to the same
/// sizes leaves for its -1.
bool have_equal_sizes(Value a, Value b, std::size_t axis);

/// The value of a boolean scalar that compares two sizes of the same origin, as in `key.shape[1] ==
/// query.shape[1]` where both are products of one tensor with weights; no value if this cannot be decided.
std::optional<bool> compared_sizes(Value condition);

}  // namespace onnx2ir::ir
