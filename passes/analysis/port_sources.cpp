#include "passes/analysis/port_sources.hpp"

#include <utility>

#include "ir/body_ports.hpp"

namespace onnx2ir::passes {

PortSources::PortSources(const std::vector<ir::Graph*>& graphs) {
  for (const ir::Graph* graph : graphs) {
    for (ir::Node* node : graph->control_flow()) {
      for (const ir::ConnectedBody& body : ir::connected_bodies(*node)) {
        for (const ir::Port& port : body.ports) {
          base::SmallVector<ir::Value, 2> values;
          if (port.input) values.push_back(node->input(*port.input));
          if (port.result != nullptr) values.push_back(port.result->input(0));
          // Both branches of an If give its outputs.
          if (port.output) sources_[node->value(*port.output)].append(values.begin(), values.end());
          if (port.input) sources_[port.parameter->value()] = std::move(values);
        }
      }
    }
  }
}

std::span<const ir::Value> PortSources::of(ir::Value value) const {
  const bool may_be_port = value.node->is(ops::Parameter) || value.node->op().traits.has_bodies;
  const auto found = may_be_port ? sources_.find(value) : sources_.end();
  if (found == sources_.end()) return {};
  return {found->second.data(), found->second.size()};
}

}  // namespace onnx2ir::passes
