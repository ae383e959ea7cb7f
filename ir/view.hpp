// The common part of the generated views of ir/views. The view of an operation has its operands and
// attributes by the names of ir/ops/operations.txt:
//     if (const auto slice = ir::match<ir::SliceView>(value))  // no value if it is no Slice
//       return slice->axes();
//     ir::Value inner_size(ir::MatMulView product)             // an internal error if it is no MatMul
// A view refers to its node: copies are cheap, and the view of a removed node is invalid.
#pragma once

#include <optional>
#include <string_view>

#include "ir/graph.hpp"

namespace onnx2ir::ir {

/// Throws InternalError: `node` is not what the view is for.
[[noreturn]] void fail_view(const Node& node, std::string_view view);

/// The view of `node`; no value if it is of another operation.
template <typename View>
std::optional<View> match(const Node& node) {
  return View::fits(node) ? std::optional<View>(View(node)) : std::nullopt;
}
/// The view of the node that computes `value`; no value if it is of another operation or `value` is null.
template <typename View>
std::optional<View> match(Value value) {
  return value.node != nullptr ? match<View>(*value.node) : std::nullopt;
}

}  // namespace onnx2ir::ir
