// What the pipeline does after a pass that has changed the model.
#pragma once

#include "ir/graph.hpp"

namespace onnx2ir::passes {

/// Removes unused nodes, in bodies first: a body may contain the last use of an outer value.
void remove_dead_nodes(ir::Model& model);

/// Restores the topological order, removes unused nodes and infers the stale ones. Throws Failure
/// (invalid_model) if nodes do not fit each other: a size has become known that contradicts others.
void tidy(ir::Model& model);

}  // namespace onnx2ir::passes
