// Makes an If for an operator that chooses by itself, without ONNX branches.
#pragma once

#include <functional>

#include "frontend/translators/context.hpp"

namespace onnx2ir::frontend {

/// Writes a branch: `invariants` stand for the outer values. Returns its outputs.
using BranchWriter = std::function<Values(Builder& branch, const Values& invariants)>;

/// What `then_branch` gives where `condition` (boolean scalar) holds, else what `else_branch` gives: equally
/// many outputs, of equal types and ranks.
Values choose(Builder& outer, Value condition, const Values& invariants, const BranchWriter& then_branch,
              const BranchWriter& else_branch);

}  // namespace onnx2ir::frontend
