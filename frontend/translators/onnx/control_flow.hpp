// What Loop and If share: conditions, and bodies translated as scopes of their own.
#pragma once

#include <memory>
#include <string_view>

#include "frontend/graph/graph_translator.hpp"
#include "frontend/translators/context.hpp"

namespace onnx2ir::frontend {

/// `value` with one element as a scalar of `type`; refuses the node, naming `what`, when it cannot have one
/// element.
Value as_scalar(NodeContext& node, Builder& builder, Value value, ElementType type, std::string_view what);

/// Connects the outer values that the body behind `captures` uses: appends them as inputs to `node`, records
/// each in `invariants`. Parameters nobody reads any more are removed from the body.
void connect_captures(ir::Node& node, const std::vector<Capture>& captures,
                      std::vector<ir::Invariant>& invariants);

/// Element type and shape for messages: "f32[2,?]".
std::string describe(Value value);

}  // namespace onnx2ir::frontend
