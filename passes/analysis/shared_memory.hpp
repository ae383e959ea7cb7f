// What the CPU plugin computes in the memory of a Parameter of a loop's body, instead of memory of its own.
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
/// computed in the memory of the Parameter. No, if that is also the memory of the next value of `state`, as
/// with a cache. True if there are too many uses to know.
bool leads_to_other_state(const ir::Use& use, const NextValues& next_values, const ir::Carried& state);

}  // namespace onnx2ir::passes
