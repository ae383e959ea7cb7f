// Shared by operations that rearrange elements: strides and propagation of known elements.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "ir/inference.hpp"
#include "ir/value_ranges.hpp"

namespace onnx2ir::ir {

using Sizes = Integers;

inline PartialShape unknown() {
  return PartialShape::unknown_rank();
}

/// Strides of a C-ordered tensor. Used only if elements are known, so the tensor is small; strides that
/// overflow 64 bits belong to empty tensors.
inline Sizes strides_of(const Sizes& sizes) {
  Sizes strides(sizes.size(), 1);
  for (std::size_t i = sizes.size(); i-- > 1;) {
    if (__builtin_mul_overflow(strides[i], sizes[i], &strides[i - 1])) strides[i - 1] = 0;
  }
  return strides;
}

/// Sets the known values of output 0: `source` maps the coordinates of an output element to an index into the
/// known values of input 0, or to no value.
template <typename Source>
void move_known(Node& node, Source source) {
  const auto from = known_values(node.input(0));
  const auto sizes = node.output(0).shape.sizes();
  const auto count = node.output(0).shape.element_count();
  if (!from || !sizes || *count > kMaxKnownElements) return;
  KnownValues values;
  Sizes at(sizes->size(), 0);
  for (std::int64_t i = 0; i < *count; ++i) {
    const std::optional<std::int64_t> index = source(at);
    values.push_back(index && *index >= 0 && *index < static_cast<std::int64_t>(from->size())
                         ? (*from)[static_cast<std::size_t>(*index)]
                         : ValueRange{});
    for (std::size_t axis = at.size(); axis-- > 0;) {
      if (++at[axis] < (*sizes)[axis]) break;
      at[axis] = 0;
    }
  }
  set_known(node, 0, std::move(values));
}

/// Copies the known values; for operations that keep the order of the elements.
inline void keep_known(Node& node) {
  if (const auto from = known_values(node.input(0))) set_known(node, 0, *from);
}

/// The output has the type, shape and known values of input 0.
inline void infer_as_data(Node& node) {
  set_output(node, 0, node.input(0).type(), node.input(0).shape());
}

}  // namespace onnx2ir::ir
