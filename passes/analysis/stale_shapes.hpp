// Which operations can return the shape of an earlier inference (Fault::stale_empty_shapes).
#pragma once

#include <cstddef>

#include "ir/graph.hpp"

namespace onnx2ir::passes {

/// Whether a tensor of this shape may have no elements although it has some along `axis`.
inline bool may_be_empty_beside(const ir::PartialShape& shape, std::size_t axis) {
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (i != axis && shape[i].min == 0) return true;
  }
  return false;
}

/// Whether `node` is a VariadicSplit, Tile or TopK whose output shape depends on an input that can change
/// between two inferences while its data is empty and keeps its shape. The CPU plugin compares this input
/// with the one of the last inference that had elements, so it may not notice the change.
bool may_keep_stale_shape(const ir::Node& node);

}  // namespace onnx2ir::passes
