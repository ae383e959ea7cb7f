#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {

std::vector<Workaround> all_workarounds() {
  return {
      combine_double_constants(),
      convert_attention_masks(),
      count_slice_axes_from_front(),
      decompose_dilated_averages(),
      decompose_einsum_labels(),
      decompose_empty_unsqueezes(),
      decompose_in_place_abs(),
      decompose_unsigned_not(),
      fill_empty_results(),
      hide_attention_constants(),
      hide_misread_scales(),
      hide_pad_bounds(),
      legalize_arithmetic(),
      legalize_data_movement(),
      limit_fused_chains(),
      move_strings_by_gather(),
      pad_string_bytes(),
      raise_product_rank(),
      raise_reduce_rank(),
      reshape_empty_results(),
      reshape_unit_transposes(),
      round_small_floats(),
      separate_column_constants(),
      separate_concat_reductions(),
      separate_constant_sums(),
      separate_double_products(),
      separate_fused_operations(),
      separate_group_filters(),
      separate_quantized_operations(),
      separate_reduced_divisions(),
      separate_shuffled_channels(),
      separate_unsqueezed_reductions(),
      separate_zero_points(),
      set_sequence_batches(),
      squeeze_unit_gathers(),
      tile_empty_broadcasts(),
      widen_2_bit_types(),
      widen_infinite_constants(),
      widen_one_channel_convolutions(),
      widen_zero_points(),
  };
}

}  // namespace onnx2ir::passes
