// The contents of a control-flow node: its bodies, and the connections of their values with its inputs and
// outputs. See ir/control_flow.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace onnx2ir::ir {

class Graph;
class Node;

/// A captured value: a Parameter of the body with the same value in every iteration. `input` is an input
/// index of the control-flow node.
struct Invariant {
  std::uint32_t input;
  Node* parameter;
};
/// A state: `parameter` starts as `input` and takes the value of `result` after each iteration. Without
/// `output`, the final value is unused.
struct Carried {
  std::uint32_t input;
  Node* parameter;
  Node* result;
  std::optional<std::uint32_t> output;
  /// If the loop runs zero iterations, `output` is not used: a guard selects the initial value. Inference
  /// reads this: the output then has the shape of `result`.
  bool is_guarded = false;
};
/// Which slice along `axis` belongs to each iteration (Loop-5).
struct Slices {
  std::int64_t axis = 0;
  std::int64_t start = 0;
  std::int64_t end = -1;
  std::int64_t stride = 1;
  std::int64_t part_size = 1;
};
/// A slice of an outer value, a different one in each iteration. The front end emits a Gather instead: see
/// Scan in docs/control-flow.md.
struct Sliced : Slices {
  std::uint32_t input;
  Node* parameter;
};
/// An output that stacks `result` of all iterations along `axis`.
struct Scan : Slices {
  Node* result;
  std::uint32_t output;
  /// If the loop runs zero iterations, `output` is not used: a guard selects no rows.
  bool is_guarded = false;
};
/// An output that is `result` of the last iteration, without a back edge.
struct LastValue {
  Node* result;
  std::uint32_t output;
};

/// A graph inside a control-flow node, and the values it captures.
struct Body {
  std::unique_ptr<Graph> graph;
  std::vector<Invariant> invariants;
};

/// The body of a Loop node and how it is wired.
struct LoopBody : Body {
  Node* iteration = nullptr;  ///< Parameter that receives the iteration number; may be null
  Node* condition = nullptr;  ///< Result of the body condition
  std::vector<Carried> carried;
  std::vector<Sliced> sliced;
  std::vector<Scan> scans;
  std::vector<LastValue> last_values;
};

/// A branch of an If node; Result i is output i of the node.
struct Branch : Body {
  std::vector<Node*> results;
};
struct IfBranches {
  Branch then_branch;
  Branch else_branch;
};

}  // namespace onnx2ir::ir
