// Makes an If around branches that functions write.
#pragma once

#include <functional>
#include <vector>

#include "ir/builder.hpp"

namespace onnx2ir::passes {

using Values = std::vector<ir::Value>;
/// Writes a branch: `invariants` stand for the outer values. Returns its outputs.
using BranchWriter = std::function<Values(ir::Builder& branch, const Values& invariants)>;

/// An If that gives what `then_branch` gives where `condition` (boolean scalar) holds, else what
/// `else_branch` gives: equally many outputs, of equal types and ranks.
ir::Node& add_choice(ir::Builder& outer, ir::Value condition, const Values& invariants,
                     const BranchWriter& then_branch, const BranchWriter& else_branch);

}  // namespace onnx2ir::passes
