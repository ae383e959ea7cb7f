// The faults of OpenVINO's runtime, as data. Each fault has an experiment that uses the runtime alone
// (tests/faults) and that reports when a release has fixed the fault. A workaround names its fault and runs
// only if the target has it: `target.has(Fault::zero_trip_final_values)`.
//
// To add a fault: its name here, its row in faults.cpp, its experiment in tests/faults, then
// `./dev faults --update`, which measures the releases and rewrites fault_occurrences.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "target/fault_set.hpp"
#include "target/release.hpp"

namespace onnx2ir::target {

/// In alphabetical order, like the rows of faults.cpp and fault_occurrences.cpp.
enum class Fault : std::uint8_t {
  abs_in_place,
  activation_before_pool,
  attention_broadcast,
  attention_constants,
  attention_mask_sizes,
  attention_output_rank,
  attention_scale_rounding,
  bf16_attention_fusion,
  bf16_constant_infinity,
  boolean_attention_mask,
  branch_output_memory,
  branch_output_size,
  byte_arithmetic,
  cached_attention_mask,
  channels_from_factor,
  col2im_run_time_sizes,
  concat_reduction,
  consecutive_double_products,
  consecutive_unit_products,
  constant_batch_broadcast,
  constant_initial_state,
  constant_loop_evaluation,
  constant_loop_operations,
  convolution_dynamic_filter,
  convolution_of_one_channel,
  convolution_sum_shape,
  convolution_to_one_column,
  division_by_reciprocal,
  double_constant_sums,
  dropped_double_constant,
  dynamic_attention_mask,
  dynamic_attention_values,
  dynamic_column_constants,
  dynamic_constant_shapes,
  dynamic_quantization,
  dynamic_sequence_lengths,
  einsum_labels,
  empty_broadcast_folding,
  empty_broadcast_in_arithmetic,
  empty_concat_part,
  empty_constant_result,
  empty_gather,
  empty_i64_output,
  empty_loop_vectors,
  empty_product,
  empty_reshape_in_first_run,
  empty_state_shape,
  empty_string_bytes,
  empty_string_pack,
  empty_string_unpack,
  empty_tile_folding,
  empty_unique,
  empty_unit_transpose,
  empty_unsqueeze_shape,
  equal_random_numbers,
  extremum_of_infinities,
  factor_along_kernel,
  float4_rounding,
  float4_transpose,
  float8_rounding,
  folded_random_numbers,
  gather_of_one_batch,
  gathered_unsqueeze,
  greater_than_nan,
  infinity_check_broadcast,
  initial_variable_size,
  integer_power,
  integer_reduce_then_constant,
  integer_reduce_then_division,
  integer_relu,
  kept_initial_size,
  long_fused_chains,
  loop_shapes_from_body,
  loops_take_no_strings,
  lrn_even_size,
  lrn_fractional_bias,
  many_live_values,
  merged_slice_axes,
  misread_weight_scales,
  mod_by_infinity,
  moved_strings,
  narrow_rms_normalization,
  narrow_shifts,
  negative_gather_elements,
  negative_gather_nd,
  negative_run_time_pads,
  neutral_constant_rank,
  nms_equal_overlap,
  no_average_dilations,
  no_dynamic_transforms,
  no_float4_inputs,
  no_float8_inputs,
  no_scale_inputs,
  no_uint2,
  overflowing_constants,
  pad_value_dynamic,
  pads_of_open_count,
  partial_rounding_groups,
  prelu_axis,
  product_axis_constants,
  quantized_axis_constants,
  quantized_channel_factors,
  quantized_clamp_bounds,
  quantized_clamp_channels,
  quantized_concat_factors,
  quantized_dynamic_channels,
  quantized_extremum,
  quantized_filters_of_channel,
  quantized_group_filters,
  quantized_narrow_average,
  quantized_pad_value,
  quantized_padded_average,
  quantized_pool_of_channel,
  quantized_regrouped_channels,
  quantized_relu_factors,
  quantized_row_constants,
  quantized_scalar_gather,
  quantized_transpose,
  quantized_truncation,
  quantized_unit_scale,
  range_away_from_limit,
  reassociated_zero_point,
  reduce_then_channel_constant,
  remainder_bounds,
  repeated_multinomial,
  repeated_softmax,
  reshaped_reduction,
  roi_align_no_samples,
  rotary_shape,
  rounded_constant_sum,
  saturated_products,
  saturating_conversions,
  scalar_random_numbers,
  scalar_reshape_of_product,
  scaled_group_filters,
  scaled_shared_filters,
  scaled_vector_product,
  sequential_back_edges,
  shared_quantized_product,
  shuffle_channels_groups,
  signed_4_bit_zero_points,
  single_scale_rounding,
  skipped_gather,
  slice_before_gather_elements,
  slice_from_both_ends,
  small_constant_results,
  small_product_constants,
  small_type_moves,
  space_to_batch_shape,
  split_convolution_concat,
  stale_empty_shapes,
  stale_initial_memory,
  static_scan_rows,
  stride_before_pad,
  stride_to_part,
  sum_of_scalar,
  tile_dynamic_rank4,
  tile_of_one_channel,
  topk_of_zero,
  total_of_transpose,
  transposed_strings,
  transposed_unit_reduction,
  truncation_before_quantization,
  two_bit_types,
  unique_order,
  unnoticed_state_shape,
  unsigned_bitwise_not,
  unsqueezed_reduction,
  wide_integers,
  wide_variables,
  zero_step_states,
  zero_trip_final_values,
  zero_trip_scan_outputs,
  zero_trip_unread_states,
};

/// What a fault is, in one sentence.
struct FaultDescription {
  Fault fault;
  std::string_view name;  ///< the enumerator's name, and that of the experiment
  std::string_view summary;
};

/// The releases and instruction sets on which the experiments found a fault.
struct FaultOccurrence {
  Fault fault;
  /// The oldest supported release that has it.
  Release first;
  /// The newest release that has it; no value if the newest supported release has it.
  std::optional<Release> last;
  /// The instruction sets that have it, as values of ONEDNN_MAX_CPU_ISA separated by spaces: "AVX2". Empty:
  /// all.
  std::string_view instruction_sets;
};

/// All faults, in the order of the enumeration.
std::span<const FaultDescription> all_faults();
std::span<const FaultOccurrence> all_occurrences();

inline const FaultDescription& description(Fault fault) {
  return all_faults()[static_cast<std::size_t>(fault)];
}
inline const FaultOccurrence& occurrence(Fault fault) {
  return all_occurrences()[static_cast<std::size_t>(fault)];
}

}  // namespace onnx2ir::target
