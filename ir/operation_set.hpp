// Sets of operations: those that a graph contains, or that a pass looks for.
#pragma once

#include "base/enum_set.hpp"
#include "ir/operations.hpp"

namespace onnx2ir::ir {

using OperationSet = base::EnumSet<Op, kOperationCount>;

}  // namespace onnx2ir::ir
