// Values that OpenVINO cannot fold: results that depend on them are known only at run time.
//
// | what                | result                     | when to use it                                    |
// |---------------------|----------------------------|---------------------------------------------------|
// | copy_opaquely       | a copy of a value          | OpenVINO must not fuse or remove operations there |
// | hide_value          | a copy of a value          | OpenVINO must not fold it: it is constant         |
// | OpaqueTrue          | true, from a model input   | conditions in several bodies, which capture it    |
// | emit_run_time_truth | true, from a random number | one node in any graph, also without inputs        |
// | emit_zero_or_one    | 0 or 1, from elements      | a size that must stay dynamic                     |
// | emit_run_time_zero  | 0, from an input           | sizes at a Loop: reshape_to_hidden_sizes          |
// | hide_elements       | elements of a list         | OpenVINO must not know their bounds               |
#pragma once

#include <functional>

#include "ir/builder.hpp"
#include "ir/control_flow.hpp"
#include "ir/views/random.hpp"
#include "passes/graph_walk.hpp"

namespace onnx2ir::passes {

/// Creates, for each graph, a boolean that is always true but that OpenVINO cannot fold.
class OpaqueTrue {
 public:
  /// For the main graph: computed from a model input, or from a random number if no input is suitable.
  explicit OpaqueTrue(ir::Graph& main);
  /// For a body of `node`, a node in the graph of `outer`: captured from there.
  OpaqueTrue(OpaqueTrue& outer, ir::Node& node, ir::Body& body)
      : emit_([&outer, &node, &body] { return ir::add_invariant(node, body, outer.get()); }) {}

  /// The boolean, a scalar. The first call emits it.
  ir::Value get() {
    if (!value_) value_ = emit_();
    return value_;
  }

 private:
  std::function<ir::Value()> emit_;
  ir::Value value_;
};

/// Whether `value` is the boolean of a main graph that OpaqueTrue has emitted.
bool is_opaque_truth(ir::Value value);

/// The values that stay unknown at compile time also if the program gives all inputs of the model static
/// shapes (ov::Model::reshape): OpenVINO then folds everything that is computed from shapes alone.
class RunTimeElements {
 public:
  explicit RunTimeElements(ir::Model& model);

  /// Whether `value` is computed from the elements of a model input, or from values that change between the
  /// iterations of a loop.
  bool reach(ir::Value value) const;

 private:
  CapturedValues captured_;  ///< OpenVINO moves constants into bodies
};

/// A copy of `value` that OpenVINO does not remove. Between Parameters and Results of a body it removes
/// Reshape, Convert and Concat at compile time.
ir::Value copy_opaquely(ir::Builder& builder, ir::Value value);
/// Gives the uses of a Parameter for which `holds` such a copy of it, unless it is a string. Returns whether
/// there are any.
bool copy_for_uses(ir::Node& parameter, const std::function<bool(const ir::Use& use)>& holds);

/// The first input of the main graph that may have elements and is no string: OpenVINO cannot fold a value
/// that depends on its elements, but it folds what depends on an empty input. Null if all inputs are empty or
/// strings.
ir::Value run_time_source(const ir::Graph& graph);

/// A number that is 0 or 1, depending on the elements of `source`, which must not be a string.
ir::Value emit_zero_or_one(ir::Builder& builder, ir::Value source);

/// Random numbers from `low` to `high`, of the type of both. Without seeds (0), they differ between
/// compilations.
ir::Value draw_numbers(ir::Builder& builder, ir::Value sizes, ir::Value low, ir::Value high,
                       std::int64_t global_seed = 0, std::int64_t op_seed = 0);
/// A boolean scalar that is always true. OpenVINO cannot fold it, also if the model has no inputs.
ir::Value emit_run_time_truth(ir::Builder& builder);
/// A copy of `value`, of a type that can be selected, which OpenVINO makes in each inference. `truth`: such a
/// boolean.
ir::Value hide_value(ir::Builder& builder, ir::Value truth, ir::Value value);
/// Whether `value` is the random number that this boolean is computed from.
bool is_number_of_run_time_truth(ir::Value value);
/// Whether `random` draws one number from 0 to 1, with other results in each compilation.
bool is_number_without_seed(ir::RandomUniformView random);

/// The number 0, computed from an input of `loop` or of its graph. OpenVINO does not fold it, and does not
/// know its bounds. Null if no input changes between inferences.
ir::Value emit_run_time_zero(ir::Builder& builder, const ir::Node& loop, const RunTimeElements& elements);
/// Whether `value` is such a 0, or its product with a number.
bool is_run_time_zero(ir::Value value);
/// `value` without the sizes that OpenVINO knows, apart from the static ones of `shape`, which has as many
/// axes: at least two, because OpenVINO knows the size of a reshaped vector from the number of elements.
/// `zero` is a 0 of emit_run_time_zero().
ir::Value reshape_to_hidden_sizes(ir::Builder& builder, ir::Value value, const ir::PartialShape& shape,
                                  ir::Value zero);

/// The first `count` elements of `list`, whose values and bounds OpenVINO does not compute at compile time if
/// `list` is not constant.
ir::Value hide_elements(ir::Builder& builder, ir::Value list, std::size_t count);

/// `value` with the static sizes of `shape`, which has as many axes; the others stay dynamic.
ir::Value reshape_to_static_sizes(ir::Builder& builder, ir::Value value, const ir::PartialShape& shape);

}  // namespace onnx2ir::passes
