// Lists and edits the graphs, nodes, Loops and Ifs of a model, and finds the values that bodies capture.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/control_flow.hpp"

namespace onnx2ir::passes {

/// All graphs of a model; a body comes before the graph that contains it.
std::vector<ir::Graph*> graphs_of(ir::Model& model);

/// The nodes of these operations in all graphs of a model, in the same order.
std::vector<ir::Node*> nodes_of(ir::Model& model, const ir::OperationSet& operations);

/// All Loop nodes of a model, inner ones first.
std::vector<ir::LoopView> loops_of(ir::Model& model);

/// The same without those that have a state, a slice, a row or an output of unknown rank, which the IR of
/// another program can have: the CPU plugin of no release runs them.
std::vector<ir::LoopView> runnable_loops_of(ir::Model& model);
/// Whether `loop` is one of them.
bool is_runnable(ir::LoopView loop);

/// The outer values that Parameters of bodies capture.
class CapturedValues {
 public:
  void add(const ir::Node& node, const ir::Body& body);
  /// Null if `value` is not a Parameter that captures one.
  ir::Value of(ir::Value value) const;

 private:
  std::unordered_map<const ir::Node*, ir::Value> outer_;
};

/// Calls `visit(node)` for each node of `graphs`.
template <typename Visit>
void for_each_node(const std::vector<ir::Graph*>& graphs, Visit visit) {
  for (const ir::Graph* graph : graphs) {
    for (const auto& node : graph->nodes()) visit(*node);
  }
}

/// Calls `edit` for each element of `range`, such as the graphs of a model. Returns whether one of the calls
/// has returned true: it has changed something.
template <typename Range, typename Edit>
bool edit_each(const Range& range, Edit edit) {
  bool modified = false;
  for (const auto& element : range) modified = edit(element) || modified;
  return modified;
}

/// Calls `edit(node)` for each Loop and If of `graphs`, but not for those that `edit` adds to the graph of
/// `node`.
template <typename Edit>
bool edit_control_flow(const std::vector<ir::Graph*>& graphs, Edit edit) {
  return edit_each(graphs, [&](const ir::Graph* graph) {
    // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): `edit` changes the list
    const std::vector<ir::Node*> nodes = graph->control_flow();
    return edit_each(nodes, [&](ir::Node* node) { return edit(*node); });
  });
}

/// The same for all graphs of the model: Loops and Ifs in bodies come first.
template <typename Edit>
bool edit_control_flow(ir::Model& model, Edit edit) {
  return edit_control_flow(graphs_of(model), edit);
}

}  // namespace onnx2ir::passes
