// Loops whose iterations need different translations, because a state changes its rank or another rank
// depends on the iteration number. If the trip count is constant, the iterations are emitted one after the
// other; of a long loop the first ones, before a Loop with the others.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "frontend/translators/onnx/control_flow.hpp"

namespace onnx2ir::frontend {

/// A loop whose trip count and initial condition are known at conversion time.
struct CountedLoop {
  const onnx::GraphProto* proto;
  std::int64_t trip_count;  ///< 0 if the initial condition is false
  Operands initial;
  /// Binds the iteration number and the condition.
  std::function<void(GraphTranslator& scope, std::int64_t iteration)> bind_others;
  /// Translates the iterations from number `first` on with one body, if `condition` holds: the outputs of the
  /// node, with scan outputs of these iterations.
  std::function<Operands(const Operands& states, std::int64_t first, Value condition)> translate_rest;
};

/// Calls `translate`, which translates the loop with one body for all iterations. If that fails because of
/// ranks or shapes, emits the iterations of a short loop instead, and the first iterations of a long one.
/// Without iterations, its body is ignored. If that fails as well, reports the errors of `translate`.
Operands translate_or_unroll(NodeContext& node, const std::optional<CountedLoop>& loop,
                             const std::function<Operands()>& translate);

}  // namespace onnx2ir::frontend
