// Copies of nodes with another input.
#pragma once

#include <cstddef>
#include <vector>

#include "ir/builder.hpp"

namespace onnx2ir::passes {

/// A copy of `node` whose input `index` is `value`.
inline ir::Node& clone_with_input(ir::Builder& builder, const ir::Node& node, std::size_t index,
                                  ir::Value value) {
  std::vector<ir::Value> inputs(node.inputs().begin(), node.inputs().end());
  inputs[index] = value;
  return builder.clone(node, inputs);
}

}  // namespace onnx2ir::passes
