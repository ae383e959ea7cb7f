#include "passes/pipeline.hpp"

#include <algorithm>
#include <array>

#include "passes/legality/legalize_nodes.hpp"
#include "passes/passes.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

using enum PassKind;
using enum Property;

constexpr Pass pass(PassKind kind, std::string_view name, bool (*run)(ir::Model& model, PassContext& context),
                    std::string_view summary, PassConditions conditions = {}) {
  conditions.faults.add(conditions.loop_faults);
  conditions.faults.add(conditions.if_faults);
  return {conditions, kind, name, run, summary};
}

/// What may no longer hold after a Loop or If has been replaced by nodes of its body.
constexpr PropertySet kBrokenByReplacement = {no_foldable_values, no_unchanged_states, no_captured_constants,
                                              no_unused_outputs, no_unused_captures};

constexpr std::array kPipeline = {
    pass(legalize, "legalize_imported_nodes", legalize_nodes,
         "Applies the workarounds whose results the other passes see", {.stage = Stage::imported}),
    pass(legalize, "widen_small_types", widen_small_types,
         "Computes elements of less than 8 bits, and 8-bit floats, in wider types",
         {.faults = {Fault::small_type_moves}, .consulted = {Fault::float4_transpose}}),
    pass(optimize, "unmerge_transposes", unmerge_transposes,
         "Transposes tensors without merging their leading axes before and splitting them after"),
    pass(optimize, "combine_transposes", combine_transposes, "Replaces two Transposes in a row by one"),
    pass(optimize, "combine_element_moves", combine_element_moves,
         "Replaces several moves of the elements of a short list by one Gather"),
    pass(normalize, "remove_no_ops", remove_no_ops, "Removes operations without effect"),
    pass(normalize, "make_unchanged_states_invariant", make_unchanged_states_invariant,
         "Turns loop-carried values that never change into invariant inputs",
         {.ensured = {no_unchanged_states}}),
    pass(normalize, "move_constants_into_bodies", move_constants_into_bodies,
         "Clones captured constants into the bodies that read them",
         {.ensured = {no_captured_constants}, .repeats_from = "move_constants_into_bodies"}),
    pass(normalize, "fold_constants", fold_constants,
         "Replaces integers that are known at conversion time by constants",
         {.required = {no_captured_constants},
          .ensured = {no_foldable_values},
          .broken = {no_captured_constants},
          .repeats_from = "move_constants_into_bodies"}),
    // A comparison of sizes that are one value now has a known result.
    pass(optimize, "share_equal_sizes", share_equal_sizes, "Reads sizes where they are computed first",
         {.broken = {no_foldable_values}, .repeats_from = "fold_constants"}),
    pass(optimize, "remove_redundant_broadcasts", remove_redundant_broadcasts,
         "Removes Broadcasts to the sizes of another operand of the same elementwise operation"),
    pass(optimize, "dequantize_before_moving", dequantize_before_moving,
         "Dequantises tensors before they are moved instead of after",
         {.repeats_from = "dequantize_before_moving"}),
    pass(optimize, "fuse_quantization", fuse_quantization,
         "Replaces a FakeQuantize to integers and their dequantisation by one FakeQuantize"),
    pass(optimize, "remove_repeated_roundings", remove_repeated_roundings,
         "Removes a FakeQuantize of results of FakeQuantize with the same bounds"),
    pass(optimize, "make_weights_signed", make_weights_signed,
         "Stores u8 weights of products of quantised numbers as i8"),
    // Before fuse_activations.
    pass(optimize, "round_activations_once", round_activations_once,
         "Does not round the parts of an activation, such as Sigmoid(x), if the result is rounded"),
    // Before the passes that change the operations of DynamicQuantizeLinear.
    pass(optimize, "leave_rounding_to_runtime", leave_rounding_to_runtime,
         "Multiplies the numbers before DynamicQuantizeLinear with compressed weights"),
    pass(optimize, "remove_integer_round_trips", remove_integer_round_trips,
         "Removes conversions of integers in f32 to an integer type and back"),
    pass(optimize, "fuse_signed_shifts", fuse_signed_shifts,
         "Replaces shifts of unsigned integers, and bits of the sign, by shifts of signed ones"),
    pass(optimize, "fuse_activations", fuse_activations,
         "Replaces arithmetic that computes an activation by one operation",
         {.required = {no_foldable_values}}),
    pass(optimize, "round_results_once", round_results_once,
         "Clamps a quantised product instead of rounding it if its sum with a bias, or its activation, is "
         "rounded; clamps numbers of 16 bits"),
    pass(optimize, "fuse_layer_normalization", fuse_layer_normalization,
         "Replaces arithmetic that normalises by MVN", {.required = {no_foldable_values}}),
    pass(optimize, "unflatten_products", unflatten_products,
         "Multiplies tensors by a matrix without merging their leading axes before",
         {.broken = {no_foldable_values}}),
    pass(optimize, "merge_factors", merge_factors,
         "Replaces two numbers that scale the operands of a product by one"),
    pass(optimize, "decompose_single_step_lstms", decompose_single_step_lstms,
         "Decomposes an LSTM of one step and a small batch", {.broken = {no_foldable_values}}),
    pass(optimize, "hoist_loop_invariants", hoist_loop_invariants,
         "Hoists computations on invariant inputs out of loop bodies"),
    pass(normalize, "simplify_conditions", simplify_conditions,
         "Replaces body conditions that are always true by constants",
         {.required = {no_captured_constants, no_unchanged_states}}),
    // After fold_constants, which reveals constants; before the passes that replace Ifs.
    pass(normalize, "keep_constant_caches", keep_constant_caches,
         "With --stateful: keeps a cache if a branch returns a constant as its next value"),
    pass(normalize, "inline_constant_branches", inline_constant_branches,
         "Replaces Ifs whose condition is known by the branch that they take",
         {.required = {no_captured_constants},
          .ensured = {no_known_conditions},
          .broken = kBrokenByReplacement,
          .repeats_from = "make_unchanged_states_invariant"}),
    // Also before legalisations alone: OpenVINO evaluates loops that run zero times while it compiles, and
    // fails.
    pass(normalize, "fold_zero_trip_loops", fold_zero_trip_loops,
         "Replaces loops with zero iterations by their initial values",
         {.required = {no_captured_constants},
          .broken = kBrokenByReplacement,
          .repeats_from = "make_unchanged_states_invariant",
          .runs_with_legalizations = true}),
    pass(optimize, "replace_small_ifs", replace_small_ifs,
         "Replaces Ifs that choose between a few numbers by Selects",
         {.required = {no_known_conditions},
          .broken = kBrokenByReplacement,
          .repeats_from = "make_unchanged_states_invariant"}),
    pass(optimize, "unroll_short_loops", unroll_short_loops,
         "With --unroll-loops: replaces short loops by their iterations",
         {.required = {no_captured_constants},
          .broken = {no_captured_constants, no_foldable_values, no_unchanged_states},
          .repeats_from = "make_unchanged_states_invariant"}),
    pass(optimize, "move_updates_out_of_branches", move_updates_out_of_branches,
         "Moves appends and element writes from the branches of an If to after the If",
         {.broken = {no_unused_outputs, no_unused_captures}, .consulted = {Fault::branch_output_size}}),
    pass(normalize, "remove_dead_states", remove_dead_states,
         "Removes unused states, outputs of bodies and captures",
         {.ensured = {no_unused_outputs, no_unused_captures}, .repeats_from = "remove_dead_states"}),
    // After the passes that reveal sizes and counts.
    pass(optimize, "sort_ties_by_index", sort_ties_by_index,
         "Replaces a stable TopK by several that are not stable, or by one if its indices are unused",
         {.broken = {no_foldable_values}}),
    pass(optimize, "decompose_dilated_pools", decompose_dilated_pools,
         "Replaces a dilated MaxPool without indices by the maximum of shifted Slices",
         {.broken = {no_foldable_values}}),
    pass(legalize, "hide_constant_counts", hide_constant_counts,
         "Makes the condition of loops depend on a model input if OpenVINO cannot evaluate them at "
         "compile time",
         {.loop_faults = {Fault::constant_loop_evaluation}}),
    pass(optimize, "convert_appends_to_scan_outputs", convert_appends_to_scan_outputs,
         "Replaces states that are only appended to by scan outputs",
         {.required = {no_unused_outputs, no_unused_captures}, .broken = {no_foldable_values}}),
    pass(legalize, "fold_condition_into_trip_count", fold_condition_into_trip_count,
         "Folds an initial condition, if the body condition is constant, into the trip count",
         {.ensured = {no_open_conditions}, .loop_faults = {Fault::static_scan_rows}}),
    // Before the passes that split or slice stacked rows.
    pass(legalize, "stack_empty_rows_first", stack_empty_rows_first,
         "Stacks rows of a loop that may be empty along their first axis",
         {.loop_faults = {Fault::empty_stacked_rows}}),
    pass(legalize, "unpack_loop_strings", unpack_loop_strings,
         "Passes strings through the ports of loops as positions and bytes",
         {.loop_faults = {Fault::loops_take_no_strings}}),
    pass(legalize, "replace_empty_states_by_shapes", replace_empty_states_by_shapes,
         "Replaces states that are always empty by their shapes",
         {.loop_faults = {Fault::empty_state_shape, Fault::unnoticed_state_shape}}),
    pass(legalize, "skip_idle_loops", skip_idle_loops,
         "Skips loops whose body only runs an inner loop with zero iterations",
         {.loop_faults = {Fault::zero_trip_final_values}}),
    pass(legalize, "branch_around_loops", branch_around_loops,
         "Puts loops that may run zero times into an If if an initial value does not fit the shape "
         "of the final value",
         {.broken = {no_unused_captures}, .loop_faults = {Fault::loop_shapes_from_body}}),
    pass(legalize, "guard_empty_inputs", guard_empty_inputs,
         "Puts string operations and Unique into an If if their input may be empty",
         {.faults = {Fault::empty_string_pack, Fault::empty_string_unpack, Fault::empty_unique},
          .consulted = {Fault::empty_reshape_in_first_run}}),
    // After the passes that make Ifs with dynamic shapes. Guards would hide that the size of a state changes.
    pass(legalize, "make_shapes_distinct", make_shapes_distinct,
         "Gives distinct shapes to results of branches, and to initial values of states that grow and "
         "shrink",
         {.required = {no_guarded_outputs},
          .loop_faults = {Fault::stale_initial_memory},
          .if_faults = {Fault::branch_output_size}}),
    pass(legalize, "guard_zero_iterations", guard_zero_iterations,
         "Selects the right outputs if a loop runs zero times",
         {.broken = {no_guarded_outputs},
          .loop_faults = {Fault::zero_trip_final_values, Fault::zero_trip_scan_outputs,
                          Fault::zero_trip_sizes, Fault::zero_trip_unread_states}}),
    pass(legalize, "copy_passed_through_states", copy_passed_through_states,
         "Copies states that become the next value of another state",
         {.ensured = {no_passed_through_states},
          .loop_faults = {Fault::captured_next_state, Fault::sequential_back_edges}}),
    pass(legalize, "warn_about_inexact_numbers", warn_about_inexact_numbers,
         "Warns about integers and infinities that the CPU plugin rounds to f32",
         {.faults = {Fault::wide_integers}}),
    pass(legalize, "decompose_group_normalizations", decompose_group_normalizations,
         "Replaces GroupNormalizations in the bodies of loops and branches by MVN",
         {.faults = {Fault::group_normalization_in_body}}),
    pass(legalize, "legalize_operations", legalize_nodes,
         "Applies the workarounds for operations that the runtime computes wrongly",
         {.stage = Stage::operations}),
    pass(optimize, "split_slices", split_slices,
         "Replaces Slices of values of dynamic shape by VariadicSplits"),
    pass(optimize, "merge_equal_nodes", merge_equal_nodes,
         "Merges nodes that compute the same from the same inputs", {.keeps_order_and_types = true}),
    pass(legalize, "wrap_ifs_in_loops", wrap_ifs_in_loops,
         "Puts an If with outputs of dynamic size into a Loop of one iteration",
         {.if_faults = {Fault::branch_output_memory}, .consulted = {Fault::loops_take_no_strings}}),
    // After wrap_ifs_in_loops, which makes loops. Before legalize_kernels, which decomposes Unsqueezes of
    // values that may be empty.
    pass(legalize, "unsqueeze_empty_loop_values", unsqueeze_empty_loop_values,
         "Adds an axis to values of loops that may have the shape [0, 1, ...]",
         {.loop_faults = {Fault::empty_loop_vectors}}),
    pass(legalize, "legalize_kernels", legalize_nodes,
         "Applies all workarounds for single nodes, until none is affected", {.stage = Stage::kernels}),
    // After the passes that emit Reshapes of captured values.
    pass(legalize, "copy_updated_invariants", copy_updated_invariants,
         "Copies values that are the same in all iterations of a loop if they may be updated in place",
         {.loop_faults = {Fault::updated_invariants}}),
    pass(legalize, "copy_updated_states", copy_updated_states,
         "Copies states in whose memory the next value of another state may be computed",
         {.loop_faults = {Fault::sequential_back_edges}}),
    pass(legalize, "hide_initial_shapes", hide_initial_shapes,
         "Makes the initial shape of states dynamic if the runtime does not notice its changes, and equal "
         "to no other shape",
         {.loop_faults = {Fault::equal_initial_sizes, Fault::kept_initial_size,
                          Fault::unnoticed_state_shape}}),
    pass(legalize, "hide_empty_outputs", hide_empty_outputs,
         "Makes sizes of 0 of model outputs of type i64 dynamic", {.faults = {Fault::empty_i64_output}}),
    pass(legalize, "repeat_single_scales", repeat_single_scales,
         "Repeats a single scale of quantised weights for each output",
         {.faults = {Fault::single_scale_rounding}}),
    pass(legalize, "disable_dynamic_quantization", disable_dynamic_quantization,
         "Keeps the CPU plugin from rounding the inputs of products with quantised weights, if one of them "
         "must be exact",
         {.faults = {Fault::dynamic_quantization, Fault::partial_rounding_groups}}),
    pass(optimize, "choose_rounding_groups", choose_rounding_groups,
         "Chooses the groups in which the CPU plugin rounds the inputs of products with quantised weights"),
    pass(legalize, "separate_strides", separate_strides,
         "Keeps OpenVINO from moving the stride of a Convolution before its pads, to an operation with "
         "several outputs, or to a Convolution of one channel whose result then has one column",
         {.faults = {Fault::convolution_to_one_column, Fault::stride_before_pad, Fault::stride_to_part}}),
    pass(legalize, "separate_random_streams", separate_random_streams,
         "Gives RandomUniforms without seeds seeds of their own, and shifts their numbers",
         {.faults = {Fault::equal_random_numbers}}),
    pass(legalize, "hide_random_numbers", hide_random_numbers,
         "Keeps OpenVINO from drawing random numbers while it compiles the model",
         {.faults = {Fault::folded_random_numbers}}),
    pass(legalize, "limit_live_values", limit_live_values,
         "Ends elementwise operations that need more registers than the CPU has",
         {.faults = {Fault::many_live_values}}),
    // After the passes that make loops and sizes.
    pass(legalize, "hide_unfoldable_constants", hide_unfoldable_constants,
         "Computes loops of constants, and operations on constants whose output has a dynamic shape, "
         "at run time",
         {.faults = {Fault::dynamic_constant_shapes}, .loop_faults = {Fault::constant_loop_operations}}),
    pass(legalize, "compute_empty_results", compute_empty_results,
         "Computes model outputs that are empty constants at run time",
         {.faults = {Fault::empty_constant_result}}),
    pass(legalize, "warn_about_newer_operations", warn_about_newer_operations,
         "Warns about operations and element types that releases of the target lack",
         {.faults = {Fault::einsum_labels, Fault::no_average_dilations, Fault::no_dynamic_transforms,
                     Fault::no_float4_inputs, Fault::no_float8_inputs, Fault::no_scale_inputs,
                     Fault::no_uint2}}),
    pass(legalize, "warn_about_saturation", warn_about_saturation,
         "Warns about products of integers that saturate on CPUs without VNNI",
         {.faults = {Fault::saturated_products}}),
    pass(legalize, "warn_about_misread_filters", warn_about_misread_filters,
         "Warns about quantised convolutions that CPUs with AMX compute wrongly in small images",
         {.faults = {Fault::misread_filters}}),
    pass(legalize, "warn_about_wide_integers", warn_about_wide_integers,
         "Warns about integers that the CPU plugin truncates to 32 bits", {.faults = {Fault::wide_integers}}),
    pass(optimize, "compress_to_fp16", compress_to_fp16,
         "With --compress_to_fp16: stores floating-point constants in half precision",
         {.broken = {no_foldable_values}}),
    pass(optimize, "count_rotation_axes_from_back", count_rotation_axes_from_back,
         "Counts the axis from the back where halves of a rotary embedding are joined"),
    // After all passes that change caches or attention: the CPU plugin and OpenVINO GenAI match ReadValue,
    // Gather, Concat and attention as they are emitted here.
    pass(optimize, "keep_caches_in_variables", keep_caches_in_variables,
         "With --stateful: keeps caches that are inputs and outputs in variables of the model",
         {.broken = {no_foldable_values}, .faults = {Fault::initial_variable_size, Fault::wide_variables}}),
    pass(optimize, "fuse_cached_attention", fuse_cached_attention,
         "With --stateful: replaces MatMul, SoftMax and MatMul on caches by one attention",
         {.broken = {no_foldable_values},
          .faults = {Fault::attention_mask_sizes, Fault::cached_attention_mask}}),
    // After fuse_cached_attention, which needs the repeated heads.
    pass(optimize, "group_attention_heads", group_attention_heads,
         "Multiplies with keys and values that several heads share without repeating them",
         {.broken = {no_foldable_values}}),
    pass(normalize, "separate_outputs", separate_outputs,
         "Gives outputs of the model that share a value with other ports a value of their own"),
    // After the passes that fuse arithmetic.
    pass(
        legalize, "keep_integers_exact", keep_integers_exact,
        "Keeps numbers that become sizes, other integers or angles in their type where the model computes in "
        "bf16 or f16",
        {.faults = {Fault::rounded_sizes}, .keeps_order_and_types = true}),
    pass(legalize, "legalize_remaining_nodes", legalize_nodes,
         "Applies all workarounds for single nodes again, to what later passes have emitted or hidden",
         {.stage = Stage::kernels}),
    // The last one: others join the names of tensors.
    pass(normalize, "name_ports", name_ports, "Gives inputs and outputs of the model their ONNX names only",
         {.keeps_order_and_types = true, .changes_names_only = true}),
};

}  // namespace

std::span<const Pass> pipeline() {
  return kPipeline;
}

target::FaultSet faults_of(const Pass& pass) {
  target::FaultSet faults = pass.faults;
  if (pass.stage) faults.add(faults_up_to(*pass.stage));
  return faults;
}

PropertySet broken_by(const Pass& pass) {
  PropertySet broken = pass.broken;
  if (pass.kind == legalize) broken.add(kNormalForm);
  return broken;
}

PropertySet lasting_properties() {
  PropertySet lasting = {no_unused_nodes};
  for (const Pass& pass : kPipeline) {
    if (pass.kind == legalize) lasting.add(pass.ensured);
  }
  return lasting;
}

const Pass* find_pass(std::string_view name) {
  const auto* const found = std::ranges::find(kPipeline, name, &Pass::name);
  return found == kPipeline.end() ? nullptr : &*found;
}

}  // namespace onnx2ir::passes
