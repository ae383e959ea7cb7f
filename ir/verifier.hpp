// Checks that a graph is what everybody relies on: for debug builds and tests.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.hpp"

namespace onnx2ir::ir {

/// What is wrong with `graph` and its bodies, one sentence each; empty when nothing is. Checks that uses and
/// inputs agree, that producers stand before consumers in the same graph, arities and attributes, and that
/// the ports of control-flow nodes refer to inputs, outputs, Parameters and Results that exist, each once.
/// Uses Node::scratch.
std::vector<std::string> verify(const Graph& graph);

}  // namespace onnx2ir::ir
