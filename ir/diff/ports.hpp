// The ports of Loop and If in the form in which two models are compared.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/diff/matching.hpp"
#include "ir/graph.hpp"

namespace onnx2ir::ir {

/// The role of a Parameter of a body.
struct ParameterRole {
  std::string kind;  ///< "iteration", "state", "slice, axis 0, ...", "captured value"
  Value source;      ///< in the graph around the body; null for the iteration number
  const Node* back_edge = nullptr;
};

/// A body and the roles of its Parameters and Results.
struct BodyPorts {
  std::string_view name;  ///< "body", "then_branch", "else_branch"
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
