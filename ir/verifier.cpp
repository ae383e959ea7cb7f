#include "ir/verifier.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>

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
      if (const LoopBody* loop = node->loop()) loop_ports(*node, *loop);
      if (const IfBranches* branches = node->branches()) if_ports(*node, *branches);
      for (const Body* body : bodies(*node)) this->graph(*body->graph);
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

  /// Records that a port refers to input `index` and to `parameter` of `body`.
  void incoming(const Node& node, const Graph& body, std::uint32_t index, const Node* parameter) {
    ++inputs_seen_[index];
    ++parameters_seen_[parameter];
    if (index >= node.inputs().size()) report(node, "a port refers to an input that does not exist");
    inner(node, body, parameter, ops::Parameter);
  }
  void outgoing(const Node& node, const Graph& body, std::uint32_t index, const Node* result) {
    ++outputs_seen_[index];
    if (index >= node.outputs().size()) report(node, "a port refers to an output that does not exist");
    inner(node, body, result, ops::Result);
  }
  void inner(const Node& node, const Graph& body, const Node* port, Op kind) {
    if (port == nullptr || &port->graph() != &body || !port->is(kind)) {
      report(node, "a port refers to no " + std::string(name_of(kind)) + " of the body");
    }
  }

  void loop_ports(const Node& node, const LoopBody& loop) {
    inputs_seen_.clear();
    outputs_seen_.clear();
    parameters_seen_.clear();
    const Graph& body = *loop.graph;
    inner(node, body, loop.condition, ops::Result);
    if (loop.iteration != nullptr) inner(node, body, loop.iteration, ops::Parameter);
    for (const Carried& state : loop.carried) {
      incoming(node, body, state.input, state.parameter);
      inner(node, body, state.result, ops::Result);
      if (state.output) outgoing(node, body, *state.output, state.result);
    }
    for (const Invariant& invariant : loop.invariants)
      incoming(node, body, invariant.input, invariant.parameter);
    for (const Sliced& sliced : loop.sliced) incoming(node, body, sliced.input, sliced.parameter);
    for (const Scan& scan : loop.scans) outgoing(node, body, scan.output, scan.result);
    for (const LastValue& last : loop.last_values) outgoing(node, body, last.output, last.result);
    if (loop.iteration != nullptr) ++parameters_seen_[loop.iteration];
    check_each_parameter_once(node, body);
    check_each_mapped_once(node, inputs_seen_, LoopView::kFirstMapped, node.inputs().size(), "input");
    check_each_mapped_once(node, outputs_seen_, 0, node.outputs().size(), "output");
  }

  void if_ports(const Node& node, const IfBranches& branches) {
    inputs_seen_.clear();
    for (const Branch* branch : {&branches.then_branch, &branches.else_branch}) {
      parameters_seen_.clear();
      for (const Invariant& invariant : branch->invariants) {
        incoming(node, *branch->graph, invariant.input, invariant.parameter);
      }
      check_each_parameter_once(node, *branch->graph);
      if (branch->results.size() != node.outputs().size())
        report(node, "a branch does not have one Result for each output");
      for (const Node* result : branch->results) inner(node, *branch->graph, result, ops::Result);
    }
  }

  void check_each_mapped_once(const Node& node, std::map<std::size_t, int>& seen, std::size_t first,
                              std::size_t last, const std::string& kind) {
    for (std::size_t i = first; i < last; ++i) {
      if (seen[i] != 1) report(node, kind + " " + std::to_string(i) + " is not mapped exactly once");
    }
  }

  void check_each_parameter_once(const Node& node, const Graph& body) {
    for (const Node* parameter : body.parameters()) {
      if (parameters_seen_[parameter] != 1)
        report(node, "Parameter '" + parameter->name + "' of the body is not fed by exactly one port");
    }
  }

  std::vector<std::string> problems_;
  std::map<std::size_t, int> inputs_seen_;
  std::map<std::size_t, int> outputs_seen_;
  std::unordered_map<const Node*, int> parameters_seen_;
};

}  // namespace

std::vector<std::string> verify(const Graph& graph) {
  Verifier verifier;
  verifier.graph(graph);
  return verifier.take();
}

}  // namespace onnx2ir::ir
