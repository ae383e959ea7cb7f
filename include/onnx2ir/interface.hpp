// Changes of a model's inputs and outputs that a caller can request. Used by all layers; needs only the
// standard library.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace onnx2ir {

/// The sizes that a dimension may have; `max` -1: no upper bound. Equal bounds mean a static dimension.
struct DimensionBounds {
  std::int64_t min = 0;
  std::int64_t max = -1;

  friend bool operator==(const DimensionBounds&, const DimensionBounds&) = default;
};

/// A requested input of the converted model. All fields are optional.
struct InputSpec {
  /// A tensor of the model's main graph. If it is not an input of the model, it becomes one, and the nodes
  /// that compute it are removed. Empty: the next input in the order of the model.
  std::string name;
  /// Replaces the declared shape.
  std::optional<std::vector<DimensionBounds>> shape;
  /// The name of an element type in the IR ("f16", "i32"). If the model declares another type, the input is
  /// converted to that. Empty: the declared type.
  std::string element_type;
  /// Makes the input a constant: a number, true, false, or a list of them ("[1,2,3]").
  std::optional<std::string> value;

  friend bool operator==(const InputSpec&, const InputSpec&) = default;
};

/// The inputs and outputs of the converted model.
struct InterfaceSpec {
  /// These become the first inputs of the converted model, in this order. Either all of them have names or
  /// none.
  std::vector<InputSpec> inputs;
  /// Tensors of the model's main graph that become its outputs, in this order; empty: the model's outputs.
  /// Nodes that they do not depend on are removed.
  std::vector<std::string> outputs;
};

}  // namespace onnx2ir
