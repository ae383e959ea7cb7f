// Replaces Reshape, Transpose, Reshape by one Transpose if the Reshapes only merge the leading axes and split
// them again. PyTorch's newer exporter swaps the last two axes of the keys of an attention in this way.
// OpenVINO multiplies with transposed keys without a copy, if it meets the Transpose directly before the
// product.
#include <cstdint>
#include <vector>

#include "ir/size_rules.hpp"
#include "ir/views/reshaping.hpp"
#include "passes/passes.hpp"
#include "passes/pattern.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether axis `axis` of a Reshape has the size of `other` of `value`. A size of 0 in the pattern may stand
/// for another one, but then the tensor is empty.
bool has_size_of(ir::Node& reshape, std::size_t axis, ir::Value value, std::size_t other) {
  return ir::have_equal_sizes(reshape.value(), axis, value, other, 1) ||
         ir::is_size_of(ir::ReshapeView(reshape).shape(), axis, value, other);
}

/// The order of the axes of `data` in `split`, if `split` is Reshape(Transpose(Reshape(data)), ...) with the
/// axes of `data` in an order that keeps the leading ones; empty otherwise.
std::vector<std::int64_t> order_of(ir::Node& split, const ir::Node& transpose, ir::Node& merge) {
  const ir::Value data = ir::ReshapeView(merge).data();
  const ir::PartialShape& merged = merge.output(0).shape;
  const auto order = ir::exact_order(transpose);
  if (!data.shape().has_rank() || !merged.has_rank() || !split.output(0).shape.has_rank() || !order)
    return {};
  const std::size_t rank = data.shape().rank();
  if (split.output(0).shape.rank() != rank || merged.rank() >= rank || order->size() != merged.rank() ||
      order->empty() || order->front() != 0)
    return {};
  const std::size_t added = rank - merged.rank();
  std::vector<std::int64_t> result;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const bool is_leading = axis <= added;
    const std::size_t from = is_leading ? axis : static_cast<std::size_t>((*order)[axis - added]) + added;
    if (!is_leading && !has_size_of(merge, axis - added, data, axis)) return {};
    if (!has_size_of(split, axis, data, from)) return {};
    result.push_back(static_cast<std::int64_t>(from));
  }
  return result;
}

ir::Value unmerge(ir::Builder& builder, ir::Node& split) {
  ir::Value transposed;
  ir::Value merged;
  ir::Value data;
  const auto merge = any(merged, op(ops::Reshape, any(data)));
  if (!matches(split.value(), op(ops::Reshape, any(transposed, op(ops::Transpose, merge))))) return {};
  if (!is_used_once(transposed) || !is_used_once(merged)) return {};
  const auto order = order_of(split, *transposed.node, *merged.node);
  return order.empty() ? ir::Value{} : ir::transpose(builder, data, order);
}

}  // namespace

bool unmerge_transposes(ir::Model& model, PassContext&) {
  return rewrite_values(model, {ops::Reshape}, unmerge);
}

}  // namespace onnx2ir::passes
