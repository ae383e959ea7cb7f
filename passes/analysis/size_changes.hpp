// How the sizes of a loop's states change from one iteration to the next.
#pragma once

#include <vector>

#include "ir/control_flow.hpp"

namespace onnx2ir::passes {

/// Whether the state has the sizes of its initial value in each iteration.
bool keeps_sizes(const ir::Carried& state);

/// For each state of the loop, in the order of LoopBody::carried: whether its number of elements may grow in
/// one iteration and shrink in another. This is not the case if it is static, keeps its size, only grows,
/// only shrinks, or takes a size from outside the loop. The time is linear in the number of nodes in the
/// body.
std::vector<bool> states_that_grow_and_shrink(ir::LoopView loop);

}  // namespace onnx2ir::passes
