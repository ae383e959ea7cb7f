// Finds the nodes of a model that faults of the target affect: those that rows of workarounds
// affect, and those that legalisations would change.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ir/graph.hpp"
#include "passes/pipeline.hpp"

namespace onnx2ir::passes {

/// A node that a fault affects, or a warning of a pass that changes nothing.
struct AffectedNode {
  Fault fault;
  std::string layer;      ///< its path: "loop/body/Add_3"; empty: the workaround concerns the whole model
  std::string operation;  ///< the type of its layer: "MatMul"
  std::string warning;    ///< empty for a node
};

/// Makes a new copy of the model: passes change it.
using CopyModel = std::function<std::unique_ptr<ir::Model>()>;

/// All affected nodes, by fault and in the order of the graph. Asks the rows of workarounds for each node,
/// and runs the legalisations that are passes for one fault at a time, each on a model as it was. `context`
/// gives the target and the options.
std::vector<AffectedNode> affected_nodes(const CopyModel& copy, const PassContext& context);

/// Runs the legalisations, and of the passes that optimise or normalise only those that legalisations rely on
/// (PassConditions::runs_with_legalizations). Returns whether one has changed the model.
bool run_legalizations(ir::Model& model, PassContext& context);

}  // namespace onnx2ir::passes
