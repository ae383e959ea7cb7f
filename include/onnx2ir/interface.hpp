// What a caller may change about a model's inputs and outputs before it is converted. Vocabulary of all
// layers; needs the standard library only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace onnx2ir {

/// The sizes that a dimension may have; `max` -1: no upper bound. Equal bounds are a static dimension.
struct DimensionBounds {
  std::int64_t min = 0;
  std::int64_t max = -1;

  friend bool operator==(const DimensionBounds&, const DimensionBounds&) = default;
};

/// What is wanted of an input of the converted model. All fields are optional.
struct InputSpec {
  /// A tensor of the model's main graph. If it is not an input of the model, it becomes one: what computes it
  /// is cut off. Empty: the next input in the model's own order.
  std::string name;
  /// Replaces the declared shape.
  std::optional<std::vector<DimensionBounds>> shape;
  /// Name of an element type, as the IR spells it ("f16", "i32"). If it is not the type that the model
  /// declares, the input is converted to that type. Empty: the declared type.
  std::string element_type;
  /// The input becomes a constant: a number, true, false, or a list of them ("[1,2,3]").
  std::optional<std::string> value;

  friend bool operator==(const InputSpec&, const InputSpec&) = default;
};

/// The inputs and outputs of the converted model.
struct InterfaceSpec {
  /// In this order at the front of the converted model's inputs. Either all have names or none.
  std::vector<InputSpec> inputs;
  /// Tensors of the model's main graph, which become its outputs, in this order; empty: the model's outputs.
  /// What they do not depend on is left out.
  std::vector<std::string> outputs;
};

}  // namespace onnx2ir
