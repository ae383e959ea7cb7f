#include "ir/diff/matching.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include "ir/body_ports.hpp"

namespace onnx2ir::ir {
namespace {

/// `name` without "_" and a number at its end; no value if it has no such end.
std::optional<std::string_view> without_number(std::string_view name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  if (last == std::string_view::npos || last + 1 == name.size() || name[last] != '_') return std::nullopt;
  return name.substr(0, last);
}

bool is_interface(const Node& node) {
  return node.is_one_of({ops::Parameter, ops::Result, ops::ReadValue, ops::Assign});
}

/// The users of an output by their operation and the input that reads it.
std::map<std::pair<Op, std::uint32_t>, std::vector<const Node*>> users_by_input(const Output& output) {
  std::map<std::pair<Op, std::uint32_t>, std::vector<const Node*>> users;
  for (const Use& use : output.uses) users[{use.node->op().id, use.index}].push_back(use.node);
  return users;
}

std::string slices(const Slices& slices) {
  return fmt::format(", axis {}, start {}, end {}, stride {}, part_size {}", slices.axis, slices.start,
                     slices.end, slices.stride, slices.part_size);
}

}  // namespace

Stems::Stems(const Graph& graph) {
  for (const auto& node : graph.nodes()) names_.insert(node->name);
}

std::string_view Stems::of(const Node& node) const {
  const std::string_view name = node.name;
  if (name == node.op().name) return {};
  const auto stem = without_number(name);
  if (!stem) return name;
  if (*stem == node.op().name) return {};
  return !is_interface(node) && names_.contains(*stem) ? *stem : name;
}

Matching::Matching(const Graph& before, const Graph& after, const std::vector<NodePair>& ports,
                   std::pair<BackEdges, BackEdges> back_edges, bool ignores_names)
    : back_edges_(std::move(back_edges)) {
  if (!ignores_names) match_names(before, after);
  for (const auto& [port_before, port_after] : ports) add(*port_before, *port_after);
  follow_edges();
  if (ignores_names) {
    match_names(before, after);
    follow_edges();
  }
  // What is left between matched nodes has changed its operation.
  for (std::size_t i = 0; i < pairs_.size(); ++i) match_sources(*pairs_[i].first, *pairs_[i].second, false);
  follow_edges();
  // Nothing but their order tells users without names from each other.
  for (std::size_t i = 0; i < pairs_.size(); ++i) match_users(*pairs_[i].first, *pairs_[i].second, false);
  follow_edges();
  // No edge leads to unused nodes, whose names may be generated.
  add_unique(before, after, [](const Stems&, const Node& node, auto use) {
    if (!node.has_uses() && !is_interface(node)) use(fmt::format("{} {}", node.op().name, node.name));
  });
  follow_edges();
}

bool Matching::is_match(Value before, Value after) const {
  return before.index == after.index && after_of(*before.node) == after.node;
}

/// Adds a pair unless one of the nodes is matched already.
void Matching::add(const Node& before, const Node& after) {
  if (after_of_.contains(&before) || before_of_.contains(&after)) return;
  after_of_.emplace(&before, &after);
  before_of_.emplace(&after, &before);
  pairs_.emplace_back(&before, &after);
}

/// Adds pairs of nodes that are the only ones with a key in each graph; `keys(stems, node, use)` calls
/// `use(key)`.
template <typename Keys>
void Matching::add_unique(const Graph& before, const Graph& after, Keys keys) {
  struct Found {
    const Node* node = nullptr;
    bool is_unique = true;
  };
  std::map<std::string, std::pair<Found, Found>> found;
  const auto collect = [&](const Graph& graph, const Map& matched, auto side) {
    const Stems stems(graph);
    for (const auto& node : graph.nodes()) {
      if (matched.contains(node.get())) continue;
      keys(stems, *node, [&](const std::string& key) {
        Found& one = found[key].*side;
        one.is_unique = one.node == nullptr;
        one.node = node.get();
      });
    }
  };
  collect(before, after_of_, &std::pair<Found, Found>::first);
  collect(after, before_of_, &std::pair<Found, Found>::second);
  for (const auto& [key, both] : found) {
    const auto& [of_before, of_after] = both;
    if (of_before.node == nullptr || of_after.node == nullptr) continue;
    if (of_before.is_unique && of_after.is_unique) add(*of_before.node, *of_after.node);
  }
}

void Matching::match_names(const Graph& before, const Graph& after) {
  add_unique(before, after, [](const Stems&, const Node& node, auto use) {
    if (node.is(ops::Result)) {
      for (const std::string& name : node.input(0).output().names) use("Result " + name);
      return;
    }
    for (std::size_t i = 0; i < node.outputs().size(); ++i) {
      for (const std::string& name : node.output(i).names)
        use(fmt::format("{} {} {}", node.op().name, i, name));
    }
  });
  add_unique(before, after, [](const Stems& stems, const Node& node, auto use) {
    if (const auto stem = stems.of(node); !stem.empty()) use(fmt::format("{} {}", node.op().name, stem));
  });
  // The operation has changed.
  add_unique(before, after, [](const Stems& stems, const Node& node, auto use) {
    const auto stem = stems.of(node);
    if (!stem.empty() && !is_interface(node)) use(std::string(stem));
  });
}

void Matching::match_sources(const Node& before, const Node& after, bool needs_equal_operation) {
  const std::size_t inputs = std::min(before.inputs().size(), after.inputs().size());
  for (std::size_t i = 0; i < inputs; ++i) {
    const Value from_before = before.input(i);
    const Value from_after = after.input(i);
    const bool is_same_operation = from_before.node->is(from_after.node->op().id);
    if (needs_equal_operation ? is_same_operation && from_before.index == from_after.index
                              : !is_interface(*from_before.node) && !is_interface(*from_after.node))
      add(*from_before.node, *from_after.node);
  }
  const Node* const result_before = find(back_edges_.first, before);
  const Node* const result_after = find(back_edges_.second, after);
  if (result_before != nullptr && result_after != nullptr) add(*result_before, *result_after);
}

void Matching::match_users(const Node& before, const Node& after, bool needs_single_user) {
  const std::size_t outputs = std::min(before.outputs().size(), after.outputs().size());
  for (std::size_t i = 0; i < outputs; ++i) {
    const auto users_after = users_by_input(after.output(i));
    for (const auto& [input, of_before] : users_by_input(before.output(i))) {
      const auto of_after = users_after.find(input);
      if (of_after == users_after.end() || of_after->second.size() != of_before.size()) continue;
      if (needs_single_user && of_before.size() > 1) continue;
      for (std::size_t user = 0; user < of_before.size(); ++user)
        add(*of_before[user], *of_after->second[user]);
    }
  }
}

/// Sources come first: the source of an input is certain, a user can be another one.
void Matching::follow_edges() {
  while (next_users_ < pairs_.size()) {
    if (next_sources_ < pairs_.size()) {
      const auto [before, after] = pairs_[next_sources_++];
      match_sources(*before, *after, true);
    } else {
      const auto [before, after] = pairs_[next_users_++];
      match_users(*before, *after, true);
    }
  }
}

std::vector<BodyPorts> body_ports(const Node& node) {
  constexpr std::array<std::string_view, 7> kKinds{
      "captured value", "state", "slice", "scan", "last value", "iteration number", "body condition"};
  std::vector<BodyPorts> bodies;
  for (const ConnectedBody& body : connected_bodies(node)) {
    BodyPorts& ports = bodies.emplace_back();
    ports.name = body.name_in_paths();
    ports.graph = body.graph;
    for (const Port& port : body.ports) {
      const std::string kind(kKinds.at(static_cast<std::size_t>(port.kind)));
      const std::string suffix = port.slices == nullptr ? "" : slices(*port.slices);
      if (port.has_parameter())
        ports.parameters[port.parameter] = {kind + suffix, port.input ? node.input(*port.input) : Value{},
                                            port.result};
      if (port.output) ports.results[port.result].push_back(fmt::format("output {}{}", *port.output, suffix));
      if (port.kind == Port::Kind::condition) ports.results[port.result].push_back(kind);
    }
    for (auto& [result, roles] : ports.results) std::ranges::sort(roles);
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
