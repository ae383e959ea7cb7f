#include "passes/pipeline.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>

#include "ir/inference.hpp"
#include "ir/verifier.hpp"
#include "passes/graph_walk.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

constexpr std::array kPipeline = {
    Pass{"widen_small_types", "what has less than 8 bits, or floats of 8, is computed in wider types",
         widen_small_types},
    Pass{"combine_transposes", "a Transpose of a Transpose is one", combine_transposes},
    Pass{"remove_no_ops", "operations that change nothing go", remove_no_ops},
    Pass{"make_unchanged_states_invariant", "states that never change become invariant inputs of their loop",
         make_unchanged_states_invariant},
    Pass{"move_constants_into_bodies", "constants from outside are cloned into bodies",
         move_constants_into_bodies},
    Pass{"fold_constants", "integers known at conversion time become constants", fold_constants},
    Pass{"fuse_activations", "activations spelled out in arithmetic become one operation", fuse_activations},
    Pass{"fuse_layer_normalization", "normalisation spelled out in arithmetic becomes MVN",
         fuse_layer_normalization},
    Pass{"spell_out_single_steps", "an LSTM of one step and a small batch becomes its arithmetic",
         spell_out_single_steps},
    Pass{"move_invariants_out_of_bodies", "what a body computes from invariant inputs alone is computed once",
         move_invariants_out_of_bodies},
    Pass{"simplify_conditions", "body conditions that are always true become constant", simplify_conditions},
    Pass{"fold_zero_trip_loops", "loops that never run give their initial values", fold_zero_trip_loops},
    Pass{"unroll_short_loops", "with --unroll-loops: short loops become their iterations",
         unroll_short_loops},
    Pass{"remove_dead_states", "states, outputs of bodies and captures nobody reads go", remove_dead_states},
    Pass{"hide_constant_counts",
         "loops that the runtime would evaluate beforehand, and cannot, start on a condition",
         hide_constant_counts},
    Pass{"turn_appends_into_scans", "states that are only appended to become scan outputs",
         turn_appends_into_scans},
    Pass{"fold_condition_into_trip_count", "a condition asked only once becomes part of the trip count",
         fold_condition_into_trip_count},
    Pass{"branch_around_loops", "loops that may not run go into an If where initial values fit no result",
         branch_around_loops},
    Pass{"guard_zero_iterations", "outputs of loops that may not run are cut by whether they ran",
         guard_zero_iterations},
    Pass{"copy_passed_through_states", "states handed on to other states are copied",
         copy_passed_through_states},
    Pass{.name = "merge_equal_nodes",
         .summary = "of nodes that compute the same from the same inputs one is left",
         .run = merge_equal_nodes,
         .keeps_order_and_types = true},
    Pass{"spell_out_abs", "the Abs of a vector that the runtime would compute in place is spelled out",
         spell_out_abs},
    Pass{"reshape_unit_transposes", "a Transpose that moves axes of size 1 alone is a Reshape",
         reshape_unit_transposes},
    Pass{"spell_out_empty_reshapes", "Unsqueeze and Squeeze of what has no elements follow from its sizes",
         spell_out_empty_reshapes},
    Pass{"tile_empty_broadcasts", "broadcasts to sizes that may be 0, which arithmetic reads, are tiles",
         tile_empty_broadcasts},
    Pass{"hide_initial_shapes",
         "states whose changing shape the runtime would not notice start with a hidden one",
         hide_initial_shapes},
    Pass{"guard_empty_inputs", "what the runtime leaves out when there are no elements goes into an If",
         guard_empty_inputs},
    Pass{"run_branches_in_loops", "an If whose outputs have run-time sizes runs in a Loop of one iteration",
         run_branches_in_loops},
    Pass{"warn_about_wide_integers", "integers that the CPU runtime cuts to 32 bits are reported",
         warn_about_wide_integers},
    Pass{"compress_to_fp16", "with --compress_to_fp16: floating-point constants are kept in half precision",
         compress_to_fp16},
};

/// Removes what nobody reads, in bodies first: a body may be the last reader of an outer value.
void remove_dead_nodes(ir::Model& model) {
  for (ir::Graph* graph : graphs_of(model)) graph->remove_dead_nodes();
}

void tidy(ir::Model& model, const Pass& pass) {
  if (!pass.keeps_order_and_types) {
    for (ir::Graph* graph : graphs_of(model)) graph->sort();
  }
  remove_dead_nodes(model);
  if (!pass.keeps_order_and_types) ir::infer(model.graph);
}

}  // namespace

std::span<const Pass> pipeline() {
  return kPipeline;
}

void run_pipeline(ir::Model& model, PassContext& context) {
  remove_dead_nodes(model);
  for (const Pass& pass : kPipeline) {
    const auto start = std::chrono::steady_clock::now();
    const bool is_skipped = std::ranges::find(context.skipped, pass.name) != context.skipped.end();
    const bool modified = !is_skipped && pass.run(model, context);
    if (modified) tidy(model, pass);
#ifndef NDEBUG
    const auto problems = ir::verify(model.graph);
    if (!problems.empty())
      throw std::logic_error("after pass " + std::string(pass.name) + ": " + problems.front());
#endif
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (context.finished) context.finished(pass.name, taken.count(), modified);
    if (context.inspect) context.inspect(pass.name, model);
    if (pass.name == context.stop_after) break;
  }
}

}  // namespace onnx2ir::passes
