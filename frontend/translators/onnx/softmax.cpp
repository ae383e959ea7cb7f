// Softmax, LogSoftmax, Hardmax.
//
// Versions 1 and 11 reshape the input to a matrix: dimensions before `axis` (default 1) are rows, the others
// are columns. From 13 on they work along `axis` (default -1) only.
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/numeric.hpp"
#include "ir/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

using Emit = Value (*)(NodeContext&, Value, std::int64_t axis);

Value softmax(NodeContext& node, Value x, std::int64_t axis) {
  return node.op(ops::SoftMax, {x}, {{"axis", axis}});
}

Value log_softmax(NodeContext& node, Value x, std::int64_t axis) {
  return node.op(ops::LogSoftmax, {x}, {{"axis", axis}});
}

/// 1 for the first of the largest elements, 0 for the others.
Value hardmax(NodeContext& node, Value x, std::int64_t axis) {
  const Value largest = reduce_keep_dims(node, ops::ReduceMax, x, {axis});
  const Value is_largest = node.op(ops::Equal, {x, largest});
  const Value count = cumulative_sum(node, convert(node, is_largest, ElementType::i32), axis);
  const Value is_first = node.op(ops::Equal, {count, node.integer(1, ElementType::i32)});
  return convert(node, node.op(ops::LogicalAnd, {is_largest, is_first}), x.type());
}

template <Emit kEmit>
Values softmax_1(NodeContext& node) {
  const Value x = node.input(0);
  const std::int64_t rank = node.rank(x);
  if (node.opset() >= 13) return {kEmit(node, x, node.axis(node.integer_attribute("axis", -1), rank))};
  if (rank == 0) node.fail("a scalar has no axis");
  // Axis `rank` is valid: rows of one element.
  std::int64_t axis = node.integer_attribute("axis", 1);
  if (axis != rank) axis = node.axis(axis, rank);
  if (axis == rank - 1) return {kEmit(node, x, axis)};
  if (axis == rank) {
    const Value column = unsqueeze(node, x, {rank});
    return {squeeze(node, kEmit(node, column, rank), {rank})};
  }
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(axis), 0);
  sizes.push_back(-1);
  const Value rows = reshape_keeping(node, x, sizes);
  const Value result = kEmit(node, rows, axis);
  return {reshape(node, result, shape_of(node, x))};
}

}  // namespace

std::vector<TranslatorRow> softmax_translators() {
  return with_ranks(RankRule::keep, {
                                        {"Softmax", 1, softmax_1<softmax>},
                                        {"LogSoftmax", 1, softmax_1<log_softmax>},
                                        {"Hardmax", 1, softmax_1<hardmax>},
                                    });
}

}  // namespace onnx2ir::frontend
