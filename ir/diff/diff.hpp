// Compares two models by structure.
#pragma once

#include <onnx2ir/difference.hpp>
#include <vector>

#include "ir/graph.hpp"

namespace onnx2ir::ir {

struct Difference : onnx2ir::Difference {
  /// The layers; null for a layer that only the other model has, and for what belongs to no layer.
  const Node* node_before = nullptr;
  const Node* node_after = nullptr;
};

/// The differences between two models as read_xml() gives them; empty if they are equal. The order of nodes
/// does not matter, except that of the model's inputs and outputs. Throws Failure (unreadable_input).
std::vector<Difference> diff(const Model& before, const Model& after, const DiffOptions& options = {});

}  // namespace onnx2ir::ir
