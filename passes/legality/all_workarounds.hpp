// The functions of passes/workarounds: each returns the workaround with its name.
#pragma once

#include <vector>

#include "passes/legality/workaround.hpp"

namespace onnx2ir::passes {

Workaround combine_double_constants();
Workaround compute_small_results();
Workaround convert_attention_masks();
Workaround count_indices_from_start();
Workaround count_pads();
Workaround count_slice_axes_from_front();
Workaround decompose_dilated_averages();
Workaround decompose_einsum_labels();
Workaround decompose_empty_unsqueezes();
Workaround decompose_in_place_abs();
Workaround decompose_local_responses();
Workaround decompose_unsigned_not();
Workaround decompose_unsigned_shifts();
Workaround draw_scalars_as_vectors();
Workaround fill_empty_results();
Workaround gather_from_single_batches();
Workaround hide_attention_constants();
Workaround hide_misread_scales();
Workaround hide_pad_bounds();
Workaround hide_slice_ends();
Workaround legalize_arithmetic();
Workaround legalize_data_movement();
Workaround limit_fused_chains();
Workaround move_strings_by_gather();
Workaround pad_indexed_pools();
Workaround pad_string_bytes();
Workaround pad_unread_data();
Workaround raise_product_rank();
Workaround raise_reduce_rank();
Workaround reshape_empty_results();
Workaround reshape_unit_transposes();
Workaround round_signed_inputs();
Workaround round_small_floats();
Workaround scale_attention_queries();
Workaround select_one_at_least();
Workaround separate_column_constants();
Workaround separate_concat_reductions();
Workaround separate_consecutive_products();
Workaround separate_constant_sums();
Workaround separate_disjoint_clamps();
Workaround separate_empty_broadcasts();
Workaround separate_fused_attentions();
Workaround separate_fused_convolutions();
Workaround separate_fused_operations();
Workaround separate_fused_reductions();
Workaround separate_group_filters();
Workaround separate_narrow_norms();
Workaround separate_output_conversions();
Workaround separate_overflowing_constants();
Workaround separate_quantized_channels();
Workaround separate_quantized_conversions();
Workaround separate_quantized_gathers();
Workaround separate_quantized_inputs();
Workaround separate_quantized_operations();
Workaround separate_quantized_products();
Workaround separate_reduced_divisions();
Workaround separate_reshape_sizes();
Workaround separate_shuffled_channels();
Workaround separate_split_convolutions();
Workaround separate_transposed_parts();
Workaround separate_unsqueezed_reductions();
Workaround separate_zero_points();
Workaround set_sequence_batches();
Workaround sort_unique_elements();
Workaround squeeze_unit_gathers();
Workaround widen_2_bit_types();
Workaround widen_infinite_constants();
Workaround widen_one_channel_convolutions();
Workaround widen_zero_points();

/// The results of all of them, in this order.
std::vector<Workaround> all_workarounds();

}  // namespace onnx2ir::passes
