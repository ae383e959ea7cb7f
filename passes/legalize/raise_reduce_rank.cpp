// The CPU plugin fuses arithmetic with a constant per channel into the Reduce before it. If the data has
// three axes and the first or the last is reduced, the plugin takes the wrong axis for the channels
// (reduce_then_channel_constant in tests/faults). With a fourth axis, which is reduced as well, it takes the
// right one. Of integers, it misreads any constant, also a single number, unless it reduces the first axis
// together with others (integer_reduce_then_constant).
#include <algorithm>

#include "ir/shape_tools.hpp"
#include "passes/constant_values.hpp"
#include "passes/passes.hpp"
#include "passes/rewrite.hpp"

namespace onnx2ir::passes {
namespace {

using Sizes = std::vector<std::int64_t>;

/// Whether a constant has several elements, all of them along one axis.
bool is_along_one_axis(const ir::PartialShape& shape) {
  if (!shape.is_static()) return false;
  return std::ranges::count_if(shape, [](const ir::Dimension& size) { return size != ir::Dimension(1); }) ==
         1;
}

/// The only use of a value, not counting ShapeOf.
std::optional<ir::Use> only_use(ir::Value value) {
  std::optional<ir::Use> found;
  for (const ir::Use& use : value.node->output(value.index).uses) {
    if (use.node->is(ops::ShapeOf)) continue;
    if (found) return std::nullopt;
    found = use;
  }
  return found;
}

/// Whether the CPU plugin misreads the constant `other` in the use of a reduced value.
bool is_misread(const ir::Use& use, ir::Value other, ir::ElementType type) {
  if (other.type() != type) return false;
  return is_along_one_axis(other.shape()) || (ir::is_integral(type) && use.node->op().traits.is_arithmetic);
}

/// Whether arithmetic with a constant that the CPU plugin misreads uses a value, directly or after operations
/// that the plugin fuses as well or moves after the arithmetic.
bool meets_misread_constant(ir::Value value) {
  constexpr int kMaxSteps = 64;  // bounds the time for long chains of reductions
  for (int step = 0; step < kMaxSteps; ++step) {
    const auto found = only_use(value);
    if (!found) return false;
    const ir::Use use = *found;
    if (use.node->outputs().size() != 1 || use.node->has_payload()) return false;
    // The plugin computes -x as x * -1.
    bool has_misread_constant = use.node->is(ops::Negative) && ir::is_integral(value.type());
    for (std::size_t i = 0; i < use.node->inputs().size(); ++i) {
      const ir::Value other = use.node->input(i);
      if (i == use.index) continue;
      if (!is_folded(other)) return false;
      has_misread_constant |= is_misread(use, other, value.type());
    }
    if (has_misread_constant) return true;
    value = use.node->value();
  }
  return false;
}

/// Whether the CPU plugin misreads constants after a reduction of these axes of three.
bool is_concerned(const Sizes& axes, ir::ElementType type) {
  if (axes.size() == 1) return axes.front() != 1 || ir::is_integral(type);
  return axes == Sizes{1, 2} && ir::is_integral(type);
}

ir::Value raised(ir::Builder& builder, ir::Node& node) {
  const ir::Value data = node.input(0);
  auto axes = ir::exact_values(node.input(1));
  if (!axes || !data.shape().has_rank() || data.shape().rank() != 3) return {};
  for (std::int64_t& axis : *axes) axis = axis < 0 ? axis + 3 : axis;
  std::ranges::sort(*axes);
  if (!is_concerned(*axes, data.type()) || !meets_misread_constant(node.value())) return {};
  // [a, b, c] as [a, b, 1, c]
  const ir::Value four_axes = ir::unsqueeze(builder, data, {2});
  Sizes reduced = {2};
  for (const std::int64_t axis : *axes) reduced.push_back(axis == 2 ? 3 : axis);
  std::ranges::sort(reduced);
  const ir::Value result = ir::reduce(builder, node.op().id, four_axes, reduced);
  // If the fourth axis is reduced without keeping it, OpenVINO cannot undo this pass.
  return node.boolean("keep_dims") ? ir::unsqueeze(builder, result, *axes) : result;
}

}  // namespace

bool raise_reduce_rank(ir::Model& model, PassContext&) {
  return rewrite_values(model,
                        {ops::ReduceSum, ops::ReduceProd, ops::ReduceMax, ops::ReduceMin, ops::ReduceMean,
                         ops::ReduceL1, ops::ReduceL2},
                        raised);
}

}  // namespace onnx2ir::passes
