// All passes; pipeline.cpp gives their order.
#pragma once

#include "ir/graph.hpp"
#include "passes/pipeline.hpp"

namespace onnx2ir::passes {

/// The passes that apply workarounds for single nodes: those with a stage.
bool legalize_nodes(ir::Model& model, PassContext& context);

bool fold_constants(ir::Model& model, PassContext& context);
bool combine_element_moves(ir::Model& model, PassContext& context);
bool combine_transposes(ir::Model& model, PassContext& context);
bool unmerge_transposes(ir::Model& model, PassContext& context);
bool unflatten_products(ir::Model& model, PassContext& context);
bool group_attention_heads(ir::Model& model, PassContext& context);
bool merge_factors(ir::Model& model, PassContext& context);
bool fuse_activations(ir::Model& model, PassContext& context);
bool fuse_signed_shifts(ir::Model& model, PassContext& context);
bool dequantize_before_moving(ir::Model& model, PassContext& context);
bool make_weights_signed(ir::Model& model, PassContext& context);
bool fuse_quantization(ir::Model& model, PassContext& context);
bool round_sums_once(ir::Model& model, PassContext& context);
bool fuse_layer_normalization(ir::Model& model, PassContext& context);
bool remove_redundant_broadcasts(ir::Model& model, PassContext& context);
bool leave_rounding_to_runtime(ir::Model& model, PassContext& context);
bool remove_integer_round_trips(ir::Model& model, PassContext& context);
bool remove_no_ops(ir::Model& model, PassContext& context);
bool decompose_single_step_lstms(ir::Model& model, PassContext& context);
bool sort_ties_by_index(ir::Model& model, PassContext& context);
bool share_equal_sizes(ir::Model& model, PassContext& context);
bool simplify_conditions(ir::Model& model, PassContext& context);
bool fold_zero_trip_loops(ir::Model& model, PassContext& context);
bool inline_constant_branches(ir::Model& model, PassContext& context);
bool make_unchanged_states_invariant(ir::Model& model, PassContext& context);
bool replace_small_ifs(ir::Model& model, PassContext& context);
bool unroll_short_loops(ir::Model& model, PassContext& context);
bool convert_appends_to_scan_outputs(ir::Model& model, PassContext& context);
bool count_rotation_axes_from_back(ir::Model& model, PassContext& context);
bool move_updates_out_of_branches(ir::Model& model, PassContext& context);
bool remove_dead_states(ir::Model& model, PassContext& context);
bool move_constants_into_bodies(ir::Model& model, PassContext& context);
bool hoist_loop_invariants(ir::Model& model, PassContext& context);
bool fold_condition_into_trip_count(ir::Model& model, PassContext& context);
bool branch_around_loops(ir::Model& model, PassContext& context);
bool unpack_loop_strings(ir::Model& model, PassContext& context);
bool replace_empty_states_by_shapes(ir::Model& model, PassContext& context);
bool skip_idle_loops(ir::Model& model, PassContext& context);
bool guard_zero_iterations(ir::Model& model, PassContext& context);
bool compress_to_fp16(ir::Model& model, PassContext& context);
bool copy_passed_through_states(ir::Model& model, PassContext& context);
bool split_slices(ir::Model& model, PassContext& context);
bool merge_equal_nodes(ir::Model& model, PassContext& context);
bool hide_constant_counts(ir::Model& model, PassContext& context);
bool hide_unfoldable_constants(ir::Model& model, PassContext& context);
bool hide_initial_shapes(ir::Model& model, PassContext& context);
bool guard_empty_inputs(ir::Model& model, PassContext& context);
bool hide_empty_outputs(ir::Model& model, PassContext& context);
bool make_shapes_distinct(ir::Model& model, PassContext& context);
bool unsqueeze_empty_loop_values(ir::Model& model, PassContext& context);
bool wrap_ifs_in_loops(ir::Model& model, PassContext& context);
bool disable_dynamic_quantization(ir::Model& model, PassContext& context);
bool repeat_single_scales(ir::Model& model, PassContext& context);
bool keep_caches_in_variables(ir::Model& model, PassContext& context);
bool keep_constant_caches(ir::Model& model, PassContext& context);
bool separate_outputs(ir::Model& model, PassContext& context);
bool name_ports(ir::Model& model, PassContext& context);
bool fuse_cached_attention(ir::Model& model, PassContext& context);
bool limit_live_values(ir::Model& model, PassContext& context);
bool widen_small_types(ir::Model& model, PassContext& context);
bool separate_padded_strides(ir::Model& model, PassContext& context);
bool separate_random_streams(ir::Model& model, PassContext& context);
bool hide_random_numbers(ir::Model& model, PassContext& context);
bool compute_empty_results(ir::Model& model, PassContext& context);
bool warn_about_newer_operations(ir::Model& model, PassContext& context);
bool warn_about_saturation(ir::Model& model, PassContext& context);
bool warn_about_inexact_numbers(ir::Model& model, PassContext& context);
bool warn_about_wide_integers(ir::Model& model, PassContext& context);

}  // namespace onnx2ir::passes
