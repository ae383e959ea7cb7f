// What passes fold, remove or copy: asked by them, and by the properties that nothing of it is left. And what
// OpenVINO may not fold.
#pragma once

#include <optional>

#include "ir/graph.hpp"

namespace onnx2ir::passes {

/// Whether the captured value of `invariant` is a constant.
bool is_captured_constant(const ir::Node& node, const ir::Invariant& invariant);
/// Whether a body of `node` captures a constant.
bool captures_constant(ir::Node& node);

/// The elements of a computed `value`, if inference knows all of them or `value` is empty.
std::optional<ir::ConstantData> foldable_elements(ir::Value value);

/// The branch that the If takes in every run; null if its condition is dynamic.
ir::Branch* known_branch(ir::Node& if_node);

/// Whether `node` is a Loop that never runs and whose outputs can all be replaced by the initial values.
bool is_zero_trip_loop(ir::Node& node);

/// Whether the next value of `state` is always its present value.
bool is_unchanged(const ir::Carried& state);
/// Whether the next value of `state` is another Parameter of the body, without an operation between them.
bool is_passed_through(const ir::Carried& state);

/// Whether `value` is computed from constants, and OpenVINO may not fold one of the steps: then it leaves
/// them for the run time, and the CPU plugin computes them in the first inference only. It does not fold the
/// conversion of quantised weights either, which computes_weights() recognises.
bool may_stay_unfolded(ir::Value value);

}  // namespace onnx2ir::passes
