// What Loop, Scan and If share: conditions, and bodies translated as scopes of their own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/graph/graph_translator.hpp"
#include "frontend/graph/node_context.hpp"
#include "ir/control_flow.hpp"

namespace onnx2ir::frontend {

/// `value`, which must be able to have one element, as a scalar of `type`; refuses the node, naming `what`,
/// otherwise.
Value as_scalar(NodeContext& node, Builder& builder, Value value, ElementType type, std::string_view what);
/// The same for an operand that must be a tensor.
Value as_scalar(NodeContext& node, Builder& builder, const Operand& operand, ElementType type,
                std::string_view what);

/// Makes the `captures` of `body`, which is one of `node`, its invariants. Their unused Parameters are
/// removed.
void connect_captures(ir::Node& node, ir::Body& body, const std::vector<Capture>& captures);

/// A body that runs once per iteration, before it is translated.
struct IteratedBody {
  const onnx::GraphProto* proto;
  /// Position of the first state among the body's inputs and among its outputs.
  int first_state_input;
  int first_state_output;
  /// The states as they start.
  Operands initial = {};
  /// Gives the other body inputs their values. `iteration` and `condition` are Parameters for the iteration
  /// number and for the condition that led to the iteration; they are dropped when nobody reads them.
  std::function<void(GraphTranslator& scope, Builder& builder, Value iteration, Value condition)>
      bind_others = {};
};

/// The body, translated with types of its states that hold in every iteration.
struct TranslatedBody {
  std::unique_ptr<ir::Graph> graph;
  std::unique_ptr<GraphTranslator> scope;
  ir::Node* iteration = nullptr;
  ir::Node* condition = nullptr;
  std::vector<OperandType> types;              ///< of the states
  std::vector<std::vector<ir::Node*>> states;  ///< the Parameters that carry each state
  Operands outputs;                            ///< all outputs of the body
};

/// Translates the body until the types of its states fit what it makes of them. Refuses the node when nothing
/// fits.
TranslatedBody translate_to_fixpoint(NodeContext& node, const IteratedBody& body);

/// A scan output: the tensor of one iteration, and the axis of the output that runs over iterations.
struct ScanOutput {
  Value row;
  std::int64_t axis;
  bool wanted;
};

/// The final states and the wanted scan outputs (null where not wanted).
struct LoopResult {
  Operands states;
  Values scans;
};

/// Makes the Loop-5 node. `goes_on` is the body's condition, a boolean scalar of the body; `wanted_states`
/// says whose final value is read.
LoopResult make_loop(NodeContext& node, Value trip_count, Value condition, const IteratedBody& proto,
                     TranslatedBody body, Value goes_on, const std::vector<bool>& wanted_states,
                     const std::vector<ScanOutput>& scans);

}  // namespace onnx2ir::frontend
