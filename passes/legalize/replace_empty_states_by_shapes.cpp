// Replaces a state that is always empty by its shape. A Loop does not notice that the shape of such a state
// changes: the state keeps its initial shape (empty_state_shape, unnoticed_state_shape).
#include <algorithm>
#include <unordered_set>
#include <vector>

#include "ir/inference.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// The shape of a state in all iterations. Inference makes sizes of Parameters dynamic if their shapes
/// change.
ir::PartialShape shape_of(ir::LoopView loop, const ir::Carried& state) {
  return ir::join(loop.outer(state).shape(), state.result->input(0).shape());
}

bool is_replaced(ir::LoopView loop, const ir::Carried& state) {
  const ir::PartialShape shape = shape_of(loop, state);
  return state.parameter->output(0).type != ir::ElementType::string && shape.has_rank() &&
         !shape.is_static() && shape.has(0);
}

/// An empty tensor with the sizes `sizes`, i64 [rank], which agree with the static sizes of `shape`.
ir::Value emit_empty_tensor(ir::Builder& builder, ir::ElementType type, const ir::PartialShape& shape,
                            ir::Value sizes) {
  std::vector<ir::Value> nonzero;  // the axes of size 0 are removed below
  std::vector<std::int64_t> empty_axes;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    const auto axis = static_cast<std::int64_t>(i);
    if (shape[i] == ir::Dimension(0)) empty_axes.push_back(axis);
    nonzero.push_back(shape[i].is_dynamic() ? ir::gather(builder, sizes, builder.integers({axis}))
                                            : builder.integers({std::max<std::int64_t>(shape[i].size(), 1)}));
  }
  const ir::Value filled = ir::fill(builder, 0, type, ir::concat(builder, nonzero));
  const std::vector<std::int64_t> zeros(empty_axes.size(), 0);
  const std::vector<std::int64_t> ones(empty_axes.size(), 1);
  return builder.op(ops::Slice, {filled, builder.integers(zeros), builder.integers(zeros),
                                 builder.integers(ones), builder.integers(empty_axes)});
}

bool run_on(ir::LoopView loop) {
  std::vector<ir::Carried> states;
  std::ranges::copy_if(loop.states(), std::back_inserter(states),
                       [&](const ir::Carried& state) { return is_replaced(loop, state); });
  if (states.empty()) return false;
  ir::Builder outside = ir::builder_beside(loop.node());
  ir::Builder inside(loop.graph());
  std::vector<ir::Node*> parameters;
  std::unordered_set<const ir::Node*> removed;
  for (const ir::Carried& state : states) {
    const ir::PartialShape shape = shape_of(loop, state);
    const ir::Value present = state.parameter->value();
    inside.set_name(state.parameter->name);
    const auto rank = static_cast<std::int64_t>(shape.rank());
    const ir::Value sizes = inside.parameter(ir::ElementType::i64, ir::PartialShape{rank});
    parameters.push_back(sizes.node);
    removed.insert(state.parameter);
    ir::replace_all_uses(present, emit_empty_tensor(inside, present.type(), shape, sizes));
  }
  for (std::size_t i = 0; i < states.size(); ++i) {
    const ir::Carried& state = states[i];
    inside.set_name(state.result->name);
    ir::Node& next = inside.result(ir::compute_shape_of(inside, state.result->input(0)));
    ir::Carried& added =
        loop.add_state(ir::compute_shape_of(outside, loop.outer(state)), *parameters[i], next);
    if (!state.output) continue;
    const ir::Value sizes = loop.add_output(added);
    ir::declare_output(loop.node(), sizes.index, ir::ElementType::i64, parameters[i]->output(0).shape);
    const ir::Value final = loop.output(state);
    ir::replace_all_uses(final, emit_empty_tensor(outside, final.type(), final.shape(), sizes));
  }
  loop.remove_unused_outputs();
  loop.remove_states([&](const ir::Carried& state) { return removed.contains(state.parameter); });
  ir::infer(loop.node());
  return true;
}

}  // namespace

bool replace_empty_states_by_shapes(ir::Model& model, PassContext&) {
  return edit_each(runnable_loops_of(model), run_on);
}

}  // namespace onnx2ir::passes
