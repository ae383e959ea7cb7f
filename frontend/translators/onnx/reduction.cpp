// The Reduce family.
//
// Axes are an attribute, from 13 (ReduceSum) or 18 (the others) on an optional input. Without axes all
// dimensions are reduced, or none with `noop_with_empty_axes`: then the rest of the operator still applies.
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/numeric.hpp"

namespace onnx2ir::frontend {
namespace {

struct Axes {
  Value value;  ///< i64 vector
  bool keep_dims;
};

Axes all_axes(NodeContext& node, Value x, bool keep_dims) {
  return {axes_between(node, 0, node.rank(x)), keep_dims};
}

Axes axes_by_attribute(NodeContext& node, Value x) {
  const bool keep_dims = node.integer("keepdims", 1) != 0;
  const auto axes = node.integer_list("axes");
  if (axes.empty()) return all_axes(node, x, keep_dims);
  return {node.integers(axes), keep_dims};
}

Axes axes_by_input(NodeContext& node, Value x) {
  const bool keep_dims = node.integer("keepdims", 1) != 0;
  const bool none_is_all = node.integer("noop_with_empty_axes", 0) == 0;
  const Value axes = node.optional_input(1);
  const bool is_empty = !axes || axes.shape().element_count() == 0;
  if (!is_empty) return {axes, keep_dims};
  if (none_is_all) return all_axes(node, x, keep_dims);
  return {node.integers(std::initializer_list<std::int64_t>{}), keep_dims};
}

using Reduction = Value (*)(NodeContext&, Value, const Axes&);

Value native(NodeContext& node, std::string_view op, Value x, const Axes& axes) {
  return reduce(node, op, x, axes.value, axes.keep_dims);
}

/// In floating point, for functions that integers have none of.
Value in_floats(NodeContext& node, Reduction reduction, Value x, const Axes& axes) {
  return convert(node, reduction(node, convert(node, x, ElementType::f32), axes), x.type());
}

Value sum(NodeContext& node, Value x, const Axes& axes) {
  return native(node, "ReduceSum", x, axes);
}
Value mean(NodeContext& node, Value x, const Axes& axes) {
  return native(node, "ReduceMean", x, axes);
}
Value product(NodeContext& node, Value x, const Axes& axes) {
  return native(node, "ReduceProd", x, axes);
}
Value maximum(NodeContext& node, Value x, const Axes& axes) {
  return native(node, x.type() == ElementType::boolean ? "ReduceLogicalOr" : "ReduceMax", x, axes);
}
Value minimum(NodeContext& node, Value x, const Axes& axes) {
  return native(node, x.type() == ElementType::boolean ? "ReduceLogicalAnd" : "ReduceMin", x, axes);
}
Value l1(NodeContext& node, Value x, const Axes& axes) {
  return native(node, "ReduceL1", x, axes);
}
Value l2(NodeContext& node, Value x, const Axes& axes) {
  if (!ir::is_floating(x.type())) return in_floats(node, l2, x, axes);
  return native(node, "ReduceL2", x, axes);
}
Value sum_of_squares(NodeContext& node, Value x, const Axes& axes) {
  return sum(node, arithmetic(node, "Multiply", x, x), axes);
}
Value log_of_sum(NodeContext& node, Value x, const Axes& axes) {
  if (!ir::is_floating(x.type())) return in_floats(node, log_of_sum, x, axes);
  return node.op("Log", {sum(node, x, axes)});
}

/// log(sum(exp(x - m))) + m with m the largest element, so that nothing overflows; where that is infinite, or
/// missing because nothing is reduced, m is 0.
Value log_of_sum_of_exponentials(NodeContext& node, Value x, const Axes& axes) {
  if (!ir::is_floating(x.type())) return in_floats(node, log_of_sum_of_exponentials, x, axes);
  const auto offset = [&](bool keep_dims) {
    const Value largest = reduce(node, "ReduceMax", x, axes.value, keep_dims);
    return node.op("Select", {node.op("IsFinite", {largest}), largest, node.number_like(0, x)});
  };
  const Value kept = offset(true);
  const Value exponentials = node.op("Exp", {node.op("Subtract", {x, kept})});
  const Value logarithm = node.op("Log", {sum(node, exponentials, axes)});
  return node.op("Add", {logarithm, axes.keep_dims ? kept : offset(false)});
}

template <Reduction kReduction>
Values reduce_1(NodeContext& node) {
  const Value x = node.input(0);
  return {kReduction(node, x, axes_by_attribute(node, x))};
}

template <Reduction kReduction>
Values reduce_18(NodeContext& node) {
  const Value x = node.input(0);
  return {kReduction(node, x, axes_by_input(node, x))};
}

}  // namespace

std::vector<TranslatorRow> reduction_translators() {
  return {
      {"ReduceSum", 1, reduce_1<sum>},
      {"ReduceSum", 13, reduce_18<sum>},
      {"ReduceMean", 1, reduce_1<mean>},
      {"ReduceMean", 18, reduce_18<mean>},
      {"ReduceProd", 1, reduce_1<product>},
      {"ReduceProd", 18, reduce_18<product>},
      {"ReduceMax", 1, reduce_1<maximum>},
      {"ReduceMax", 18, reduce_18<maximum>},
      {"ReduceMin", 1, reduce_1<minimum>},
      {"ReduceMin", 18, reduce_18<minimum>},
      {"ReduceL1", 1, reduce_1<l1>},
      {"ReduceL1", 18, reduce_18<l1>},
      {"ReduceL2", 1, reduce_1<l2>},
      {"ReduceL2", 18, reduce_18<l2>},
      {"ReduceSumSquare", 1, reduce_1<sum_of_squares>},
      {"ReduceSumSquare", 18, reduce_18<sum_of_squares>},
      {"ReduceLogSum", 1, reduce_1<log_of_sum>},
      {"ReduceLogSum", 18, reduce_18<log_of_sum>},
      {"ReduceLogSumExp", 1, reduce_1<log_of_sum_of_exponentials>},
      {"ReduceLogSumExp", 18, reduce_18<log_of_sum_of_exponentials>},
  };
}

}  // namespace onnx2ir::frontend
