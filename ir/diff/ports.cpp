#include "ir/diff/ports.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace onnx2ir::ir {
namespace {

std::string slices(const Slices& slices) {
  return fmt::format(", axis {}, start {}, end {}, stride {}, part_size {}", slices.axis, slices.start,
                     slices.end, slices.stride, slices.part_size);
}

BodyPorts loop_ports(const Node& node, const LoopBody& body) {
  BodyPorts ports;
  ports.name = "body";
  ports.graph = body.graph.get();
  if (body.iteration != nullptr) ports.parameters[body.iteration].kind = "iteration number";
  if (body.condition != nullptr) ports.results[body.condition].emplace_back("body condition");
  for (const Carried& state : body.carried) {
    ports.parameters[state.parameter] = {"state", node.input(state.input), state.result};
    if (state.output) ports.results[state.result].push_back(fmt::format("output {}", *state.output));
  }
  for (const Sliced& sliced : body.sliced)
    ports.parameters[sliced.parameter] = {"slice" + slices(sliced), node.input(sliced.input)};
  for (const Invariant& invariant : body.invariants)
    ports.parameters[invariant.parameter] = {"captured value", node.input(invariant.input)};
  for (const Scan& scan : body.scans)
    ports.results[scan.result].push_back(fmt::format("output {}", scan.output) + slices(scan));
  for (const LastValue& last : body.last_values)
    ports.results[last.result].push_back(fmt::format("output {}", last.output));
  return ports;
}

BodyPorts branch_ports(const Node& node, std::string_view name, const Branch& branch) {
  BodyPorts ports;
  ports.name = name;
  ports.graph = branch.graph.get();
  for (const Invariant& invariant : branch.invariants)
    ports.parameters[invariant.parameter] = {"captured value", node.input(invariant.input)};
  for (std::size_t i = 0; i < branch.results.size(); ++i)
    ports.results[branch.results[i]].push_back(fmt::format("output {}", i));
  return ports;
}

}  // namespace

std::vector<BodyPorts> body_ports(const Node& node) {
  std::vector<BodyPorts> bodies;
  if (const LoopBody* loop = node.loop()) bodies.push_back(loop_ports(node, *loop));
  if (const IfBranches* branches = node.branches()) {
    bodies.push_back(branch_ports(node, "then_branch", branches->then_branch));
    bodies.push_back(branch_ports(node, "else_branch", branches->else_branch));
  }
  for (BodyPorts& body : bodies) {
    for (auto& [result, roles] : body.results) std::ranges::sort(roles);
  }
  return bodies;
}

std::vector<NodePair> pairs_by_role(const BodyPorts& before, const BodyPorts& after, const Matching& outer) {
  using Key = std::tuple<std::string, const Node*, std::uint32_t>;  // the node is one of the graph `after`
  std::map<Key, NodePair> parameters;
  const auto collect = [&](const BodyPorts& body, const Node* NodePair::*side, auto source_of) {
    std::map<Key, std::size_t> counts;
    for (const auto& [parameter, role] : body.parameters) {
      const Node* const source = role.source ? source_of(*role.source.node) : nullptr;
      if (role.source && source == nullptr) continue;
      const Key key{role.kind, source, role.source.index};
      parameters[key].*side = ++counts[key] == 1 ? parameter : nullptr;
    }
  };
  collect(before, &NodePair::first, [&](const Node& node) { return outer.after_of(node); });
  collect(after, &NodePair::second, [](const Node& node) { return &node; });
  std::map<std::string, NodePair> results;
  const auto collect_results = [&](const BodyPorts& body, const Node* NodePair::*side) {
    for (const auto& [result, roles] : body.results) {
      for (const std::string& role : roles) results[role].*side = result;
    }
  };
  collect_results(before, &NodePair::first);
  collect_results(after, &NodePair::second);
  std::vector<NodePair> pairs;
  const auto add = [&pairs](const auto& one) {
    if (one.second.first != nullptr && one.second.second != nullptr) pairs.push_back(one.second);
  };
  std::ranges::for_each(results, add);
  std::ranges::for_each(parameters, add);
  return pairs;
}

}  // namespace onnx2ir::ir
