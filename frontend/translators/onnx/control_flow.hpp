// Shared by Loop, Scan and If: conditions, and bodies that are translated as scopes. Builds the Loops of
// operators that have no body in ONNX but need iterations in the IR.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/graph/graph_translator.hpp"
#include "frontend/graph/node_context.hpp"
#include "ir/control_flow.hpp"

namespace onnx2ir::frontend {

/// `operand` as a scalar of `type`; fails, with a message about `what`, if it is not a tensor or cannot have
/// exactly one element.
Value convert_to_scalar(NodeContext& node, Builder& builder, const Operand& operand, ElementType type,
                        std::string_view what);

/// Turns the `captures` of `body`, a body of `node`, into its invariants. Removes unused Parameters.
void connect_captures(ir::Node& node, ir::Body& body, const std::vector<Capture>& captures);

/// The scan outputs of a body, which are its `outputs` from `first` on; fails if one is not a tensor.
Values tensors_of(NodeContext& node, const Operands& outputs, std::size_t first);

/// A body that runs once per iteration, before its translation.
struct IteratedBody {
  const onnx::GraphProto* proto;
  /// Position of the first state among the body's inputs and among its outputs.
  int first_state_input;
  int first_state_output;
  /// The initial values of the states.
  Operands initial = {};
  /// Binds the other body inputs. `iteration` and `condition` are Parameters for the iteration number and the
  /// entry condition; they are removed if they are unused.
  std::function<void(GraphTranslator& scope, Builder& builder, Value iteration, Value condition)>
      bind_others = {};
};

/// The translated body, with state types that hold in every iteration.
struct TranslatedBody {
  std::unique_ptr<ir::Graph> graph;
  std::unique_ptr<GraphTranslator> scope;
  ir::Node* iteration = nullptr;
  ir::Node* condition = nullptr;
  std::vector<OperandType> types;              ///< of the states
  std::vector<std::vector<ir::Node*>> states;  ///< the Parameters of each state
  Operands outputs;                            ///< all outputs of the body
};

/// Translates the body until the types of its states reach a fixpoint. Fails if they do not reach one.
TranslatedBody translate_to_fixpoint(NodeContext& node, const IteratedBody& body);

/// A scan output: the tensor of one iteration, and the output axis over iterations.
struct ScanOutput {
  Value row;
  std::int64_t axis;
  bool is_used;
};

/// The final states and scan outputs (null if they are unused).
struct LoopResult {
  Operands states;
  Values scans;
};

/// Creates the Loop-5 node. `next_condition` is the body condition, a boolean scalar of the body;
/// `used_states` are the states whose final value is used.
LoopResult make_loop(NodeContext& node, Value trip_count, Value condition, const IteratedBody& proto,
                     TranslatedBody body, Value next_condition, const std::vector<bool>& used_states,
                     const std::vector<ScanOutput>& scans);

/// A loop whose trip count and initial condition are known at conversion time.
struct CountedLoop {
  const onnx::GraphProto* proto;
  std::int64_t trip_count;  ///< 0 if the initial condition is false
  Operands initial;
  /// Binds the iteration number and the condition.
  std::function<void(GraphTranslator& scope, std::int64_t iteration)> bind_others = {};
  /// Translates the iterations from number `first` on with one body, if `condition` holds: the outputs of the
  /// node, with scan outputs of these iterations.
  std::function<Operands(const Operands& states, std::int64_t first, Value condition)> translate_rest = {};
};

/// Calls `translate`, which translates the loop with one body for all iterations. If that fails because of
/// ranks or shapes, emits the iterations of a short loop instead, and the first iterations of a long one.
/// Without iterations, its body is ignored. If that fails as well, reports the errors of `translate`.
Operands translate_or_unroll(NodeContext& node, const std::optional<CountedLoop>& loop,
                             const std::function<Operands()>& translate);

/// The result of one iteration: the next states, one row of each scan output, and whether there is a next
/// iteration (boolean scalar; null: until `count` iterations have run).
struct Iteration {
  Values states;
  Values rows;
  Value condition = {};
};

/// Emits the body: `iteration` is the iteration number (i64 scalar), `invariants` are the captured values in
/// the body.
using BodyWriter =
    std::function<Iteration(Builder& body, Value iteration, const Values& states, const Values& invariants)>;

/// Final states, and the rows of all iterations stacked along a new first axis.
struct LoopOutputs {
  Values states;
  Values scans;
};

/// A loop of at most `count` (i64 scalar) iterations with the states `initial`. States keep their types and
/// shapes.
LoopOutputs iterate(Builder& outer, Value count, const Values& initial, const Values& invariants,
                    const BodyWriter& write);

}  // namespace onnx2ir::frontend
