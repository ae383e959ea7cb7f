// The CPU plugin fuses arithmetic with a constant per channel into the Reduce before it. If the data has
// three axes and the first or the last is reduced, the plugin takes the wrong axis for the channels
// (reduce_then_channel_constant in tests/faults). With a fourth axis, which is reduced as well, it takes the
// right one.
#include <algorithm>

#include "ir/shape_tools.hpp"
#include "passes/passes.hpp"
#include "passes/rewrite.hpp"

namespace onnx2ir::passes {
namespace {

using Sizes = std::vector<std::int64_t>;

/// Whether OpenVINO folds the value into a constant: the value is computed from constants in at most `depth`
/// steps.
bool is_constant(ir::Value value, int depth = 4) {
  if (value.node->is(ops::Const)) return true;
  const auto inputs = value.node->inputs();
  if (depth == 0 || inputs.empty() || value.node->has_payload()) return false;
  return std::ranges::all_of(inputs, [&](ir::Value input) { return is_constant(input, depth - 1); });
}

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

/// Whether arithmetic with a constant per channel uses a value, directly or after operations that the plugin
/// fuses as well or moves after the arithmetic.
bool meets_channel_constant(ir::Value value) {
  while (const auto found = only_use(value)) {
    const ir::Use use = *found;
    if (use.node->outputs().size() != 1 || use.node->has_payload()) return false;
    bool has_channel_constant = false;
    for (std::size_t i = 0; i < use.node->inputs().size(); ++i) {
      const ir::Value other = use.node->input(i);
      if (i == use.index) continue;
      if (!is_constant(other)) return false;
      has_channel_constant |= is_along_one_axis(other.shape()) && other.type() == value.type();
    }
    if (has_channel_constant) return true;
    value = use.node->value();
  }
  return false;
}

ir::Value raised(ir::Builder& builder, ir::Node& node) {
  const ir::Value data = node.input(0);
  const auto axes = ir::exact_values(node.input(1));
  if (!axes || axes->size() != 1 || !data.shape().has_rank() || data.shape().rank() != 3) return {};
  const std::int64_t axis = axes->front() < 0 ? axes->front() + 3 : axes->front();
  if (axis == 1 || !meets_channel_constant(node.value())) return {};
  // [a, b, c] as [a, b, 1, c]
  const ir::Value four_axes = ir::unsqueeze(builder, data, {2});
  const Sizes reduced = axis == 0 ? Sizes{0, 2} : Sizes{2, 3};
  const ir::Value result = ir::reduce(builder, node.op().id, four_axes, reduced);
  // If the fourth axis is reduced without keeping it, OpenVINO cannot undo this pass.
  return node.boolean("keep_dims") ? ir::unsqueeze(builder, result, {axis}) : result;
}

}  // namespace

bool raise_reduce_rank(ir::Model& model, PassContext&) {
  return rewrite_values(model,
                        {ops::ReduceSum, ops::ReduceProd, ops::ReduceMax, ops::ReduceMin, ops::ReduceMean,
                         ops::ReduceL1, ops::ReduceL2},
                        raised);
}

}  // namespace onnx2ir::passes
