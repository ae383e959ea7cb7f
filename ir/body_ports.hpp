// How the bodies of a Loop or an If are connected with the node, as a list of ports that have one form. The
// payload of the node (ir/body.hpp) has a list for each kind instead.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.hpp"

namespace onnx2ir::ir {

/// How a value gets into or out of a body.
struct Port {
  enum class Kind : std::uint8_t { captured, state, slice, scan, result, iteration, condition };
  Kind kind = Kind::captured;
  std::optional<std::uint32_t> input = {};   ///< index of an input of the node
  Node* parameter = nullptr;                 ///< null for scans, results and the condition
  Node* result = nullptr;                    ///< null for captured values, slices and the iteration
  std::optional<std::uint32_t> output = {};  ///< index of an output of the node
  const Slices* slices = nullptr;            ///< of slices and scans
  bool is_guarded = false;                   ///< the output of a state or of a scan

  /// Whether a Parameter, or a Result, of the body belongs to a port of this kind.
  bool has_parameter() const { return input || kind == Kind::iteration; }
  bool has_result() const { return output || kind == Kind::state || kind == Kind::condition; }
};

/// Those of a Loop: states, slices, captured values, the iteration, scans, values of the last iteration, the
/// condition.
std::vector<Port> ports_of(const LoopBody& loop);
/// Those of a branch: captured values, results.
std::vector<Port> ports_of(const Branch& branch);

/// A body with its ports.
struct ConnectedBody {
  std::string_view name;  ///< "body", "then" or "else"
  Graph* graph;
  std::vector<Port> ports;

  bool is_branch() const { return name != "body"; }
  /// "body", "then_branch" or "else_branch".
  std::string name_in_paths() const { return std::string(name) + (is_branch() ? "_branch" : ""); }
};

/// Empty for nodes without control flow.
std::vector<ConnectedBody> connected_bodies(const Node& node);

}  // namespace onnx2ir::ir
