// Graphs as text, for people: dumps after passes, tests, questions of the kind "what is in there".
#pragma once

#include <string>

#include "ir/graph.hpp"

namespace onnx2ir::ir {

/// The model, a line for each node, bodies indented below their node with their wiring:
///
///     %0 = Parameter : f32[2] "x"
///     %3 = Loop(%1, %2, %0) : f32[2], f32[3,2] "last", "all"
///
/// `%3.1` is output 1 of node 3. Names in quotes are tensor names. The integers of small constants are
/// printed.
std::string text(const Model& model);

}  // namespace onnx2ir::ir
