// Operations that the CPU plugin may compute in the memory of a Parameter of a loop's body.
#pragma once

#include <unordered_set>

#include "ir/control_flow.hpp"

namespace onnx2ir::passes {

/// Whether `use`, of a Parameter of a body or of a view of one, leads through views to an operation that may
/// update the elements of the Parameter. True if there are too many uses to know.
bool leads_to_update(const ir::Use& use);

/// The Results of a body that are the next values of states.
using NextValues = std::unordered_set<const ir::Node*>;
/// Whether `use`, of the Parameter of `state`, leads to the next value of another state, which may be
/// computed in the memory of the Parameter. False if the next value of `state` is computed in the same
/// memory, as in a cache. True if there are too many uses to know.
bool leads_to_other_state(const ir::Use& use, const NextValues& next_values, const ir::Carried& state);

}  // namespace onnx2ir::passes
