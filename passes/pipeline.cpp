#include "passes/pipeline.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>

#include "ir/inference.hpp"
#include "ir/verifier.hpp"
#include "passes/graph_walk.hpp"
#include "passes/passes.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

using enum PassKind;

constexpr std::array kPipeline = {
    Pass{.name = "round_small_floats",
         .kind = legalize,
         .summary = "Rounds numbers to float8 and float4 before they are converted",
         .run = round_small_floats,
         .faults = {Fault::float4_rounding, Fault::float8_rounding}},
    Pass{.name = "widen_small_types",
         .kind = legalize,
         .summary = "Computes elements of less than 8 bits, and 8-bit floats, in wider types",
         .run = widen_small_types,
         .faults = {Fault::small_type_moves}},
    Pass{.name = "widen_2_bit_types",
         .kind = legalize,
         .summary = "Stores constants of 2 bits in 4, and computes in 8 bits instead of 2",
         .run = widen_2_bit_types,
         .faults = {Fault::two_bit_types}},
    Pass{.name = "decompose_dilated_averages",
         .kind = legalize,
         .summary = "Decomposes AvgPool with dilations",
         .run = decompose_dilated_averages,
         .faults = {Fault::no_average_dilations}},
    Pass{.name = "decompose_einsum_labels",
         .kind = legalize,
         .summary = "Decomposes ellipses, repeated labels and scalars of Einsum",
         .run = decompose_einsum_labels,
         .faults = {Fault::einsum_labels}},
    Pass{.name = "decompose_unsigned_not",
         .kind = legalize,
         .summary = "Replaces BitwiseNot of u16 by BitwiseXor",
         .run = decompose_unsigned_not,
         .faults = {Fault::unsigned_bitwise_not}},
    Pass{.name = "combine_transposes",
         .kind = optimize,
         .summary = "Replaces two Transposes in a row by one",
         .run = combine_transposes},
    Pass{.name = "remove_no_ops",
         .kind = normalize,
         .summary = "Removes operations that change nothing",
         .run = remove_no_ops},
    Pass{.name = "make_unchanged_states_invariant",
         .kind = normalize,
         .summary = "Turns loop-carried values that never change into invariant inputs",
         .run = make_unchanged_states_invariant},
    Pass{.name = "move_constants_into_bodies",
         .kind = normalize,
         .summary = "Clones captured constants into the bodies that read them",
         .run = move_constants_into_bodies},
    Pass{.name = "fold_constants",
         .kind = normalize,
         .summary = "Replaces integers that are known at conversion time by constants",
         .run = fold_constants},
    Pass{.name = "fuse_activations",
         .kind = optimize,
         .summary = "Replaces arithmetic that computes an activation by one operation",
         .run = fuse_activations},
    Pass{.name = "fuse_layer_normalization",
         .kind = optimize,
         .summary = "Replaces arithmetic that normalises by MVN",
         .run = fuse_layer_normalization},
    Pass{.name = "spell_out_single_steps",
         .kind = optimize,
         .summary = "Decomposes an LSTM of one step and a small batch",
         .run = spell_out_single_steps},
    Pass{.name = "move_invariants_out_of_bodies",
         .kind = optimize,
         .summary = "Hoists computations on invariant inputs out of loop bodies",
         .run = move_invariants_out_of_bodies},
    Pass{.name = "simplify_conditions",
         .kind = normalize,
         .summary = "Replaces body conditions that are always true by constants",
         .run = simplify_conditions},
    Pass{.name = "fold_zero_trip_loops",
         .kind = normalize,
         .summary = "Replaces loops with a constant trip count of 0 by their initial values",
         .run = fold_zero_trip_loops},
    Pass{.name = "unroll_short_loops",
         .kind = optimize,
         .summary = "With --unroll-loops: replaces short loops by their iterations",
         .run = unroll_short_loops},
    // Before remove_dead_states, which removes the outputs that nobody reads any more.
    Pass{.name = "move_updates_out_of_branches",
         .kind = optimize,
         .summary = "Appends to a value, or writes elements of it, behind an If instead of in both branches",
         .run = move_updates_out_of_branches},
    Pass{.name = "remove_dead_states",
         .kind = normalize,
         .summary = "Removes unused states, outputs of bodies and captures",
         .run = remove_dead_states},
    Pass{.name = "hide_constant_counts",
         .kind = legalize,
         .summary = "Makes the condition of loops depend on a model input if OpenVINO would fail to evaluate "
                    "them at compile time",
         .run = hide_constant_counts,
         .faults = {Fault::constant_loop_evaluation}},
    Pass{.name = "turn_appends_into_scans",
         .kind = optimize,
         .summary = "Replaces states that are only appended to by scan outputs",
         .run = turn_appends_into_scans},
    Pass{.name = "fold_condition_into_trip_count",
         .kind = legalize,
         .summary = "Folds an initial condition, if the body condition is constant, into the trip count",
         .run = fold_condition_into_trip_count,
         .faults = {Fault::static_scan_rows}},
    Pass{.name = "branch_around_loops",
         .kind = legalize,
         .summary = "Puts loops that may run zero times into an If if an initial value has a shape the "
                    "result cannot have",
         .run = branch_around_loops,
         .faults = {Fault::loop_shapes_from_body}},
    Pass{.name = "guard_empty_inputs",
         .kind = legalize,
         .summary = "Puts string operations and Unique into an If if their input may be empty",
         .run = guard_empty_inputs,
         .faults = {Fault::empty_string_pack, Fault::empty_string_unpack, Fault::empty_unique}},
    // After the passes that make Ifs of dynamic shapes, before the guards of final values, which hide how a
    // state's size changes.
    Pass{.name = "separate_shapes",
         .kind = legalize,
         .summary =
             "Gives results of branches, and initial values of states that grow and shrink, shapes that "
             "tell them from others",
         .run = separate_shapes,
         .faults = {Fault::branch_output_size, Fault::stale_initial_memory}},
    Pass{.name = "skip_idle_loops",
         .kind = legalize,
         .summary = "Does not run loops that only run an inner loop where that would not run",
         .run = skip_idle_loops,
         .faults = {Fault::zero_trip_final_values}},
    Pass{.name = "guard_zero_iterations",
         .kind = legalize,
         .summary = "Selects the right outputs of loops that may run zero times",
         .run = guard_zero_iterations,
         .faults = {Fault::zero_trip_final_values, Fault::zero_trip_scan_outputs,
                    Fault::zero_trip_unread_states}},
    Pass{.name = "copy_passed_through_states",
         .kind = legalize,
         .summary = "Copies states that become the next value of another state",
         .run = copy_passed_through_states,
         .faults = {Fault::sequential_back_edges}},
    Pass{
        .name = "legalize_arithmetic",
        .kind = legalize,
        .summary = "Replaces elementwise operations that the CPU plugin computes wrongly",
        .run = legalize_arithmetic,
        .faults = {Fault::byte_arithmetic, Fault::greater_than_nan, Fault::integer_power, Fault::integer_relu,
                   Fault::narrow_shifts, Fault::neutral_constant_rank, Fault::remainder_bounds}},
    Pass{.name = "legalize_data_movement",
         .kind = legalize,
         .summary = "Replaces operations that move elements and that the CPU plugin gets wrong",
         .run = legalize_data_movement,
         .faults = {Fault::empty_gather, Fault::pad_value_dynamic, Fault::tile_dynamic_rank4}},
    Pass{.name = "merge_equal_nodes",
         .kind = optimize,
         .summary = "Merges nodes that compute the same from the same inputs",
         .run = merge_equal_nodes,
         .keeps_order_and_types = true},
    Pass{.name = "spell_out_abs",
         .kind = legalize,
         .summary = "Decomposes Abs of a concatenated vector that has other uses",
         .run = spell_out_abs,
         .faults = {Fault::abs_in_place}},
    Pass{.name = "widen_infinite_constants",
         .kind = legalize,
         .summary = "Computes in f32 what reads a bf16 constant with infinities",
         .run = widen_infinite_constants,
         .faults = {Fault::bf16_constant_infinity}},
    Pass{
        .name = "raise_reduce_rank",
        .kind = legalize,
        .summary = "Adds an axis to Reduces of three axes if a constant per channel is applied to the result",
        .run = raise_reduce_rank,
        .faults = {Fault::reduce_then_channel_constant}},
    Pass{.name = "widen_one_channel_convolutions",
         .kind = legalize,
         .summary = "Adds an output channel or column to convolutions of one channel that the CPU plugin "
                    "computes wrongly",
         .run = widen_one_channel_convolutions,
         .faults = {Fault::convolution_of_one_channel, Fault::convolution_to_one_column}},
    Pass{.name = "reshape_unit_transposes",
         .kind = legalize,
         .summary = "Replaces Transposes that move only axes of size 1 by Reshapes",
         .run = reshape_unit_transposes,
         .faults = {Fault::empty_unit_transpose}},
    Pass{.name = "run_branches_in_loops",
         .kind = legalize,
         .summary = "Puts an If with outputs of dynamic size into a Loop of one iteration",
         .run = run_branches_in_loops,
         .faults = {Fault::branch_output_memory}},
    // After run_branches_in_loops, which makes loops, and before spell_out_empty_reshapes: what it unsqueezes
    // may have no elements.
    Pass{.name = "unsqueeze_empty_loop_values",
         .kind = legalize,
         .summary = "Passes values that may have the shape [0, 1, ...] through loops with another axis",
         .run = unsqueeze_empty_loop_values,
         .faults = {Fault::empty_loop_vectors}},
    Pass{.name = "spell_out_empty_reshapes",
         .kind = legalize,
         .summary = "Computes the shapes of Unsqueeze and Squeeze of tensors without elements",
         .run = spell_out_empty_reshapes,
         .faults = {Fault::empty_unsqueeze_shape}},
    Pass{.name = "tile_empty_broadcasts",
         .kind = legalize,
         .summary = "Replaces Broadcasts to sizes that may be 0 by Tiles if arithmetic reads them",
         .run = tile_empty_broadcasts,
         .faults = {Fault::empty_broadcast_in_arithmetic}},
    Pass{.name = "hide_initial_shapes",
         .kind = legalize,
         .summary =
             "Makes the initial shape of states dynamic if the runtime would not notice that it changes",
         .run = hide_initial_shapes,
         .faults = {Fault::kept_initial_size, Fault::unnoticed_state_shape}},
    Pass{.name = "hide_empty_outputs",
         .kind = legalize,
         .summary = "Makes sizes of 0 of model outputs of type i64 dynamic",
         .run = hide_empty_outputs,
         .faults = {Fault::empty_i64_output}},
    Pass{.name = "widen_zero_points",
         .kind = legalize,
         .summary = "Stores 4-bit signed zero points of weights in 8 bits",
         .run = widen_zero_points,
         .faults = {Fault::signed_4_bit_zero_points}},
    Pass{.name = "hide_misread_scales",
         .kind = legalize,
         .summary = "Hides quantised weights from the CPU plugin if it would misread their scales",
         .run = hide_misread_scales,
         .faults = {Fault::misread_weight_scales}},
    Pass{.name = "repeat_single_scales",
         .kind = legalize,
         .summary = "Gives quantised weights with one scale a scale for each output",
         .run = repeat_single_scales,
         .faults = {Fault::single_scale_rounding}},
    Pass{.name = "disable_dynamic_quantization",
         .kind = legalize,
         .summary = "Keeps the CPU plugin from rounding the inputs of products with quantised weights",
         .run = disable_dynamic_quantization,
         .faults = {Fault::dynamic_quantization, Fault::partial_rounding_groups}},
    // After merge_equal_nodes: the CPU plugin of old releases does not compile a number that the mask shares
    // with another Select.
    Pass{.name = "convert_attention_masks",
         .kind = legalize,
         .summary = "Converts boolean masks of ScaledDotProductAttention to numbers",
         .run = convert_attention_masks,
         .faults = {Fault::boolean_attention_mask}},
    Pass{.name = "hide_attention_constants",
         .kind = legalize,
         .summary = "Hides from OpenVINO that keys and values of an attention are constant",
         .run = hide_attention_constants,
         .faults = {Fault::attention_constants, Fault::bf16_attention_fusion}},
    Pass{.name = "separate_concat_reductions",
         .kind = legalize,
         .summary = "Keeps OpenVINO from replacing the maximum of a Concat by Maximum of its parts",
         .run = separate_concat_reductions,
         .faults = {Fault::concat_reduction}},
    Pass{.name = "compute_empty_results",
         .kind = legalize,
         .summary = "Computes model outputs that are constants without elements",
         .run = compute_empty_results,
         .faults = {Fault::empty_constant_result}},
    Pass{.name = "warn_about_newer_operations",
         .kind = legalize,
         .summary = "Warns about operations and element types that releases of the target do not have",
         .run = warn_about_newer_operations,
         .faults = {Fault::einsum_labels, Fault::no_average_dilations, Fault::no_float4_inputs,
                    Fault::no_float8_inputs, Fault::no_scale_inputs, Fault::no_uint2}},
    Pass{.name = "warn_about_wide_integers",
         .kind = legalize,
         .summary = "Warns about integers that the CPU plugin truncates to 32 bits",
         .run = warn_about_wide_integers,
         .faults = {Fault::wide_integers}},
    Pass{.name = "compress_to_fp16",
         .kind = optimize,
         .summary = "With --compress_to_fp16: stores floating-point constants in half precision",
         .run = compress_to_fp16},
    // The last one: the CPU plugin and OpenVINO GenAI look for ReadValue, Gather and Concat as they are made
    // here.
    Pass{.name = "keep_caches_in_variables",
         .kind = optimize,
         .summary = "With --stateful: keeps caches that are inputs and outputs in variables of the model",
         .run = keep_caches_in_variables},
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

/// Whether `pass` is to run: a legalisation does only if the target has one of its faults.
bool is_wanted(const Pass& pass, const PassContext& context) {
  if (std::ranges::find(context.skipped, pass.name) != context.skipped.end()) return false;
  return pass.faults.empty() || context.target.has_any(pass.faults);
}

}  // namespace

std::span<const Pass> pipeline() {
  return kPipeline;
}

void run_pipeline(ir::Model& model, PassContext& context) {
  remove_dead_nodes(model);
  for (const Pass& pass : kPipeline) {
    const auto start = std::chrono::steady_clock::now();
    const bool modified = is_wanted(pass, context) && pass.run(model, context);
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
