// Differences between two models: docs/golden-files.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace onnx2ir {

struct DiffOptions {
  /// Compares no names of models, layers and tensors. Inputs and outputs are matched by their order, other
  /// layers by their connections.
  bool ignores_names = false;
};

/// A difference between two models, as a line of text and in parts.
struct Difference {
  std::string place;   ///< "main/last.body/doubled (Add)", or "model"
  std::string what;    ///< "operation", "value", "added"
  std::string before;  ///< empty if `what` is enough
  std::string after;
  std::string text;  ///< the line
  /// Of numeric constants of the same type and shape: the number of elements, how many of them differ, by how
  /// much at most, and this relative to the largest element.
  struct Elements {
    std::uint64_t count = 0;
    std::uint64_t changed = 0;
    double largest = 0;
    double relative = 0;
  };
  std::optional<Elements> elements = {};
};

}  // namespace onnx2ir
