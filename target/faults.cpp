#include "target/faults.hpp"

#include <algorithm>
#include <array>

namespace onnx2ir::target {
namespace {

constexpr auto kFaults = std::to_array<FaultDescription>({
    {Fault::abs_in_place, "abs_in_place",
     "The CPU plugin computes Abs of a Concat in place, although other operations read the Concat"},
    {Fault::branch_output_memory, "branch_output_memory",
     "Outputs of an If with dynamic sizes share memory with later operations and are overwritten before they "
     "are read"},
    {Fault::branch_output_size, "branch_output_size",
     "If copies a result of dynamic size with the size of an earlier run if the other branch has given the "
     "output the same shape"},
    {Fault::constant_loop_evaluation, "constant_loop_evaluation",
     "OpenVINO evaluates a Loop with constant inputs while it compiles, and fails if it runs zero times or "
     "ends by its own condition"},
    {Fault::dynamic_quantization, "dynamic_quantization",
     "The CPU plugin rounds the inputs of a MatMul with quantised weights to 8 bits unless it is told not "
     "to, or does not compile it"},
    {Fault::empty_broadcast_in_arithmetic, "empty_broadcast_in_arithmetic",
     "Arithmetic with a Broadcast to a dynamic size of 0 gives size 1"},
    {Fault::empty_i64_output, "empty_i64_output",
     "A model output of type i64 with a static shape without elements ends the process at compile time"},
    {Fault::empty_loop_vectors, "empty_loop_vectors",
     "A Loop with an input, a state or an output of shape [0], [0, 1], [0, 1, 1] and so on ends the process"},
    {Fault::empty_string_pack, "empty_string_pack",
     "StringTensorPack fails in the first run if there are no strings"},
    {Fault::empty_string_unpack, "empty_string_unpack",
     "StringTensorUnpack of no strings keeps the outputs of the previous run"},
    {Fault::empty_unique, "empty_unique",
     "Unique of no elements keeps the outputs of the previous run, or fails"},
    {Fault::empty_unit_transpose, "empty_unit_transpose",
     "A Transpose that moves only axes of size 1 fails if another dynamic size is 0"},
    {Fault::empty_unsqueeze_shape, "empty_unsqueeze_shape",
     "Unsqueeze and Squeeze of a tensor without elements set its other dynamic sizes to 0"},
    {Fault::float4_rounding, "float4_rounding",
     "Convert to float4 rounds numbers half way between two others away from 0"},
    {Fault::float8_rounding, "float8_rounding",
     "Convert to float8 rounds to half precision first, and so rounds some numbers to the wrong side"},
    {Fault::loop_shapes_from_body, "loop_shapes_from_body",
     "A Loop takes the shapes of its outputs from the body alone and fails if it runs zero times with an "
     "initial value of another shape"},
    {Fault::loops_take_no_strings, "loops_take_no_strings", "A Loop neither takes nor gives strings"},
    {Fault::misread_weight_scales, "misread_weight_scales",
     "A MatMul with quantised weights whose scales differ along the inner dimension gives wrong values or "
     "does not compile"},
    {Fault::reassociated_zero_point, "reassociated_zero_point",
     "(x - zero point) * scale is computed as x * scale - zero point * scale, so that it is not 0 at the "
     "zero "
     "point"},
    {Fault::sequential_back_edges, "sequential_back_edges",
     "A Loop assigns its back edges one after the other: a state that receives another state's value may "
     "receive the next one"},
    {Fault::signed_4_bit_zero_points, "signed_4_bit_zero_points",
     "A MatMul with quantised weights reads negative zero points of 4 bits as positive ones"},
    {Fault::small_type_moves, "small_type_moves",
     "Operations that move elements of less than 8 bits or of 8-bit floats give wrong values or end the "
     "process"},
    {Fault::static_scan_rows, "static_scan_rows",
     "A Loop with a constant trip count and a dynamic condition gives a static number of scan rows, "
     "uninitialised if it does not run"},
    {Fault::two_bit_types, "two_bit_types", "Nothing can be computed with integers of 2 bits"},
    {Fault::unnoticed_state_shape, "unnoticed_state_shape",
     "A Loop with a state whose shape changes, and whose final value is unused, reads the initial elements "
     "in each iteration"},
    {Fault::unwidened_state_shape, "unwidened_state_shape",
     "The body of a Loop keeps the static initial shape of a state if the state's next shape is dynamic and "
     "admits it"},
    {Fault::wide_integers, "wide_integers", "Integers of 64 bits are computed in 32 bits"},
    {Fault::zero_trip_final_values, "zero_trip_final_values",
     "A Loop that runs zero times returns uninitialised memory, or the previous run's values, as final "
     "values of its states"},
    {Fault::zero_trip_scan_outputs, "zero_trip_scan_outputs",
     "A Loop that runs zero times returns the previous run's scan outputs"},
    {Fault::zero_trip_unread_states, "zero_trip_unread_states",
     "A Loop that runs zero times returns zeros, or the previous run's values, for a state that the body "
     "does not read"},
});

constexpr bool is_in_order(std::span<const FaultDescription> faults) {
  for (std::size_t i = 0; i < faults.size(); ++i) {
    if (static_cast<std::size_t>(faults[i].fault) != i) return false;
  }
  return true;
}
static_assert(is_in_order(kFaults), "the rows must have the order of the enumeration");

}  // namespace

std::span<const FaultDescription> all_faults() {
  return kFaults;
}

}  // namespace onnx2ir::target
