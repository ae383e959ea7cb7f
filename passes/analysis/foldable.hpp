// Tests whether a pass folds, removes or copies a node. The passes use them, and so do the checks that no
// such node is left (passes/properties.hpp). Also tests which constants OpenVINO does not fold, and which
// operations can be computed also where their results are unused, because they cannot fail.
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

/// Whether the next value of `state` is always its present value.
bool is_unchanged(const ir::Carried& state);
/// Whether the next value of `state` is another Parameter of the body, without an operation between them.
bool is_passed_through(const ir::Carried& state);

/// Whether `value` is computed from constants by an operation that some releases of OpenVINO do not fold. The
/// CPU plugin then computes it in the first inference only. The conversion of quantised weights is not folded
/// either: see computes_weights().
bool may_stay_unfolded(ir::Value value);

/// Whether `node` is computed without an error for all inputs of its types and shapes. False if in doubt.
bool never_fails(const ir::Node& node);

}  // namespace onnx2ir::passes
