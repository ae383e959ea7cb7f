// Finds the nodes of two graphs that correspond to each other, whatever the order of the nodes.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/graph.hpp"

namespace onnx2ir::ir {

/// The names of a graph's nodes without the numbers that the XML writer added to make them unique.
class Stems {
 public:
  explicit Stems(const Graph& graph);
  /// Empty if the whole name was made by the writer: the operation, or the operation and a number.
  std::string_view of(const Node& node) const;

 private:
  std::unordered_set<std::string_view> names_;
};

using NodePair = std::pair<const Node*, const Node*>;
/// The Result whose value a state of a loop takes, by its Parameter.
using BackEdges = std::unordered_map<const Node*, const Node*>;

/// Pairs of nodes of two graphs. Nodes are matched by unique tensor names, then by unique names; from there
/// along the edges: the sources of equal inputs match if their operations are equal, and so do unique users
/// of equal outputs. Users that nothing else tells apart match in their order. Takes O(n log n) time.
class Matching {
 public:
  /// `ports`: nodes that match because of their ports, unless their names match others. With
  /// `ignores_names`, names only match the nodes that neither ports nor edges match.
  Matching(const Graph& before, const Graph& after, const std::vector<NodePair>& ports,
           std::pair<BackEdges, BackEdges> back_edges, bool ignores_names);

  /// The node that matches; null if there is no such node.
  const Node* after_of(const Node& node) const { return find(after_of_, node); }
  const Node* before_of(const Node& node) const { return find(before_of_, node); }
  /// Whether `after` is the value that matches `before`.
  bool is_match(Value before, Value after) const;

 private:
  using Map = std::unordered_map<const Node*, const Node*>;
  static const Node* find(const Map& map, const Node& node) {
    const auto found = map.find(&node);
    return found == map.end() ? nullptr : found->second;
  }
  void add(const Node& before, const Node& after);
  template <typename Keys>
  void add_unique(const Graph& before, const Graph& after, Keys keys);
  void match_names(const Graph& before, const Graph& after);
  void match_sources(const Node& before, const Node& after, bool needs_equal_operation);
  void match_users(const Node& before, const Node& after, bool needs_single_user);
  void follow_edges();

  Map after_of_;
  Map before_of_;
  std::pair<BackEdges, BackEdges> back_edges_;
  std::vector<NodePair> pairs_;
  std::size_t next_sources_ = 0;  ///< the first pair whose sources are not matched yet
  std::size_t next_users_ = 0;
};

/// The role of a Parameter of a body.
struct ParameterRole {
  std::string kind;  ///< "iteration", "state", "slice, axis 0, ...", "captured value"
  Value source;      ///< in the graph around the body; null for the iteration number
  const Node* back_edge = nullptr;
};

/// A body and the roles of its Parameters and Results.
struct BodyPorts {
  std::string name;  ///< "body", "then_branch", "else_branch"
  const Graph* graph = nullptr;
  std::unordered_map<const Node*, ParameterRole> parameters;
  std::unordered_map<const Node*, std::vector<std::string>>
      results;  ///< "condition", "output 1, axis 0, ..."
};

/// The bodies of `node`; empty if it has no bodies.
std::vector<BodyPorts> body_ports(const Node& node);

/// The Parameters and Results of two bodies that are the only ones with a role in both. `outer` matches the
/// graphs around them.
std::vector<NodePair> pairs_by_role(const BodyPorts& before, const BodyPorts& after, const Matching& outer);

}  // namespace onnx2ir::ir
