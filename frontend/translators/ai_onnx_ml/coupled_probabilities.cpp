// Wu, Lin and Weng, "Probability estimates for multi-class classification by pairwise coupling", second
// method: minimises the sum over i, j of (r_ji p_i - r_ij p_j)^2, with the algorithm and the number of steps
// of libsvm.
#include "frontend/translators/ai_onnx_ml/coupled_probabilities.hpp"

#include <algorithm>

#include "frontend/translators/onnx/control_flow.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

constexpr ElementType kReal = ElementType::f32;

/// r_ij [samples, classes, classes], 0 on the diagonal.
Value compute_pairwise(NodeContext& node, Value decisions, const std::vector<double>& a,
                       const std::vector<double>& b, std::int64_t classes) {
  const auto row = [&](const std::vector<double>& values) {
    return node.numbers(values, {1, std::ssize(values)}, kReal);
  };
  const Value exponent = node.op(ops::Add, {node.op(ops::Multiply, {decisions, row(a)}), row(b)});
  const Value certain = node.op(ops::Sigmoid, {node.op(ops::Negative, {exponent})});
  const Value first = node.op(ops::Clamp, {certain}, {{"min", 1e-7}, {"max", 1 - 1e-7}});
  const Value second = node.op(ops::Subtract, {node.number(1, kReal), first});
  const Value nothing = node.op(ops::Multiply, {slice(node, first, 0, 1, 1), node.number(0, kReal)});
  const auto pairs = static_cast<std::int64_t>(a.size());
  std::vector<std::int64_t> columns(static_cast<std::size_t>(classes * classes), 2 * pairs);
  std::int64_t pair = 0;
  for (std::int64_t i = 0; i < classes; ++i) {
    for (std::int64_t j = i + 1; j < classes; ++j, ++pair) {
      columns[static_cast<std::size_t>(i * classes + j)] = pair;
      columns[static_cast<std::size_t>(j * classes + i)] = pairs + pair;
    }
  }
  const Value all = concat(node, {first, second, nothing}, 1);
  return reshape(node, gather(node, all, node.integers(columns), 1), {-1, classes, classes});
}

/// The quadratic form of the sum: Q_tt = sum of r_jt^2, Q_tj = -r_jt r_tj.
Value compute_quadratic_form(NodeContext& node, Value ratios, std::int64_t classes) {
  const Value turned = transpose(node, ratios, {0, 2, 1});
  const Value squares = reduce_keep_dims(node, ops::ReduceSum, node.op(ops::Multiply, {turned, turned}), {2});
  std::vector<double> identity(static_cast<std::size_t>(classes * classes), 0.0);
  for (std::int64_t i = 0; i < classes; ++i) identity[static_cast<std::size_t>(i * classes + i)] = 1;
  const Value diagonal = node.op(ops::Multiply, {squares, node.numbers(identity, {classes, classes}, kReal)});
  return node.op(ops::Subtract, {diagonal, node.op(ops::Multiply, {ratios, turned})});
}

/// One step: optimises each probability in turn and scales all to the sum 1. Samples that have converged do
/// not change; there is a next step if there are others.
Iteration improve(Builder& body, Value before, Value form, std::int64_t classes) {
  const auto op = [&](ir::Op id, std::initializer_list<Value> inputs) { return body.op(id, inputs); };
  const auto reduced = [&](ir::Op id, Value value) { return reduce_keep_dims(body, id, value, {1}); };
  const Value one = body.number(1, kReal);
  Value slope = squeeze(body, mat_mul(body, form, unsqueeze(body, before, {2})), {2});
  Value height = reduced(ops::ReduceSum, op(ops::Multiply, {before, slope}));
  const Value error = reduced(ops::ReduceMax, body.op(ops::Abs, {op(ops::Subtract, {slope, height})}));
  const Value is_done = op(ops::Less, {error, body.number(0.005 / static_cast<double>(classes), kReal)});
  Value p = before;
  for (std::int64_t t = 0; t < classes; ++t) {
    const Value row = gather(body, form, body.integer(t), 1);
    const Value own = gather(body, row, body.integers({t}), 1);
    const Value own_slope = gather(body, slope, body.integers({t}), 1);
    const Value change = divide(body, op(ops::Subtract, {height, own_slope}), own);
    const Value scale = op(ops::Add, {change, one});
    std::vector<double> place(static_cast<std::size_t>(classes), 0.0);
    place[static_cast<std::size_t>(t)] = 1;
    const Value own_change = op(ops::Multiply, {change, body.numbers(place, {1, classes}, kReal)});
    p = divide(body, op(ops::Add, {p, own_change}), scale);
    const Value twice = op(ops::Add, {own_slope, own_slope});
    const Value rise = op(ops::Multiply, {change, op(ops::Add, {op(ops::Multiply, {change, own}), twice})});
    height = divide(body, divide(body, op(ops::Add, {height, rise}), scale), scale);
    slope = divide(body, op(ops::Add, {slope, op(ops::Multiply, {change, row})}), scale);
  }
  const Value is_open = body.op(ops::LogicalNot, {is_done});
  return {.states = {body.op(ops::Select, {is_done, before, p})},
          .rows = {},
          .condition = reduce(body, ops::ReduceLogicalOr, is_open, {0, 1})};
}

}  // namespace

Value couple_probabilities(NodeContext& node, Value decisions, const std::vector<double>& a,
                           const std::vector<double>& b, std::int64_t classes) {
  const Value form = compute_quadratic_form(node, compute_pairwise(node, decisions, a, b, classes), classes);
  const Value shape = concat(node, {dimension_of(node, form, 0), node.integers({classes})});
  const Value equal = fill(node, 1.0 / static_cast<double>(classes), kReal, shape);
  const Value steps = node.integer(std::max<std::int64_t>(100, classes));
  const LoopOutputs result =
      iterate(node, steps, {equal}, {form},
              [classes](Builder& body, Value, const Values& states, const Values& invariants) {
                return improve(body, states[0], invariants[0], classes);
              });
  return result.states[0];
}

}  // namespace onnx2ir::frontend
