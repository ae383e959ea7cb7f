// The releases in which the experiments of tests/faults found each fault. Written by `./dev faults --update`;
// do not edit.
#include <array>

#include "target/faults.hpp"

namespace onnx2ir::target {
namespace {

// clang-format off
constexpr auto kOccurrences = std::to_array<FaultOccurrence>({
    {Fault::abs_in_place, {2024, 6}, std::nullopt, ""},
    {Fault::attention_constants, {2025, 2}, Release{2026, 0}, ""},
    {Fault::attention_mask_sizes, {2025, 4}, std::nullopt, ""},
    {Fault::attention_scale_rounding, {2025, 2}, std::nullopt, ""},
    {Fault::bf16_attention_fusion, {2025, 2}, std::nullopt, "AVX512_CORE_BF16 AVX512_CORE_AMX"},
    {Fault::bf16_constant_infinity, {2024, 6}, std::nullopt, "AVX2"},
    {Fault::boolean_attention_mask, {2024, 6}, Release{2025, 2}, ""},
    {Fault::branch_output_memory, {2025, 1}, std::nullopt, ""},
    {Fault::branch_output_size, {2024, 6}, Release{2026, 3}, ""},
    {Fault::byte_arithmetic, {2024, 6}, std::nullopt, ""},
    {Fault::cached_attention_mask, {2024, 6}, std::nullopt, ""},
    {Fault::col2im_run_time_sizes, {2024, 6}, Release{2025, 4}, ""},
    {Fault::concat_reduction, {2024, 6}, Release{2026, 0}, ""},
    {Fault::consecutive_double_products, {2024, 6}, std::nullopt, ""},
    {Fault::constant_batch_broadcast, {2024, 6}, std::nullopt, ""},
    {Fault::constant_initial_state, {2024, 6}, std::nullopt, ""},
    {Fault::constant_loop_evaluation, {2024, 6}, std::nullopt, ""},
    {Fault::constant_loop_operations, {2024, 6}, std::nullopt, ""},
    {Fault::convolution_dynamic_filter, {2024, 6}, std::nullopt, ""},
    {Fault::convolution_of_one_channel, {2024, 6}, std::nullopt, "AVX2"},
    {Fault::convolution_to_one_column, {2024, 6}, std::nullopt, "AVX512_CORE AVX512_CORE_VNNI AVX512_CORE_AMX"},
    {Fault::division_by_reciprocal, {2024, 6}, std::nullopt, ""},
    {Fault::dropped_double_constant, {2024, 6}, std::nullopt, ""},
    {Fault::dynamic_column_constants, {2024, 6}, std::nullopt, ""},
    {Fault::dynamic_constant_shapes, {2024, 6}, std::nullopt, ""},
    {Fault::dynamic_quantization, {2024, 6}, std::nullopt, "AVX512_CORE AVX512_CORE_VNNI AVX512_CORE_BF16 AVX512_CORE_AMX"},
    {Fault::dynamic_sequence_lengths, {2024, 6}, std::nullopt, ""},
    {Fault::einsum_labels, {2024, 6}, Release{2025, 1}, ""},
    {Fault::empty_broadcast_folding, {2024, 6}, std::nullopt, ""},
    {Fault::empty_broadcast_in_arithmetic, {2024, 6}, std::nullopt, ""},
    {Fault::empty_concat_part, {2024, 6}, std::nullopt, ""},
    {Fault::empty_constant_result, {2024, 6}, Release{2024, 6}, ""},
    {Fault::empty_gather, {2024, 6}, std::nullopt, ""},
    {Fault::empty_i64_output, {2024, 6}, Release{2025, 3}, ""},
    {Fault::empty_loop_vectors, {2024, 6}, Release{2025, 3}, ""},
    {Fault::empty_product, {2024, 6}, std::nullopt, ""},
    {Fault::empty_reshape_in_first_run, {2024, 6}, std::nullopt, ""},
    {Fault::empty_state_shape, {2026, 3}, std::nullopt, ""},
    {Fault::empty_string_bytes, {2024, 6}, Release{2024, 6}, ""},
    {Fault::empty_string_pack, {2024, 6}, std::nullopt, ""},
    {Fault::empty_string_unpack, {2024, 6}, std::nullopt, ""},
    {Fault::empty_tile_folding, {2024, 6}, std::nullopt, ""},
    {Fault::empty_unique, {2024, 6}, std::nullopt, ""},
    {Fault::empty_unit_transpose, {2024, 6}, std::nullopt, ""},
    {Fault::empty_unsqueeze_shape, {2024, 6}, std::nullopt, ""},
    {Fault::equal_random_numbers, {2024, 6}, Release{2025, 1}, ""},
    {Fault::extremum_of_infinities, {2024, 6}, std::nullopt, ""},
    {Fault::float4_rounding, {2024, 6}, Release{2025, 2}, ""},
    {Fault::float4_transpose, {2025, 2}, std::nullopt, ""},
    {Fault::float8_rounding, {2024, 6}, std::nullopt, ""},
    {Fault::folded_random_numbers, {2024, 6}, std::nullopt, ""},
    {Fault::greater_than_nan, {2024, 6}, std::nullopt, "AVX512_CORE AVX512_CORE_VNNI AVX512_CORE_AMX"},
    {Fault::infinity_check_broadcast, {2024, 6}, std::nullopt, "AVX2"},
    {Fault::initial_variable_size, {2025, 0}, std::nullopt, ""},
    {Fault::integer_power, {2024, 6}, std::nullopt, ""},
    {Fault::integer_reduce_then_constant, {2024, 6}, std::nullopt, ""},
    {Fault::integer_reduce_then_division, {2024, 6}, std::nullopt, ""},
    {Fault::integer_relu, {2024, 6}, std::nullopt, ""},
    {Fault::kept_initial_size, {2024, 6}, Release{2026, 2}, ""},
    {Fault::long_fused_chains, {2024, 6}, std::nullopt, ""},
    {Fault::loop_shapes_from_body, {2024, 6}, std::nullopt, ""},
    {Fault::loops_take_no_strings, {2024, 6}, std::nullopt, ""},
    {Fault::lrn_even_size, {2024, 6}, std::nullopt, ""},
    {Fault::lrn_fractional_bias, {2024, 6}, std::nullopt, ""},
    {Fault::merged_slice_axes, {2024, 6}, Release{2025, 2}, ""},
    {Fault::misread_weight_scales, {2025, 0}, std::nullopt, ""},
    {Fault::mod_by_infinity, {2024, 6}, std::nullopt, ""},
    {Fault::moved_strings, {2024, 6}, std::nullopt, ""},
    {Fault::narrow_shifts, {2024, 6}, Release{2025, 3}, ""},
    {Fault::negative_gather_elements, {2024, 6}, Release{2025, 2}, ""},
    {Fault::negative_run_time_pads, {2024, 6}, std::nullopt, ""},
    {Fault::neutral_constant_rank, {2024, 6}, std::nullopt, ""},
    {Fault::nms_equal_overlap, {2024, 6}, std::nullopt, ""},
    {Fault::no_average_dilations, {2024, 6}, Release{2025, 2}, ""},
    {Fault::no_float4_inputs, {2024, 6}, Release{2025, 1}, ""},
    {Fault::no_float8_inputs, {2024, 6}, Release{2024, 6}, ""},
    {Fault::no_scale_inputs, {2024, 6}, Release{2025, 1}, ""},
    {Fault::no_uint2, {2024, 6}, Release{2026, 3}, ""},
    {Fault::pad_value_dynamic, {2024, 6}, std::nullopt, ""},
    {Fault::partial_rounding_groups, {2024, 6}, Release{2025, 0}, "AVX512_CORE_VNNI AVX512_CORE_BF16 AVX512_CORE_AMX"},
    {Fault::range_away_from_limit, {2024, 6}, std::nullopt, ""},
    {Fault::reassociated_zero_point, {2024, 6}, std::nullopt, ""},
    {Fault::reduce_then_channel_constant, {2024, 6}, std::nullopt, ""},
    {Fault::remainder_bounds, {2024, 6}, std::nullopt, ""},
    {Fault::repeated_multinomial, {2024, 6}, std::nullopt, ""},
    {Fault::roi_align_no_samples, {2024, 6}, std::nullopt, ""},
    {Fault::rounded_constant_sum, {2024, 6}, std::nullopt, ""},
    {Fault::saturated_products, {2024, 6}, std::nullopt, "AVX2 AVX512_CORE"},
    {Fault::saturating_conversions, {2024, 6}, Release{2025, 3}, ""},
    {Fault::scalar_random_numbers, {2024, 6}, std::nullopt, ""},
    {Fault::scalar_reshape_of_product, {2024, 6}, std::nullopt, ""},
    {Fault::scaled_group_filters, {2024, 6}, std::nullopt, ""},
    {Fault::sequential_back_edges, {2024, 6}, std::nullopt, ""},
    {Fault::shuffle_channels_groups, {2024, 6}, std::nullopt, ""},
    {Fault::signed_4_bit_zero_points, {2024, 6}, Release{2025, 3}, ""},
    {Fault::single_scale_rounding, {2024, 6}, Release{2024, 6}, "AVX512_CORE_VNNI AVX512_CORE_BF16 AVX512_CORE_AMX"},
    {Fault::skipped_gather, {2024, 6}, std::nullopt, ""},
    {Fault::small_product_constants, {2024, 6}, std::nullopt, ""},
    {Fault::small_type_moves, {2024, 6}, std::nullopt, ""},
    {Fault::stale_empty_shapes, {2024, 6}, std::nullopt, ""},
    {Fault::stale_initial_memory, {2024, 6}, std::nullopt, ""},
    {Fault::static_scan_rows, {2024, 6}, std::nullopt, ""},
    {Fault::stride_before_pad, {2024, 6}, std::nullopt, ""},
    {Fault::tile_dynamic_rank4, {2024, 6}, std::nullopt, ""},
    {Fault::tile_of_one_channel, {2026, 1}, std::nullopt, ""},
    {Fault::topk_of_zero, {2024, 6}, std::nullopt, ""},
    {Fault::total_of_transpose, {2024, 6}, Release{2025, 0}, ""},
    {Fault::transposed_strings, {2024, 6}, Release{2026, 1}, ""},
    {Fault::two_bit_types, {2024, 6}, Release{2026, 3}, ""},
    {Fault::unique_order, {2024, 6}, std::nullopt, ""},
    {Fault::unnoticed_state_shape, {2024, 6}, std::nullopt, ""},
    {Fault::unsigned_bitwise_not, {2024, 6}, Release{2025, 3}, ""},
    {Fault::wide_integers, {2024, 6}, std::nullopt, ""},
    {Fault::wide_variables, {2025, 0}, std::nullopt, ""},
    {Fault::zero_step_states, {2024, 6}, std::nullopt, ""},
    {Fault::zero_trip_final_values, {2024, 6}, Release{2026, 3}, ""},
    {Fault::zero_trip_scan_outputs, {2024, 6}, std::nullopt, ""},
    {Fault::zero_trip_unread_states, {2024, 6}, std::nullopt, ""},
});
// clang-format on

constexpr bool is_in_order(std::span<const FaultOccurrence> occurrences) {
  for (std::size_t i = 0; i < occurrences.size(); ++i) {
    if (static_cast<std::size_t>(occurrences[i].fault) != i) return false;
  }
  return true;
}
static_assert(is_in_order(kOccurrences), "the rows must have the order of the enumeration");

}  // namespace

std::span<const FaultOccurrence> all_occurrences() {
  return kOccurrences;
}

}  // namespace onnx2ir::target
