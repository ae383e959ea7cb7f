// Checks the invariants of a graph: for debug builds and tests.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.hpp"

namespace onnx2ir::ir {

/// The violations in `graph` and its bodies, one sentence each; empty if there are none. Checks that uses and
/// inputs agree, that producers precede consumers in the same graph, arities and attributes, and that each
/// port of a control-flow node refers to an existing input, output, Parameter or Result, each of which has
/// one port. Uses Node::scratch.
std::vector<std::string> verify(const Graph& graph);

}  // namespace onnx2ir::ir
