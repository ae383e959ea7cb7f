// Fuses (x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon) over the last axes into one MVN.
#include "ir/views/elementwise.hpp"
#include "ir/views/reduction.hpp"
#include "ir/views/unary.hpp"
#include "passes/analysis/axes.hpp"
#include "passes/passes.hpp"
#include "passes/pattern.hpp"

namespace onnx2ir::passes {
namespace {

/// The number of axes if `value` is the mean over exactly the last axes of `x`; 0 otherwise.
std::size_t axes_of_mean(ir::Value value, const ir::PartialShape& x) {
  const auto mean = ir::match<ir::ReduceMeanView>(value);
  if (!mean || !mean->keep_dims() || !x.has_rank()) return 0;
  const auto axes = sorted_axes(mean->axes(), x.rank());
  if (!axes || axes->size() > x.rank()) return 0;
  const std::vector<std::int64_t> all = all_axes(x.rank());
  return std::ranges::equal(*axes, std::span(all).last(axes->size())) ? axes->size() : 0;
}

struct Deviation {
  ir::Value x;
  std::size_t axes = 0;
};

/// Whether `node` converts to a wider floating-point type.
bool is_widening(const ir::Node& node) {
  const auto convert = ir::match<ir::ConvertView>(node);
  if (!convert) return false;
  const ir::ElementType from = convert->data().type();
  const ir::ElementType to = convert->output(0).type;
  return ir::is_floating(from) && ir::is_floating(to) && ir::info(from).bits < ir::info(to).bits;
}

/// Matches x - mean(x), also if it is converted to a wider type before it is squared.
std::optional<Deviation> match_deviation(ir::Value value) {
  if (is_widening(*value.node)) value = ir::ConvertView(*value.node).data();
  ir::Value x;
  ir::Value mean;
  if (!matches(value, op(ops::Subtract, any(x), any(mean, op(ops::ReduceMean, same(x))))))
    return std::nullopt;
  const std::size_t axes = axes_of_mean(mean, x.shape());
  return axes == 0 ? std::nullopt : std::optional(Deviation{x, axes});
}

/// The operand of a square root: v in Sqrt(v) or Power(v, 0.5).
ir::Value under_root(ir::Value value) {
  ir::Value operand;
  const bool is_root = matches(value, op(ops::Sqrt, any(operand))) ||
                       matches(value, op(ops::Power, any(operand), number(0.5)));
  return is_root ? operand : ir::Value{};
}

/// Matches numerator / root and numerator * (1 / root): the operand of the root, and the numerator.
std::pair<ir::Value, ir::Value> match_quotient(const ir::Node& node) {
  if (const auto divide = ir::match<ir::DivideView>(node)) return {divide->a(), under_root(divide->b())};
  for (const std::size_t index : {0U, 1U}) {
    const ir::Value factor = node.input(index);
    ir::Value operand;
    if (matches(factor, op(ops::Divide, number(1), any(operand))))
      return {node.input(1 - index), under_root(operand)};
    if (matches(factor, op(ops::Power, any(operand), number(-0.5)))) return {node.input(1 - index), operand};
  }
  return {};
}

ir::Value squared(ir::Value value) {
  ir::Value x;
  const bool is_square =
      matches(value, op(ops::Power, any(x), number(2))) || matches(value, op(ops::Multiply, any(x), same(x)));
  return is_square ? x : ir::Value{};
}

ir::Value fuse(ir::Builder& builder, const ir::Node& node) {
  if (!ir::is_floating(node.output(0).type)) return {};
  const auto [numerator, variance_and_epsilon] = match_quotient(node);
  if (!variance_and_epsilon || !variance_and_epsilon.node->is(ops::Add)) return {};
  const auto centred = match_deviation(numerator);
  if (!centred || centred->x.shape() != node.output(0).shape) return {};
  const ir::Node& sum = *variance_and_epsilon.node;
  for (const std::size_t index : {0U, 1U}) {
    const auto epsilon = ir::exact_number(sum.input(1 - index));
    const ir::Value variance = sum.input(index);
    if (!epsilon || !(*epsilon > 0) || !is_used_once(variance)) continue;
    if (axes_of_mean(variance, centred->x.shape()) != centred->axes) continue;
    const ir::Value deviation = squared(ir::ReduceMeanView(*variance.node).data());
    if (!deviation) continue;
    const auto again = match_deviation(deviation);
    if (!again || again->x != centred->x || again->axes != centred->axes) continue;
    const std::vector<std::int64_t> axes = all_axes(centred->x.shape().rank());
    const ir::Value x = ir::convert(builder, centred->x, node.output(0).type);
    return builder.op(ops::MVN, {x, builder.integers(std::span(axes).last(centred->axes))},
                      {{"eps", *epsilon}, {"normalize_variance", true}, {"eps_mode", "INSIDE_SQRT"}});
  }
  return {};
}

}  // namespace

bool fuse_layer_normalization(ir::Model& model, PassContext&) {
  return rewrite_values(model, {ops::Divide, ops::Multiply}, fuse);
}

}  // namespace onnx2ir::passes
