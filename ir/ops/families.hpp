// The families of operations; each file of this folder holds one.
#pragma once

#include <vector>

#include "ir/op_descriptor.hpp"

namespace onnx2ir::ir {

std::vector<OpDescriptor> structural_ops();   ///< Parameter, Result, Constant, Loop, If
std::vector<OpDescriptor> elementwise_ops();  ///< arithmetic, comparison, logic, unary math, activations

inline constexpr std::vector<OpDescriptor> (*kOpFamilies[])() = {
    structural_ops,
    elementwise_ops,
};

}  // namespace onnx2ir::ir
