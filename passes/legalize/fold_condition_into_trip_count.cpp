// If only the initial condition can prevent a loop from running, the trip count becomes Select(condition,
// trip count, 0). Otherwise the runtime infers as many scan rows as the trip count, and returns uninitialised
// memory if the condition is false. If the loop ends after the first iteration, the trip count becomes at
// most 1. Otherwise the runtime infers one row although the loop may run zero times.
#include <algorithm>

#include "passes/analysis/constant_values.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// The minimum of `count` and 1; a negative `count` means no limit.
ir::Value limit_to_one(ir::Builder& builder, ir::Value count) {
  const ir::Value once = builder.integer(1, count.type());
  const auto known = ir::known_scalar(count);
  if (known) return *known == 0 ? count : once;
  if (are_at_least(count, 0)) return builder.op(ops::Minimum, {count, once});
  const ir::Value is_none = builder.op(ops::Equal, {count, builder.integer(0, count.type())});
  return builder.op(ops::Select, {is_none, count, once});
}

void end_by_count(ir::Builder& builder, ir::LoopView loop) {
  ir::Builder body(loop.graph());
  if (ir::count_roles(loop.body(), *loop.body().condition) > 0) {
    loop.body().condition = &body.result(body.boolean(true));
  } else {
    loop.body().condition->set_input(0, body.boolean(true));
  }
  loop.set_trip_count(limit_to_one(builder, loop.trip_count()));
}

void start_by_count(ir::Builder& builder, ir::LoopView loop) {
  const ir::Value count = loop.trip_count();
  loop.set_trip_count(builder.op(ops::Select, {loop.condition(), count, builder.integer(0, count.type())}));
  loop.set_condition(builder.boolean(true));
}

bool run_on(ir::LoopView loop) {
  ir::Builder builder = ir::builder_beside(loop.node());
  const auto continues = ir::known_scalar(loop.next_condition());
  if (!continues) return false;
  const bool ends = *continues == 0;
  if (ends) end_by_count(builder, loop);
  const bool is_open = !ir::known_scalar(loop.condition());
  if (is_open) start_by_count(builder, loop);
  return ends || is_open;
}

}  // namespace

bool fold_condition_into_trip_count(ir::Model& model, PassContext&) {
  return edit_each(loops_of(model), run_on);
}

}  // namespace onnx2ir::passes
