// Copies a branch of an If into the graph around it. Used by the passes that remove Ifs.
#pragma once

#include "ir/control_flow.hpp"

namespace onnx2ir::passes {

/// Copies the used nodes of `branch`, a branch of `if_node`, into the graph of `if_node`, and returns the
/// values of the branch's outputs there. Bodies of Loops and Ifs are moved, so the branch must not be used
/// afterwards.
ir::Values inline_branch(ir::Node& if_node, const ir::Branch& branch);

}  // namespace onnx2ir::passes
