#include "target/faults.hpp"

#include <algorithm>
#include <array>

namespace onnx2ir::target {
namespace {

constexpr auto kFaults = std::to_array<FaultDescription>({
    {Fault::abs_in_place, "abs_in_place",
     "The CPU plugin computes Abs of a Concat in place, although other operations read the Concat"},
    {Fault::activation_before_pool, "activation_before_pool",
     "A Convolution, a maximum pool and an activation that is not monotone, such as Swish or Abs, are "
     "computed with the activation before the pool"},
    {Fault::attention_broadcast, "attention_broadcast",
     "The product of a SoftMax is wrong in dynamic shapes if the next operation broadcasts it"},
    {Fault::attention_constants, "attention_constants",
     "The CPU plugin reads constant keys and values of an attention in the wrong order, also if OpenVINO "
     "has fused MatMul, Softmax and MatMul into the attention"},
    {Fault::attention_mask_sizes, "attention_mask_sizes",
     "ScaledDotProductAttention with dynamic sizes takes the mask's number of rows, which may be 1, for "
     "the number of queries"},
    {Fault::attention_output_rank, "attention_output_rank",
     "Attention of static shape, written as MatMul, Softmax and MatMul, gives a model output more axes in "
     "the second inference"},
    {Fault::attention_scale_rounding, "attention_scale_rounding",
     "ScaledDotProductAttention multiplies a constant key of 16 bits by the scale and rounds the products"},
    {Fault::bf16_attention_fusion, "bf16_attention_fusion",
     "MatMul, Softmax and MatMul of bf16 are fused into an attention that reads a constant key in the "
     "wrong order"},
    {Fault::bf16_constant_infinity, "bf16_constant_infinity",
     "The CPU plugin turns infinities of bf16 constants into the largest finite numbers"},
    {Fault::boolean_attention_mask, "boolean_attention_mask",
     "ScaledDotProductAttention with a boolean mask gives wrong values, or NaN"},
    {Fault::branch_output_memory, "branch_output_memory",
     "Outputs of an If with dynamic sizes share memory with later operations and are overwritten before "
     "they are read"},
    {Fault::branch_output_size, "branch_output_size",
     "If copies a result of dynamic size with the size of an earlier run if the other branch has given the "
     "output the same shape"},
    {Fault::byte_arithmetic, "byte_arithmetic",
     "Arithmetic of 8-bit integers saturates instead of wrapping around"},
    {Fault::cached_attention_mask, "cached_attention_mask",
     "An attention on keys and values in variables reads past a mask with one column for all keys"},
    {Fault::channels_from_factor, "channels_from_factor",
     "A constant factor with several channels, of data of one channel, is moved into the Convolution "
     "that reads the product, which does not compile"},
    {Fault::col2im_run_time_sizes, "col2im_run_time_sizes",
     "Col2Im of data of static shape ends the process if its sizes are dynamic"},
    {Fault::concat_reduction, "concat_reduction",
     "ReduceMax and ReduceMin along the axis of a Concat of two tensors give Maximum and Minimum of the two, "
     "whatever their sizes"},
    {Fault::consecutive_double_products, "consecutive_double_products",
     "Two products of f64 with constant weights, one after the other, do not compile with one thread per "
     "stream"},
    {Fault::consecutive_unit_products, "consecutive_unit_products",
     "A product of a product and a constant of one element does not compile on one core"},
    {Fault::constant_batch_broadcast, "constant_batch_broadcast",
     "A MatMul of a dynamic shape with a constant of several matrices fails if the left operand has one "
     "matrix"},
    {Fault::constant_initial_state, "constant_initial_state",
     "LSTMSequence, GRUSequence and RNNSequence with constant initial states do not compile if the batch is "
     "dynamic"},
    {Fault::constant_loop_evaluation, "constant_loop_evaluation",
     "OpenVINO evaluates a Loop with constant inputs while it compiles, and fails if it runs zero times or "
     "ends by its own condition"},
    {Fault::constant_loop_operations, "constant_loop_operations",
     "OpenVINO evaluates a Loop with constant inputs while it compiles, and fails if it cannot evaluate an "
     "operation in its body or in that of an inner Loop"},
    {Fault::convolution_dynamic_filter, "convolution_dynamic_filter",
     "Convolution with a filter of dynamic sizes does not compile"},
    {Fault::convolution_of_one_channel, "convolution_of_one_channel",
     "A Convolution of one channel to one channel reads uninitialised memory if a pad of the last axis is "
     "larger than the kernel, or if the dilations of the first two of three axes differ"},
    {Fault::convolution_sum_shape, "convolution_sum_shape",
     "The sum of a Convolution and a value of dynamic shape fails if the value has other sizes than "
     "the Convolution"},
    {Fault::convolution_to_one_column, "convolution_to_one_column",
     "A Convolution of one channel with stride 1 on one axis and more on the last one gives wrong values if "
     "the result has one column"},
    {Fault::division_by_reciprocal, "division_by_reciprocal",
     "Floating-point division multiplies by the reciprocal, so that x / x can be less than 1"},
    {Fault::double_constant_sums, "double_constant_sums",
     "The sum of f64 data and two constants does not compile"},
    {Fault::dropped_double_constant, "dropped_double_constant",
     "Of two constants that are added to an f64 product, one of them computed, one is dropped"},
    {Fault::dynamic_attention_mask, "dynamic_attention_mask",
     "A product of static shape, a sum with a mask of dynamic shape, a SoftMax and a product do not compile"},
    {Fault::dynamic_attention_values, "dynamic_attention_values",
     "A product, a SoftMax and a product of static shape with values of dynamic shape do not compile"},
    {Fault::dynamic_column_constants, "dynamic_column_constants",
     "A MatMul with a transposed or quantised operand and a dynamic number of columns does not compile if "
     "an operation with a constant per column follows"},
    {Fault::dynamic_constant_shapes, "dynamic_constant_shapes",
     "The CPU plugin cannot compile an operation on constants that OpenVINO does not fold and whose output "
     "has a dynamic shape"},
    {Fault::dynamic_quantization, "dynamic_quantization",
     "The CPU plugin rounds the inputs of a MatMul with quantised weights to 8 bits by default, or does "
     "not compile it"},
    {Fault::dynamic_sequence_lengths, "dynamic_sequence_lengths",
     "LSTMSequence, GRUSequence and RNNSequence with dynamic shapes ignore the lengths of the sequences"},
    {Fault::einsum_labels, "einsum_labels",
     "Einsum does not compile with an ellipsis, with a label twice in a term, or with scalars alone"},
    {Fault::empty_broadcast_folding, "empty_broadcast_folding",
     "OpenVINO divides by zero when it folds a Broadcast to an empty shape"},
    {Fault::empty_broadcast_in_arithmetic, "empty_broadcast_in_arithmetic",
     "Arithmetic with a Broadcast to a dynamic size of 0 gives size 1"},
    {Fault::empty_concat_part, "empty_concat_part",
     "A constant part of a Concat that is empty along another axis is removed, and its size is lost"},
    {Fault::empty_constant_result, "empty_constant_result",
     "A model output that is an empty constant ends the process"},
    {Fault::empty_gather, "empty_gather", "Gather with an empty list of indices ends the process"},
    {Fault::empty_i64_output, "empty_i64_output",
     "A model output of type i64 with a static empty shape ends the process at compile time"},
    {Fault::empty_loop_vectors, "empty_loop_vectors",
     "A Loop with an input, a state or an output of shape [0], [0, 1], [0, 1, 1] and so on ends the process"},
    {Fault::empty_product, "empty_product",
     "A MatMul with a static inner size of 0 returns uninitialised memory, and one of empty integers fails"},
    {Fault::empty_reshape_in_first_run, "empty_reshape_in_first_run",
     "A Reshape of an empty constant to a dynamic shape of several zeros fails in the first run"},
    {Fault::empty_state_shape, "empty_state_shape",
     "A Loop keeps the initial shape of a state that is always empty"},
    {Fault::empty_string_bytes, "empty_string_bytes",
     "StringTensorPack of strings without characters keeps the output of the previous run"},
    {Fault::empty_string_pack, "empty_string_pack",
     "StringTensorPack of an empty tensor fails in the first inference"},
    {Fault::empty_string_unpack, "empty_string_unpack",
     "StringTensorUnpack of an empty tensor keeps the outputs of the previous inference"},
    {Fault::empty_tile_folding, "empty_tile_folding",
     "OpenVINO ends the process when it evaluates a Tile of an empty constant in two or more axes"},
    {Fault::empty_unique, "empty_unique",
     "Unique of an empty tensor keeps the outputs of the previous inference, or fails"},
    {Fault::empty_unit_transpose, "empty_unit_transpose",
     "A Transpose that moves only axes of size 1 fails if another dynamic size is 0"},
    {Fault::empty_unsqueeze_shape, "empty_unsqueeze_shape",
     "Unsqueeze and Squeeze of an empty tensor set its other dynamic sizes to 0"},
    {Fault::equal_random_numbers, "equal_random_numbers",
     "RandomUniforms without seeds that are compiled in the same second give the same numbers"},
    {Fault::extremum_of_infinities, "extremum_of_infinities",
     "ReduceMax of -infinity alone, and ReduceMin of infinity alone, give the largest finite number"},
    {Fault::factor_along_kernel, "factor_along_kernel",
     "A constant factor along a spatial axis of as many elements as the kernel is moved into the filters of "
     "the Convolution that reads the product"},
    {Fault::float4_rounding, "float4_rounding",
     "Convert to float4 rounds numbers half way between two others away from 0"},
    {Fault::float4_transpose, "float4_transpose",
     "A Convert to f4e2m1 is moved before a Transpose, which moves elements of 4 bits wrongly"},
    {Fault::float8_rounding, "float8_rounding",
     "Convert to float8 rounds to half precision first, and so rounds some numbers to the wrong side"},
    {Fault::folded_random_numbers, "folded_random_numbers",
     "OpenVINO draws random numbers of static shape at compile time if they are subtracted or are indices, "
     "or if a Loop has only constant inputs"},
    {Fault::gather_of_one_batch, "gather_of_one_batch",
     "A Gather of static shape from batches of size 1 reads outside of its data, and gives wrong elements or "
     "ends "
     "the process"},
    {Fault::gathered_unsqueeze, "gathered_unsqueeze",
     "A Gather of a tensor of dynamic shape along an axis that an Unsqueeze adds is removed, although its "
     "indices are not a scalar"},
    {Fault::greater_than_nan, "greater_than_nan",
     "Greater and GreaterEqual of floating-point numbers are true for NaN"},
    {Fault::infinity_check_broadcast, "infinity_check_broadcast",
     "IsFinite or IsInf of a dynamic shape gives wrong values if its result is broadcast along the last "
     "axis"},
    {Fault::initial_variable_size, "initial_variable_size",
     "A variable of dynamic length whose initial value has no other use does not compile, cannot become "
     "longer, "
     "or keeps its elements in reset_state()"},
    {Fault::integer_power, "integer_power",
     "Power of integers is computed in f32 and loses digits above 2^24"},
    {Fault::integer_reduce_then_constant, "integer_reduce_then_constant",
     "Arithmetic with a constant after a Reduce of integers with three axes is wrong, also if the constant "
     "is "
     "one number"},
    {Fault::integer_reduce_then_division, "integer_reduce_then_division",
     "Divide of a reduced integer by a constant rounds to the nearest integer"},
    {Fault::integer_relu, "integer_relu", "ReLU of integers is computed in f32 and loses digits above 2^24"},
    {Fault::kept_initial_size, "kept_initial_size",
     "A Loop keeps the static initial size of a state that becomes longer by a dynamic number of elements"},
    {Fault::long_fused_chains, "long_fused_chains",
     "A convolution or a product with constant weights does not compile if more than 32 elementwise "
     "operations follow one after the other"},
    {Fault::loop_shapes_from_body, "loop_shapes_from_body",
     "A Loop takes the shapes of its outputs from the body alone and fails if it runs zero times with an "
     "initial value of another shape"},
    {Fault::loops_take_no_strings, "loops_take_no_strings", "A Loop cannot have string inputs or outputs"},
    {Fault::lrn_even_size, "lrn_even_size",
     "LRN with an even size uses a window that is one channel smaller"},
    {Fault::lrn_fractional_bias, "lrn_fractional_bias", "LRN truncates the bias to an integer"},
    {Fault::many_live_values, "many_live_values",
     "Elementwise operations of static shape do not compile if they need more values at the same time "
     "than the CPU has registers"},
    {Fault::merged_slice_axes, "merged_slice_axes",
     "A Slice of a Slice along the same axis does not compile if one counts it from the end"},
    {Fault::misread_weight_scales, "misread_weight_scales",
     "A MatMul with quantised weights whose scales differ along the inner dimension gives wrong values or "
     "does not compile"},
    {Fault::mod_by_infinity, "mod_by_infinity", "Mod of a finite number by infinity is NaN"},
    {Fault::moved_strings, "moved_strings",
     "Slices and parts of string tensors share memory with them, which ends the process; most other "
     "operations "
     "that move strings do not compile"},
    {Fault::narrow_rms_normalization, "narrow_rms_normalization",
     "An RMS normalisation of less than 16 numbers ends the process"},
    {Fault::narrow_shifts, "narrow_shifts",
     "BitwiseLeftShift of 8-bit and 16-bit integers saturates instead of dropping the upper bits"},
    {Fault::negative_gather_elements, "negative_gather_elements",
     "GatherElements reads outside of its data for negative indices"},
    {Fault::negative_gather_nd, "negative_gather_nd", "GatherND with negative indices gives wrong elements"},
    {Fault::negative_run_time_pads, "negative_run_time_pads",
     "Pad fails if dynamic pads with known bounds are negative at run time"},
    {Fault::neutral_constant_rank, "neutral_constant_rank",
     "A constant without effect on the numbers, such as 0 in an Add, is removed although it gives a scalar "
     "element of ShapeOf more dimensions"},
    {Fault::nms_equal_overlap, "nms_equal_overlap",
     "NonMaxSuppression removes boxes whose overlap equals the threshold"},
    {Fault::no_average_dilations, "no_average_dilations", "AvgPool has no dilations"},
    {Fault::no_dynamic_transforms, "no_dynamic_transforms", "DFT and IDFT of dynamic shapes do not compile"},
    {Fault::no_float4_inputs, "no_float4_inputs", "A model cannot have inputs of 4-bit floats"},
    {Fault::no_float8_inputs, "no_float8_inputs", "A model cannot have inputs of 8-bit floats"},
    {Fault::no_scale_inputs, "no_scale_inputs", "A model cannot have inputs of type f8e8m0"},
    {Fault::no_uint2, "no_uint2", "A model cannot have inputs or outputs of 2-bit integers"},
    {Fault::overflowing_constants, "overflowing_constants",
     "Constants of sums and products that follow one after the other are combined in their type, also to "
     "infinity or 0: (x - 30000) * 4 in f16 is infinite for all x"},
    {Fault::pad_value_dynamic, "pad_value_dynamic",
     "Pad of a tensor with static shape fills with 0 if the value is not constant"},
    {Fault::pads_of_open_count, "pads_of_open_count",
     "A Pad whose lists of pads have a dynamic length cannot be read"},
    {Fault::partial_rounding_groups, "partial_rounding_groups",
     "A MatMul with weights of 4 bits whose inputs the CPU plugin rounds to 8 bits is wrong if the number of "
     "inputs is not a multiple of 32"},
    {Fault::prelu_axis, "prelu_axis",
     "ReLU(x) - c * ReLU(-x) with a vector c along the last axis becomes a PReLU, which takes c along the "
     "second axis"},
    {Fault::product_axis_constants, "product_axis_constants",
     "A product of rank 4 or more and of dynamic shape reads a constant along its second axis as one "
     "per column, or does not compile"},
    {Fault::quantized_axis_constants, "quantized_axis_constants",
     "A FakeQuantize per channel and a constant along another axis of the same size, added to it, are "
     "computed with the constant along the channels"},
    {Fault::quantized_channel_factors, "quantized_channel_factors",
     "A factor per channel before a FakeQuantize of dynamic shape gives wrong numbers if some factors "
     "are negative"},
    {Fault::quantized_clamp_bounds, "quantized_clamp_bounds",
     "A Clamp with a very large bound after a FakeQuantize returns the other bound, or 0; one of negative "
     "multiples exchanges its bounds"},
    {Fault::quantized_clamp_channels, "quantized_clamp_channels",
     "A constant for each channel that is added before a Clamp and a FakeQuantize is added wrongly if a size "
     "of "
     "the data is dynamic, or after an AvgPool"},
    {Fault::quantized_concat_factors, "quantized_concat_factors",
     "A FakeQuantize of a Concat and an activation does not compile before a factor along the third axis or "
     "a later one"},
    {Fault::quantized_dynamic_channels, "quantized_dynamic_channels",
     "A FakeQuantize, or arithmetic with a constant, per channel before another FakeQuantize uses the "
     "element of the first channel for all if the number of channels of its data is dynamic"},
    {Fault::quantized_extremum, "quantized_extremum",
     "ReduceMax and ReduceMin drop fractions if their results are quantised to integers"},
    {Fault::quantized_filters_of_channel, "quantized_filters_of_channel",
     "A GroupConvolution of several filters for each channel, of quantised numbers that may be negative, is "
     "wrong in dynamic shapes"},
    {Fault::quantized_group_filters, "quantized_group_filters",
     "A GroupConvolution of quantised numbers with several filters for each group of one channel gives 0 if "
     "an activation follows"},
    {Fault::quantized_narrow_average, "quantized_narrow_average",
     "AvgPool of quantised numbers with fewer than four channels gives wrong averages"},
    {Fault::quantized_pad_value, "quantized_pad_value",
     "Pad of quantised numbers along one axis uses 0 instead of another constant, or the smallest number "
     "instead of 0 if the axis has one element"},
    {Fault::quantized_padded_average, "quantized_padded_average",
     "AvgPool that counts pads takes those of quantised numbers for the smallest number instead of 0"},
    {Fault::quantized_pool_of_channel, "quantized_pool_of_channel",
     "A MaxPool of quantised numbers of one channel before a FakeQuantize writes outside of its memory if "
     "sizes "
     "are dynamic and the result has one column"},
    {Fault::quantized_regrouped_channels, "quantized_regrouped_channels",
     "After a FakeQuantize per channel, a Reshape that divides the elements into as many channels in another "
     "way applies the scales to the new channels"},
    {Fault::quantized_relu_factors, "quantized_relu_factors",
     "Factors per channel after a ReLU or PReLU of a product of quantised numbers are moved before it, "
     "although some are negative"},
    {Fault::quantized_row_constants, "quantized_row_constants",
     "A factor along the rows of a product of quantised numbers is applied along its columns"},
    {Fault::quantized_scalar_gather, "quantized_scalar_gather",
     "A Gather by a scalar index, or a Reduce that removes an axis, after a FakeQuantize per channel applies "
     "the "
     "scales as if the axis were still there"},
    {Fault::quantized_transpose, "quantized_transpose",
     "A FakeQuantize per channel of a Transpose of dynamic shape does not compile"},
    {Fault::quantized_truncation, "quantized_truncation",
     "A Convert to integers of numbers that a FakeQuantize gives rounds them, or cuts off their fractions "
     "after "
     "a factor behind it"},
    {Fault::quantized_unit_scale, "quantized_unit_scale",
     "A constant per column is added wrongly to a product of quantised numbers before a FakeQuantize whose "
     "step is the product of their scales"},
    {Fault::range_away_from_limit, "range_away_from_limit",
     "Range with steps that lead away from the limit is not empty"},
    {Fault::reassociated_zero_point, "reassociated_zero_point",
     "(x - zero point) * scale is computed as x * scale - zero point * scale, so that it is not 0 at the "
     "zero point"},
    {Fault::reduce_then_channel_constant, "reduce_then_channel_constant",
     "Arithmetic with a constant per channel after a Reduce of the first or the last of three axes uses "
     "the wrong elements of the constant"},
    {Fault::remainder_bounds, "remainder_bounds",
     "OpenVINO uses the remainders of the smallest and the largest size as bounds of a remainder, and "
     "infers wrong sizes from them"},
    {Fault::repeated_multinomial, "repeated_multinomial",
     "Multinomial without seeds draws the same numbers in each inference, and in each iteration of a Loop"},
    {Fault::repeated_softmax, "repeated_softmax",
     "The SoftMax of a convolution of one or two channels is wrong if a Concat reads it twice"},
    {Fault::reshaped_reduction, "reshaped_reduction",
     "A Reduce of a Reshape that adds axes of size 1 and splits others reduces other axes, or does not "
     "compile"},
    {Fault::roi_align_no_samples, "roi_align_no_samples", "ROIAlign gives NaN for an empty region"},
    {Fault::rotary_shape, "rotary_shape",
     "A rotary embedding of one sequence has the shape of the sequence, although the cosines or the "
     "sines have more; 2024.6 takes parts of different sizes for halves"},
    {Fault::rounded_constant_sum, "rounded_constant_sum",
     "(x + a) * c + b with constants is computed as x * c + (a * c + b), which rounds b to the precision of "
     "a * c"},
    {Fault::saturated_products, "saturated_products",
     "Convolution and MatMul of 8-bit integers add pairs of products in 16 bits and saturate"},
    {Fault::saturating_conversions, "saturating_conversions",
     "Convert of integers to integers of fewer bits saturates instead of dropping the upper bits"},
    {Fault::scalar_random_numbers, "scalar_random_numbers",
     "RandomUniform of a scalar does not write its result"},
    {Fault::scalar_reshape_of_product, "scalar_reshape_of_product",
     "A Reshape of a MatMul or of an attention to a scalar ends the process at compile time, also with other "
     "operations between them"},
    {Fault::scaled_group_filters, "scaled_group_filters",
     "A constant factor after a GroupConvolution is moved into its filters, although another convolution "
     "reads the same Reshape of the filters"},
    {Fault::scaled_shared_filters, "scaled_shared_filters",
     "A constant factor after a Convolution with a stride is moved into its dequantised filters, although "
     "another operation reads them"},
    {Fault::scaled_vector_product, "scaled_vector_product",
     "A constant factor after a product with a constant vector is moved into the vector, which gives "
     "the product another shape"},
    {Fault::sequential_back_edges, "sequential_back_edges",
     "A Loop assigns its back edges one after the other: a state that receives another state's value may "
     "receive the next one"},
    {Fault::shared_quantized_product, "shared_quantized_product",
     "A Convolution or MatMul of quantised numbers of dynamic shape that several operations read is scaled "
     "for one of them, and the others read the scaled result"},
    {Fault::shuffle_channels_groups, "shuffle_channels_groups",
     "OpenVINO takes a Reshape, a Transpose and a Reshape for a shuffle of channels, and does not compile "
     "them "
     "if the number of groups is dynamic"},
    {Fault::signed_4_bit_zero_points, "signed_4_bit_zero_points",
     "A MatMul with quantised weights reads negative zero points of 4 bits as positive ones"},
    {Fault::single_scale_rounding, "single_scale_rounding",
     "A MatMul with quantised weights whose inputs the CPU plugin rounds to 8 bits misreads one scale for "
     "all "
     "weights"},
    {Fault::skipped_gather, "skipped_gather",
     "OpenVINO removes a Gather of an only element before a Transpose and a Reshape: other uses of the "
     "Transpose get one more dimension"},
    {Fault::slice_before_gather_elements, "slice_before_gather_elements",
     "GatherElements of a Slice fails if its indices have the shape of the Slice"},
    {Fault::slice_from_both_ends, "slice_from_both_ends",
     "OpenVINO infers a wrong size of a Slice of an axis of dynamic size if one of start and end counts from "
     "the "
     "end of the axis, or both do and the step is negative"},
    {Fault::small_constant_results, "small_constant_results",
     "A model output that is a constant of 4 bits has the halves of its bytes exchanged"},
    {Fault::small_product_constants, "small_product_constants",
     "A MatMul of at most two rows and columns of dynamic number loses operations with a constant per column "
     "that follow it"},
    {Fault::small_type_moves, "small_type_moves",
     "Operations that move elements of less than 8 bits or of 8-bit floats give wrong values or end the "
     "process"},
    {Fault::space_to_batch_shape, "space_to_batch_shape",
     "A Reshape or Transpose, a Pad, a SpaceToDepth and another Reshape or Transpose become a "
     "SpaceToBatch if batch and channels are 1, although the first one moves other axes"},
    {Fault::split_convolution_concat, "split_convolution_concat",
     "A Concat of Convolutions of the parts of a Split is computed along the channels whatever its axis, "
     "with "
     "one Convolution for each part whatever it joins, and does not compile with a model input or a "
     "constant"},
    {Fault::stale_empty_shapes, "stale_empty_shapes",
     "VariadicSplit, Tile and TopK of empty data may return the shape of an earlier inference"},
    {Fault::stale_initial_memory, "stale_initial_memory",
     "A Loop with a state that grew and shrank in an earlier run copies the initial value to freed memory, "
     "and "
     "starts from the values of that run"},
    {Fault::static_scan_rows, "static_scan_rows",
     "A Loop with a constant trip count and a dynamic condition gives a static number of scan rows, "
     "uninitialised if it runs zero times"},
    {Fault::stride_before_pad, "stride_before_pad",
     "The stride of a Convolution with a kernel of size 1 is moved before its pads, which makes the result "
     "larger"},
    {Fault::stride_to_part, "stride_to_part",
     "A Convolution with a kernel of size 1 and a stride does not compile after arithmetic with an output of "
     "an "
     "operation with several outputs, such as VariadicSplit"},
    {Fault::sum_of_scalar, "sum_of_scalar",
     "A product of rank 4 or more with constant weights does not compile if a scalar is added to it"},
    {Fault::tile_dynamic_rank4, "tile_dynamic_rank4",
     "Tile with dynamic repeats gives wrong results from rank 4 on"},
    {Fault::tile_of_one_channel, "tile_of_one_channel",
     "Tile of rank 4 or more and dynamic shape moves elements wrongly if it repeats the second axis, of "
     "size 1, and others, or if its input is such a Tile"},
    {Fault::topk_of_zero, "topk_of_zero", "TopK with a dynamic k of 0 writes outside of its memory"},
    {Fault::total_of_transpose, "total_of_transpose",
     "A Reduce of a Transpose along all axes to a scalar does not write its result"},
    {Fault::transposed_strings, "transposed_strings",
     "A Transpose of strings shares memory with its input, which ends the process"},
    {Fault::transposed_unit_reduction, "transposed_unit_reduction",
     "A Transpose of axes of size 1 after a Reduce that removes axes is lost"},
    {Fault::truncation_before_quantization, "truncation_before_quantization",
     "A Convert to integers of 8 bits is ignored before a FakeQuantize"},
    {Fault::two_bit_types, "two_bit_types", "Integers of 2 bits cannot be used in computations"},
    {Fault::unique_order, "unique_order",
     "Unique that keeps the order of first occurrence gives wrong elements or ends the process"},
    {Fault::unnoticed_state_shape, "unnoticed_state_shape",
     "A Loop with a state whose shape changes, and whose final value is unused, reads the initial elements "
     "in each iteration"},
    {Fault::unsigned_bitwise_not, "unsigned_bitwise_not", "BitwiseNot of u16 and u32 gives 0"},
    {Fault::unsqueezed_reduction, "unsqueezed_reduction",
     "A Reduce of an Unsqueeze has a wrong shape if it keeps its axes or counts them from the end, or does "
     "not compile"},
    {Fault::wide_integers, "wide_integers", "Integers of 64 bits are computed in 32 bits"},
    {Fault::wide_variables, "wide_variables", "Variables of i64 and f64 do not compile"},
    {Fault::zero_step_states, "zero_step_states",
     "The final states of LSTMSequence, GRUSequence and RNNSequence over zero steps are those of the "
     "previous run"},
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
