// Compares two models by structure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/graph.hpp"

namespace onnx2ir::ir {

struct DiffOptions {
  /// Compares no names of models, layers and tensors. Inputs and outputs are matched by their order, other
  /// layers by their connections.
  bool ignores_names = false;
};

/// A difference: the text "place: what before -> after", and its parts.
struct Difference {
  std::string place;
  std::string what;
  std::string before;  ///< empty if `what` is enough: "added"
  std::string after;
  std::string text;
  /// Of numeric constants of the same type and shape: how many elements differ, by how much at most, and this
  /// relative to the largest element.
  struct Elements {
    std::uint64_t count = 0;
    std::uint64_t changed = 0;
    double largest = 0;
    double relative = 0;
  };
  std::optional<Elements> elements = {};
  /// The layers; null for a layer that only the other model has, and for what belongs to no layer.
  const Node* node_before = nullptr;
  const Node* node_after = nullptr;
};

/// The differences between two models as read_xml() gives them; empty if they are equal. The order of nodes
/// does not matter, except that of the model's inputs and outputs. Throws Failure (unreadable_input).
std::vector<Difference> diff(const Model& before, const Model& after, const DiffOptions& options = {});

}  // namespace onnx2ir::ir
