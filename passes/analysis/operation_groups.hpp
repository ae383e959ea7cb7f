// Operations that OpenVINO treats alike.
#pragma once

#include "ir/operation_set.hpp"

namespace onnx2ir::passes {

inline constexpr ir::OperationSet kConvolutions = {ops::Convolution, ops::GroupConvolution};

/// The products that runtimes compute with integers.
inline constexpr ir::OperationSet kIntegerProducts = {ops::Convolution, ops::GroupConvolution, ops::MatMul};

/// All sums of products with weights, transposed convolutions included.
inline constexpr ir::OperationSet kProducts = {ops::Convolution, ops::ConvolutionBackpropData,
                                               ops::GroupConvolution, ops::GroupConvolutionBackpropData,
                                               ops::MatMul};

inline constexpr ir::OperationSet kSequences = {ops::LSTMSequence, ops::GRUSequence, ops::RNNSequence};

inline constexpr ir::OperationSet kSums = {ops::Add, ops::Subtract};
inline constexpr ir::OperationSet kFactors = {ops::Divide, ops::Multiply};
inline constexpr ir::OperationSet kSumsAndFactors = {ops::Add, ops::Divide, ops::Multiply, ops::Subtract};

inline constexpr ir::OperationSet kComparisons = {ops::Less,         ops::LessEqual, ops::Greater,
                                                  ops::GreaterEqual, ops::Equal,     ops::NotEqual};

inline constexpr ir::OperationSet kReductions = {ops::ReduceL1,        ops::ReduceL2,   ops::ReduceLogicalAnd,
                                                 ops::ReduceLogicalOr, ops::ReduceMax,  ops::ReduceMean,
                                                 ops::ReduceMin,       ops::ReduceProd, ops::ReduceSum};
inline constexpr ir::OperationSet kNumericReductions = {ops::ReduceL1,   ops::ReduceL2,  ops::ReduceMax,
                                                        ops::ReduceMean, ops::ReduceMin, ops::ReduceProd,
                                                        ops::ReduceSum};

}  // namespace onnx2ir::passes
