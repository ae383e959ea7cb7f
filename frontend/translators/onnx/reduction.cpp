// The Reduce family.
//
// Axes are an attribute; from 13 (ReduceSum) or 18 (the others) on, an optional input. Without axes all
// dimensions are reduced, or none if `noop_with_empty_axes` is set; the elementwise part of the operator
// still applies then.
#include <algorithm>

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"
#include "ir/small_floats.hpp"

namespace onnx2ir::frontend {
namespace {

struct Axes {
  Value value;  ///< vector of integers
  bool keep_dims;
  std::int64_t count = 0;   ///< the number of different axes; only used if they are not known
  bool has_filler = false;  ///< created by fill_axes
};

/// Pads `axes`, whose number is dynamic, to `rank` entries. The padding refers to an additional last
/// dimension of size 1, whose reduction has no effect.
Value fill_axes(NodeContext& node, Value axes, std::int64_t rank, bool none_is_all) {
  const ElementType type = axes.type();
  const Value all = convert(node, emit_axes_between(node, 0, rank), type);
  const Value places = node.op(ops::FloorMod, {axes, node.integer(rank, type)});
  const Value is_same = node.op(ops::Equal, {unsqueeze(node, all, {1}), unsqueeze(node, places, {0})});
  const Value ones = convert(node, is_same, ElementType::i32);
  const Value counts = reduce(node, ops::ReduceSum, ones, {1});
  const Value zero = node.integer(0, ElementType::i32);
  Value is_chosen = node.op(ops::Greater, {counts, zero});
  if (none_is_all) {
    const Value total = reduce_keep_dims(node, ops::ReduceSum, counts, {0});
    is_chosen = node.op(ops::LogicalOr, {is_chosen, node.op(ops::Equal, {total, zero})});
  }
  return node.op(ops::Select, {is_chosen, all, node.integer(rank, type)});
}

Axes emit_all_axes(NodeContext& node, Value x, bool keep_dims) {
  return {emit_axes_between(node, 0, node.rank(x)), keep_dims};
}

/// Axes whose number is known only at run time. If their dimensions are removed, the declared rank must give
/// it.
Axes emit_unknown_axes(NodeContext& node, Value x, Value axes, bool keep_dims, bool none_is_all) {
  const std::int64_t rank = node.rank(x);
  if (keep_dims) return {fill_axes(node, axes, rank, none_is_all), true, rank, true};
  const auto rank_left = node.declared_rank(0);
  if (!rank_left || *rank_left > rank) {
    node.fail("the number of axes must be known when the model is converted");
  }
  if (*rank_left == 0) return emit_all_axes(node, x, false);
  if (*rank_left == rank) return {node.integers(std::initializer_list<std::int64_t>{}), false};
  return {axes, false, rank - *rank_left};
}

Axes read_axes(NodeContext& node, Value x) {
  const bool keep_dims = node.flag_attribute("keepdims", true);
  const bool none_is_all = !node.flag_attribute("noop_with_empty_axes");
  const auto listed = node.integer_list("axes");
  const Value axes = listed.empty() ? node.optional_input(1) : node.integers(listed);
  const auto count = axes ? axes.shape().element_count() : 0;
  if (count == 0 && none_is_all) return emit_all_axes(node, x, keep_dims);
  if (count == 0) return {node.integers(std::initializer_list<std::int64_t>{}), keep_dims};
  const auto known = node.known_integers(axes);
  // PyTorch and onnxruntime allow the axes 0 and -1 of a scalar. OpenVINO's constant folding and its CPU
  // plugin do not.
  const auto is_of_scalar = [](std::int64_t axis) { return axis == 0 || axis == -1; };
  if (x.shape().is_scalar() && (!known || std::ranges::all_of(*known, is_of_scalar)))
    return emit_all_axes(node, x, keep_dims);
  if (!count) return emit_unknown_axes(node, x, axes, keep_dims, none_is_all);
  return {axes, keep_dims, *count};
}

using Reduction = Value (*)(NodeContext&, Value, const Axes&);

/// Removes the dimensions of size 1 at `axes` from `reduced`, for axes that are known only at run time. Their
/// number must be static, because it determines the rank.
Value remove_dimensions(NodeContext& node, Value reduced, Value axes, std::int64_t count) {
  const std::int64_t rank = node.rank(reduced);
  if (count > rank) node.fail("there are more axes than dimensions");
  if (count == rank) return node.op(ops::Squeeze, {reduced, emit_axes_between(node, 0, rank)});
  const Value places = node.op(ops::FloorMod, {axes, node.integer(rank, axes.type())});
  const Value ones = node.integers(std::vector<std::int64_t>(static_cast<std::size_t>(rank), 1));
  const std::vector<std::int64_t> zeros(static_cast<std::size_t>(count), 0);
  const Value is_kept = scatter(node, ones, places, node.integers(zeros), 0);
  const Value kept = node.node(ops::TopK, {is_kept, node.integer(rank - count)},
                               {{"axis", 0},
                                {"mode", "max"},
                                {"sort", "index"},
                                {"index_element_type", ElementType::i64},
                                {"stable", false}})
                         .value(1);
  return reshape(node, reduced, gather(node, shape_of(node, reduced), kept));
}

Value emit_native(NodeContext& node, ir::Op op, Value x, const Axes& axes) {
  if (axes.has_filler) {
    const Value place = node.integers({node.rank(x)});
    return node.op(ops::Squeeze,
                   {reduce_over(node, op, node.op(ops::Unsqueeze, {x, place}), axes.value, true), place});
  }
  const bool is_rank_known = axes.keep_dims || ir::exact_values(axes.value) || axes.value.shape().is_scalar();
  if (is_rank_known) return reduce_over(node, op, x, axes.value, axes.keep_dims);
  return remove_dimensions(node, reduce_over(node, op, x, axes.value, true), axes.value, axes.count);
}

/// Computes integers in floating point, for functions that are not defined for integers.
template <Reduction kReduction>
Value in_floats(NodeContext& node, Value x, const Axes& axes) {
  if (ir::is_floating(x.type())) return kReduction(node, x, axes);
  return convert(node, kReduction(node, convert(node, x, ElementType::f32), axes), x.type());
}

template <ir::Op kOperation>
Value plain(NodeContext& node, Value x, const Axes& axes) {
  return emit_native(node, kOperation, x, axes);
}

/// The extremum of booleans is whether their sum or product is not 0: OpenVINO's numeric reductions do not
/// accept booleans.
template <ir::Op kOperation, ir::Op kOfBooleans>
Value extremum(NodeContext& node, Value x, const Axes& axes) {
  if (x.type() != ElementType::boolean) return emit_native(node, kOperation, x, axes);
  const Value count = emit_native(node, kOfBooleans, convert(node, x, ElementType::i32), axes);
  return node.op(ops::NotEqual, {count, node.integer(0, ElementType::i32)});
}

Value sum_of_squares(NodeContext& node, Value x, const Axes& axes) {
  return emit_native(node, ops::ReduceSum, node.op(ops::Multiply, {x, x}), axes);
}
Value log_of_sum(NodeContext& node, Value x, const Axes& axes) {
  return node.op(ops::Log, {emit_native(node, ops::ReduceSum, x, axes)});
}

/// log(sum(exp(x - m))) + m with the largest element m, to avoid overflow. If m is infinite, or there are no
/// elements, the finite number nearest to m is used.
Value log_of_sum_of_exponentials(NodeContext& node, Value x, const Axes& axes) {
  // OpenVINO computes numbers of 64 bits as f32.
  const double most = *ir::largest_finite(x.type() == ElementType::f64 ? ElementType::f32 : x.type());
  const auto offset = [&](bool keep_dims) {
    const Value largest =
        emit_native(node, ops::ReduceMax, x, {axes.value, keep_dims, axes.count, axes.has_filler});
    return node.op(ops::Clamp, {largest}, {{"min", -most}, {"max", most}});
  };
  const Value kept = offset(true);
  const Value exponentials = node.op(ops::Exp, {node.op(ops::Subtract, {x, kept})});
  const Value logarithm = node.op(ops::Log, {emit_native(node, ops::ReduceSum, exponentials, axes)});
  return node.op(ops::Add, {logarithm, axes.keep_dims ? kept : offset(false)});
}

template <Reduction kReduction>
Values reduce_1(NodeContext& node) {
  const Value x = node.input(0);
  return {kReduction(node, x, read_axes(node, x))};
}

}  // namespace

std::vector<TranslatorRow> reduction_translators() {
  return {
      {"ReduceSum", 1, reduce_1<plain<ops::ReduceSum>>},
      {"ReduceMean", 1, reduce_1<plain<ops::ReduceMean>>},
      {"ReduceProd", 1, reduce_1<plain<ops::ReduceProd>>},
      {"ReduceMax", 1, reduce_1<extremum<ops::ReduceMax, ops::ReduceSum>>},
      {"ReduceMin", 1, reduce_1<extremum<ops::ReduceMin, ops::ReduceProd>>},
      {"ReduceL1", 1, reduce_1<plain<ops::ReduceL1>>},
      {"ReduceL2", 1, reduce_1<in_floats<plain<ops::ReduceL2>>>},
      {"ReduceSumSquare", 1, reduce_1<sum_of_squares>},
      {"ReduceLogSum", 1, reduce_1<in_floats<log_of_sum>>},
      {"ReduceLogSumExp", 1, reduce_1<in_floats<log_of_sum_of_exponentials>>},
  };
}

}  // namespace onnx2ir::frontend
