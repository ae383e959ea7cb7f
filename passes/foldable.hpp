// What is known at conversion time and can be folded: for the passes that fold it, and for the checks that
// nothing of it is left.
#pragma once

#include <optional>

#include "ir/graph.hpp"

namespace onnx2ir::passes {

/// Whether what a body of `node` captures by `invariant` is a constant.
bool is_captured_constant(const ir::Node& node, const ir::Invariant& invariant);
/// Whether a body of `node` captures a constant.
bool captures_constant(ir::Node& node);

/// The elements of `value` if it is computed, but inference knows all of them or it has none.
std::optional<ir::ConstantData> foldable_elements(ir::Value value);

/// The branch that an If takes in every run; null if its condition is known only at run time.
ir::Branch* known_branch(ir::Node& choice);

/// Whether a Loop runs zero times in every run and has outputs that can be replaced by the initial values.
bool is_zero_trip_loop(ir::Node& loop);

}  // namespace onnx2ir::passes
