// Where the experiments of tests/faults found each fault. Written by `./dev faults --update`; do not edit.
#include <array>

#include "target/faults.hpp"

namespace onnx2ir::target {
namespace {

constexpr auto kOccurrences = std::to_array<FaultOccurrence>({
    {Fault::abs_in_place, {2024, 6}, std::nullopt, ""},
    {Fault::branch_output_memory, {2025, 1}, std::nullopt, ""},
    {Fault::branch_output_size, {2024, 6}, Release{2026, 1}, ""},
    {Fault::constant_loop_evaluation, {2024, 6}, std::nullopt, ""},
    {Fault::dynamic_quantization, {2024, 6}, std::nullopt, ""},
    {Fault::empty_broadcast_in_arithmetic, {2024, 6}, std::nullopt, ""},
    {Fault::empty_i64_output, {2024, 6}, Release{2024, 6}, ""},
    {Fault::empty_loop_vectors, {2024, 6}, Release{2025, 2}, ""},
    {Fault::empty_string_pack, {2024, 6}, std::nullopt, ""},
    {Fault::empty_string_unpack, {2024, 6}, std::nullopt, ""},
    {Fault::empty_unique, {2024, 6}, std::nullopt, ""},
    {Fault::empty_unit_transpose, {2024, 6}, std::nullopt, ""},
    {Fault::empty_unsqueeze_shape, {2024, 6}, std::nullopt, ""},
    {Fault::float4_rounding, {2024, 6}, Release{2025, 2}, ""},
    {Fault::float8_rounding, {2024, 6}, std::nullopt, ""},
    {Fault::loop_shapes_from_body, {2024, 6}, std::nullopt, ""},
    {Fault::loops_take_no_strings, {2024, 6}, std::nullopt, ""},
    {Fault::misread_weight_scales, {2025, 0}, std::nullopt, ""},
    {Fault::reassociated_zero_point, {2024, 6}, std::nullopt, ""},
    {Fault::sequential_back_edges, {2024, 6}, std::nullopt, ""},
    {Fault::signed_4_bit_zero_points, {2024, 6}, Release{2025, 3}, ""},
    {Fault::small_type_moves, {2024, 6}, std::nullopt, ""},
    {Fault::static_scan_rows, {2024, 6}, std::nullopt, ""},
    {Fault::two_bit_types, {2024, 6}, Release{2026, 3}, ""},
    {Fault::unnoticed_state_shape, {2024, 6}, std::nullopt, ""},
    {Fault::unwidened_state_shape, {2024, 6}, Release{2026, 2}, ""},
    {Fault::wide_integers, {2024, 6}, std::nullopt, ""},
    {Fault::zero_trip_final_values, {2024, 6}, Release{2026, 3}, ""},
    {Fault::zero_trip_scan_outputs, {2024, 6}, std::nullopt, ""},
    {Fault::zero_trip_unread_states, {2024, 6}, std::nullopt, ""},
});

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
