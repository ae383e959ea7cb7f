// A loop that only its first condition can keep from running counts to Select(condition, trip count, 0)
// instead. The runtime would infer as many scan rows as the trip count says, and return memory nobody wrote
// when the condition is false.
#include "ir/builder.hpp"
#include "ir/inference.hpp"
#include "passes/graph_walk.hpp"
#include "passes/loop_ports.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {

bool fold_condition_into_trip_count(ir::Model& model, PassContext&) {
  bool modified = false;
  for (ir::Node* node : loops_of(model)) {
    const auto goes_on = ir::known_scalar(node->loop()->condition->input(0));
    const bool no_early_exit = goes_on && *goes_on != 0;
    if (!no_early_exit || ir::known_scalar(node->input(1))) continue;
    ir::Builder builder(node->graph());
    builder.set_name(node->name);
    const ir::Value count =
        builder.op("Select", {node->input(1), node->input(0), builder.integer(0, node->input(0).type())});
    node->set_input(0, count);
    node->set_input(1, builder.boolean(true));
    modified = true;
  }
  return modified;
}

}  // namespace onnx2ir::passes
