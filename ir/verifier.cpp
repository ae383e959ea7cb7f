#include "ir/verifier.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>

#include "ir/body_ports.hpp"
#include "ir/control_flow.hpp"
#include "ir/op_descriptor.hpp"

namespace onnx2ir::ir {
namespace {

class Verifier {
 public:
  void graph(const Graph& graph) {
    std::int64_t position = 0;
    std::vector<std::size_t> first_inputs;  // by the position of each node
    std::size_t inputs_so_far = 0;
    for (const auto& node : graph.nodes()) {
      node->scratch = position++;
      first_inputs.push_back(inputs_so_far);
      inputs_so_far += node->inputs().size();
    }
    std::vector<std::uint8_t> use_counts(inputs_so_far);
    for (const auto& node : graph.nodes()) uses(*node, first_inputs, use_counts);
    for (const auto& node : graph.nodes()) {
      inputs(*node, graph,
             std::span(use_counts).subspan(first_inputs[static_cast<std::size_t>(node->scratch)]));
      operation(*node);
    }
    for (const auto& node : graph.nodes()) {
      if (node->loop() != nullptr && node->loop()->condition == nullptr)
        inner(*node, *node->loop()->graph, nullptr, ops::Result);
      const std::vector<ConnectedBody> bodies = connected_bodies(*node);
      for (const ConnectedBody& body : bodies) ports(*node, body);
      for (const ConnectedBody& body : bodies) this->graph(*body.graph);
    }
  }
  std::vector<std::string> take() { return std::move(problems_); }

 private:
  void report(const Node& node, const std::string& problem) {
    problems_.push_back(std::string(node.op().name) + " '" + node.name + "': " + problem);
  }

  /// `use_counts` holds, for each input, the number of uses in the producer's list that refer to it.
  void inputs(const Node& node, const Graph& graph, std::span<const std::uint8_t> use_counts) {
    for (std::size_t i = 0; i < node.inputs().size(); ++i) {
      const Value value = node.input(i);
      const std::string which = "input " + std::to_string(i);
      if (!value) {
        report(node, which + " is not connected");
        continue;
      }
      if (&value.node->graph() != &graph) {
        report(node, which + " comes from another graph");
        continue;
      }
      if (value.node->scratch >= node.scratch) report(node, which + " is produced by a later node");
      if (value.index >= value.node->outputs().size()) {
        report(node, which + " is an output that its producer does not have");
        continue;
      }
      if (use_counts[i] != 1) report(node, which + " is not listed exactly once in the uses of its producer");
    }
  }

  void uses(const Node& node, const std::vector<std::size_t>& first_inputs,
            std::vector<std::uint8_t>& use_counts) {
    for (std::size_t i = 0; i < node.outputs().size(); ++i) {
      for (const Use& use : node.output(i).uses) {
        const bool agrees = &use.node->graph() == &node.graph() && use.index < use.node->inputs().size() &&
                            use.node->input(use.index).node == &node && use.node->input(use.index).index == i;
        if (!agrees) {
          report(node,
                 "a use of output " + std::to_string(i) + " belongs to an input that reads another value");
          continue;
        }
        std::uint8_t& count =
            use_counts[first_inputs[static_cast<std::size_t>(use.node->scratch)] + use.index];
        if (count < 2) ++count;
      }
    }
  }

  void operation(const Node& node) {
    const OpDescriptor& op = node.op();
    if (node.is(ops::Result) && node.has_uses()) report(node, "a Result is read");
    const std::size_t count = node.inputs().size();
    if (!op.takes(count)) report(node, "it has " + std::to_string(count) + " inputs");
    if (node.is_computed_from_constants() != (count_variable_inputs(node) == 0))
      report(node, "it is not known whether it is computed from constants");
    // Node::set_attribute rejects values of another kind.
    for (const std::string_view name : missing_attributes(op, node.attributes()))
      report(node, "attribute " + std::string(name) + " is missing");
  }

  void inner(const Node& node, const Graph& body, const Node* port, Op kind) {
    if (port == nullptr || &port->graph() != &body || !port->is(kind)) {
      report(node, "a port refers to no " + std::string(name_of(kind)) + " of the body");
    }
  }

  void ports(const Node& node, const ConnectedBody& body) {
    std::map<std::size_t, int> inputs;
    std::map<std::size_t, int> outputs;
    std::unordered_map<const Node*, int> parameters;
    for (const Port& port : body.ports) {
      if (port.input) ++inputs[*port.input];
      if (port.output) ++outputs[*port.output];
      if (port.input && *port.input >= node.inputs().size())
        report(node, "a port refers to an input that does not exist");
      if (port.output && *port.output >= node.outputs().size())
        report(node, "a port refers to an output that does not exist");
      if (port.has_parameter()) {
        ++parameters[port.parameter];
        inner(node, *body.graph, port.parameter, ops::Parameter);
      }
      if (port.has_result()) inner(node, *body.graph, port.result, ops::Result);
    }
    for (const Node* parameter : body.graph->parameters()) {
      if (parameters[parameter] != 1)
        report(node, "Parameter '" + parameter->name + "' of the body is not fed by exactly one port");
    }
    // The branches of an If share its inputs.
    if (!body.is_branch())
      check_each_mapped_once(node, inputs, LoopView::kFirstMapped, node.inputs().size(), "input");
    check_each_mapped_once(node, outputs, 0, node.outputs().size(), "output");
  }

  void check_each_mapped_once(const Node& node, std::map<std::size_t, int>& seen, std::size_t first,
                              std::size_t last, const std::string& kind) {
    for (std::size_t i = first; i < last; ++i) {
      if (seen[i] != 1) report(node, kind + " " + std::to_string(i) + " is not mapped exactly once");
    }
  }

  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> verify(const Graph& graph) {
  Verifier verifier;
  verifier.graph(graph);
  return verifier.take();
}

}  // namespace onnx2ir::ir
