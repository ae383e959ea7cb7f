// Workaround for rounded_sizes: OpenVINO decomposes differences, quotients and similar operations, combines
// the constants of sums and products, and computes equal sizes from one shape. The operations that it emits
// have no mark `precise`. Here marked nodes are decomposed in the same way, with marks, and opaque copies
// keep OpenVINO from changing them again.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ir/element_moves.hpp"
#include "ir/views/elementwise.hpp"
#include "ir/views/reshaping.hpp"
#include "ir/views/unary.hpp"
#include "passes/analysis/axes.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

bool is_precise(const ir::Node& node) {
  return node.marks.contains(ir::Mark::precise) && ir::is_floating(node.output(0).type) &&
         !node.is_computed_from_constants();
}

ir::Value marked(ir::Value value) {
  value.node->marks.add(ir::Mark::precise);
  return value;
}

ir::Value emit_copy(ir::Builder& builder, ir::Value value) {
  return marked(copy_opaquely(builder, value));
}

/// The number that the second operand is; no value if its axes would be missing in the result.
std::optional<double> second_number(const ir::Node& node) {
  const bool has_rank = node.input(0).shape().has_rank() && node.input(1).shape().has_rank();
  if (!has_rank || node.input(0).shape().rank() < node.input(1).shape().rank()) return std::nullopt;
  return known_number(node.input(1));
}

ir::Value negate(ir::Builder& builder, ir::Value value) {
  return emit_copy(builder, marked(builder.op(ops::Multiply, {value, builder.number_like(-1, value)})));
}

ir::Value add_negative(ir::Builder& builder, ir::SubtractView difference) {
  const auto number = second_number(difference);
  const ir::Value subtracted = difference.b();
  const ir::Value added = number ? builder.number_like(-*number, subtracted) : negate(builder, subtracted);
  return marked(builder.op(ops::Add, {difference.a(), added}));
}

/// Whether a size may be computed from `node`. Operands of Gather and Range are no sizes themselves.
bool may_lead_to_size(const ir::Node& node) {
  constexpr std::size_t kMostUses = 256;
  std::size_t uses = 0;
  return any_after(node, kMostUses, [&](const ir::Use& use) {
    const ir::Traits& traits = use.node->op().traits;
    const auto is_in = [&](const ir::InputRange& range) {
      return use.index >= range.first && use.index <= range.last;
    };
    if (++uses > kMostUses || traits.has_bodies) return Search::found;
    const bool may_be_bound = is_in(traits.indices) && !use.node->is_one_of({ops::Gather, ops::Range});
    if (is_in(traits.sizes) || may_be_bound) return Search::found;
    const bool is_followed =
        !use.node->outputs().empty() && (is_precise(*use.node) || !ir::is_floating(use.node->output(0).type));
    return is_followed ? Search::follow : Search::skip;
  });
}

/// Whether a product with the reciprocal is as exact as what OpenVINO computes. If a size may be computed
/// from the quotient, OpenVINO divides and keeps the mark; otherwise it multiplies by the reciprocal itself.
bool can_be_multiplied(ir::DivideView quotient) {
  if (!is_precise(quotient)) return false;
  const auto number = second_number(quotient);
  return (number && is_power_of_two(*number)) || !may_lead_to_size(quotient);
}

ir::Value multiply_by_reciprocal(ir::Builder& builder, ir::DivideView quotient) {
  const ir::Value divisor = quotient.b();
  const auto number = second_number(quotient);
  const ir::Value factor =
      number && is_power_of_two(*number)
          ? builder.number_like(1 / *number, divisor)
          : emit_copy(builder, marked(builder.op(ops::Power, {divisor, builder.number_like(-1, divisor)})));
  return marked(builder.op(ops::Multiply, {quotient.a(), factor}));
}

ir::Value multiply_by_minus_one(ir::Builder& builder, ir::NegativeView negative) {
  return negate(builder, negative.data());
}

/// The shape for a Reshape that does the same: one size may be unknown.
std::optional<std::vector<std::int64_t>> reshape_sizes(const ir::PartialShape& shape) {
  if (!shape.has_rank() || shape.has(0) || dynamic_dimensions(shape) > 1) return std::nullopt;
  return shape.sizes_or(-1);
}

bool can_be_reshaped(ir::UnsqueezeView unsqueeze) {
  return is_precise(unsqueeze) && reshape_sizes(unsqueeze.output(0).shape).has_value();
}

ir::Value reshape(ir::Builder& builder, ir::UnsqueezeView unsqueeze) {
  const auto sizes = reshape_sizes(unsqueeze.output(0).shape);
  return marked(
      builder.op(ops::Reshape, {unsqueeze.data(), builder.integers(*sizes)}, {{"special_zero", false}}));
}

/// Whether OpenVINO may compute the converted sizes anew, from the shape that they are of.
bool converts_sizes(ir::ConvertView convert) {
  const ir::Node& before = *convert.data().node;
  return is_precise(convert) && ir::is_integral(convert.data().type()) &&
         (before.is_one_of({ops::ShapeOf, ops::Concat}) || before.is_one_of(ir::kElementMoves));
}

void hide_sizes(ir::Builder& builder, ir::Node& convert) {
  convert.set_input(ir::ConvertView::Input::data, copy_opaquely(builder, convert.input(0)));
}

/// Whether a constant of `node` would be combined with one of the operation before it.
bool continues_constants(const ir::Node& node) {
  if (!is_precise(node) || !constant_step(node).operand) return false;
  const ir::Node& before = *constant_step(node).operand.node;
  const bool may_be_combined = before.is(ops::Multiply) ? node.is(ops::Multiply) : before.is(ops::Add);
  return may_be_combined && is_precise(before) && constant_step(before).operand;
}

void separate_constants(ir::Builder& builder, ir::Node& node) {
  const ir::Value operand = constant_step(node).operand;
  const std::size_t index = node.input(0) == operand ? 0 : 1;
  node.set_input(index, emit_copy(builder, operand));
}

}  // namespace

Workaround decompose_precise_arithmetic() {
  constexpr Fault kFault = Fault::rounded_sizes;
  return {.summary = "Decomposes arithmetic that must not be rounded to the precision of the inference",
          .stages = {{Stage::kernels,
                      {row<is_precise, add_negative>(kFault, {ops::Subtract}),
                       row<can_be_multiplied, multiply_by_reciprocal>(kFault, {ops::Divide}),
                       row<is_precise, multiply_by_minus_one>(kFault, {ops::Negative}),
                       row<can_be_reshaped, reshape>(kFault, {ops::Unsqueeze}),
                       row<converts_sizes, hide_sizes>(kFault, {ops::Convert}),
                       row<continues_constants, separate_constants>(kFault, {ops::Add, ops::Multiply})}}}};
}

}  // namespace onnx2ir::passes
