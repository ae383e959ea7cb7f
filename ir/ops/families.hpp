// The families of operations; each file in this folder defines one.
#pragma once

#include <vector>

#include "ir/op_descriptor.hpp"

namespace onnx2ir::ir {

std::vector<OpDescriptor> structural_ops();      ///< Parameter, Result, Constant, Loop, If
std::vector<OpDescriptor> elementwise_ops();     ///< arithmetic, comparison and logic on two values, Select
std::vector<OpDescriptor> reshaping_ops();       ///< the same elements in another shape or order
std::vector<OpDescriptor> joining_ops();         ///< Concat, splits, Broadcast, Tile, Pad
std::vector<OpDescriptor> selection_ops();       ///< Slice, gathers, scatters
std::vector<OpDescriptor> indexing_ops();        ///< NonZero, OneHot, Eye, Unique
std::vector<OpDescriptor> spatial_ops();         ///< convolutions and pooling
std::vector<OpDescriptor> vision_ops();          ///< resampling, grids, boxes, regions
std::vector<OpDescriptor> detection_ops();       ///< prior boxes, proposals, suppression of boxes
std::vector<OpDescriptor> recurrent_ops();       ///< LSTM, GRU and RNN over sequences
std::vector<OpDescriptor> unary_ops();           ///< conversions, mathematics and activations on one value
std::vector<OpDescriptor> linear_algebra_ops();  ///< MatMul, Einsum, Inverse
std::vector<OpDescriptor> attention_ops();       ///< ScaledDotProductAttention
std::vector<OpDescriptor> reduction_ops();       ///< Reduce*, TopK, CumSum, Range
std::vector<OpDescriptor> normalization_ops();   ///< SoftMax, BatchNormInference, MVN, LRN and others
std::vector<OpDescriptor> quantization_ops();    ///< FakeQuantize
std::vector<OpDescriptor> signal_ops();          ///< DFT, RDFT and others, STFT
std::vector<OpDescriptor> string_ops();          ///< StringTensorPack, StringTensorUnpack
std::vector<OpDescriptor> random_ops();          ///< RandomUniform, Multinomial
std::vector<OpDescriptor> state_ops();           ///< ReadValue, Assign
std::vector<OpDescriptor> extension_ops();       ///< operations that the compiler does not know

inline constexpr std::vector<OpDescriptor> (*kOpFamilies[])() = {
    structural_ops, elementwise_ops,   reshaping_ops,    joining_ops,   selection_ops, indexing_ops,
    spatial_ops,    recurrent_ops,     vision_ops,       detection_ops, unary_ops,     linear_algebra_ops,
    reduction_ops,  normalization_ops, quantization_ops, random_ops,    signal_ops,    string_ops,
    attention_ops,  state_ops,         extension_ops,
};

}  // namespace onnx2ir::ir
