#include "passes/analysis/port_sources.hpp"

#include <algorithm>

namespace onnx2ir::passes {

PortSources::PortSources(const std::vector<ir::Graph*>& graphs) {
  for (const ir::Graph* graph : graphs) {
    for (ir::Node* node : graph->control_flow()) {
      for (const ir::Body* body : ir::bodies(*node)) {
        for (const ir::Invariant& invariant : body->invariants)
          sources_[invariant.parameter->value()] = {node->input(invariant.input)};
      }
      if (const ir::LoopBody* loop = node->loop()) add_loop(*node, *loop);
      if (const ir::IfBranches* branches = node->branches()) {
        for (const ir::Branch* branch : {&branches->then_branch, &branches->else_branch}) {
          for (std::uint32_t i = 0; i < branch->results.size(); ++i)
            sources_[node->value(i)].push_back(branch->results[i]->input(0));
        }
      }
    }
  }
}

void PortSources::add_loop(ir::Node& node, const ir::LoopBody& loop) {
  const auto add_output = [&](const auto& port) {
    sources_[node.value(port.output)] = {port.result->input(0)};
  };
  for (const ir::Carried& state : loop.carried) {
    const base::SmallVector<ir::Value, 2> values = {node.input(state.input), state.result->input(0)};
    sources_[state.parameter->value()] = values;
    if (state.output) sources_[node.value(*state.output)] = values;
  }
  for (const ir::Sliced& sliced : loop.sliced)
    sources_[sliced.parameter->value()] = {node.input(sliced.input)};
  std::ranges::for_each(loop.scans, add_output);
  std::ranges::for_each(loop.last_values, add_output);
}

std::span<const ir::Value> PortSources::of(ir::Value value) const {
  const bool may_be_port = value.node->is(ops::Parameter) || value.node->op().traits.has_bodies;
  const auto found = may_be_port ? sources_.find(value) : sources_.end();
  if (found == sources_.end()) return {};
  return {found->second.data(), found->second.size()};
}

}  // namespace onnx2ir::passes
