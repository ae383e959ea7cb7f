// Adds a leading axis of size 1 to values of a Loop that may have the shape [0, 1, ..., 1], such as empty
// vectors. On 2024.6 a Loop with an input, a state or an output of such a shape ends the process
// (empty_loop_vectors); [1, 0] works.
#include <algorithm>

#include "ir/inference.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/reshaping.hpp"
#include "ir/views/selection.hpp"
#include "passes/analysis/axes.hpp"
#include "passes/passes.hpp"
#include "passes/support/run_time_values.hpp"
#include "passes/support/stacked_values.hpp"

namespace onnx2ir::passes {
namespace {

bool may_have_empty_unit_shape(const ir::PartialShape& shape) {
  if (!shape.has_rank() || shape.rank() == 0 || shape[0].min != 0) return false;
  return std::all_of(shape.begin() + 1, shape.end(),
                     [](const ir::Dimension& size) { return size.admits(1); });
}

/// Whether the body takes an element of `parameter` along its first axis, so that it cannot be empty.
bool has_elements(const ir::Node& parameter) {
  return std::ranges::any_of(parameter.output(0).uses, [](const ir::Use& use) {
    const auto reader = ir::match<ir::GatherView>(*use.node);
    if (!reader || use.index != ir::GatherView::Input::data) return false;
    const auto index = ir::known_scalar(reader->indices());
    return index && *index >= 0 && ir::known_scalar(reader->axis()) == 0;
  });
}

/// Whether `node` is an `operation` on the first axis alone.
bool applies_to_first_axis(const ir::Node& node, ir::Op operation) {
  return node.is(operation) && node.inputs().size() == 2 && node.input(1).shape().element_count() == 1 &&
         ir::known_scalar(node.input(1)) == 0;
}

/// `value` with a leading axis of size 1. A Reshape to known sizes gets a further size instead.
ir::Value add_leading_axis(ir::Builder& builder, ir::Value value) {
  const auto reshape = ir::match<ir::ReshapeView>(value);
  const auto sizes = reshape ? ir::exact_values(reshape->shape()) : std::nullopt;
  if (!sizes || reshape->special_zero()) return ir::unsqueeze(builder, value, {0});
  std::vector<std::int64_t> shape{1};
  shape.insert(shape.end(), sizes->begin(), sizes->end());
  return ir::reshape(builder, reshape->data(), shape);
}

/// If `value` is Concat(Squeeze(x), y) and has no other uses: the Concat of x and of y with the leading axis.
/// Otherwise null.
ir::Value append_with_axis(ir::Builder& builder, ir::Value value) {
  const auto concat = ir::match<ir::ConcatView>(value);
  if (!concat || !is_used_once(concat->node())) return {};
  const ir::Node& first = *concat->parts().front().node;
  if (!applies_to_first_axis(first, ops::Squeeze)) return {};
  std::vector<ir::Value> inputs{ir::SqueezeView(first).data()};
  for (const ir::Value input : concat->parts().subspan(1)) inputs.push_back(add_leading_axis(builder, input));
  return ir::concat(builder, inputs, static_cast<std::int64_t>(joined_axis(*concat)) + 1);
}

ir::Value wrap(ir::Builder& builder, ir::Value value) {
  // Between two loops the leading axis is kept.
  if (applies_to_first_axis(*value.node, ops::Squeeze)) return ir::SqueezeView(*value.node).data();
  builder.set_name(value.node->name);
  if (const ir::Value appended = append_with_axis(builder, value)) return appended;
  return ir::unsqueeze(builder, value, {0});
}

/// Adds the axis to `value`, a Parameter of a body or an output of a loop, and inserts a Squeeze before all
/// its uses.
void read_unwrapped(ir::Value value) {
  const auto readers = value.output().uses;
  declare_first_axis(value, 1);
  if (readers.empty()) return;
  ir::Builder builder = ir::builder_beside(*value.node);
  const ir::Value inner = ir::squeeze(builder, value, {0});
  for (const ir::Use& use : readers) {
    if (use.index != 0 || !applies_to_first_axis(*use.node, ops::Unsqueeze)) continue;
    const bool is_copy = is_read_by(*use.node, {ops::Result});  // it is the next value of a state
    ir::replace_all_uses(use.node->value(), is_copy ? copy_opaquely(builder, value) : value);
  }
  ir::replace_uses({readers.begin(), readers.end()}, value, inner);
}

class LoopValues {
 public:
  explicit LoopValues(ir::LoopView loop) : loop_(loop), body_(loop.body()), outside_(loop.node().graph()) {}

  bool run() {
    bool modified = false;
    for (const ir::Invariant& invariant : body_.invariants) {
      if (!may_have_empty_unit_shape(loop_.outer(invariant).shape())) continue;
      unsqueeze_parameter(invariant);
      modified = true;
    }
    for (const ir::Carried& state : body_.carried) {
      if (has_elements(*state.parameter)) continue;
      if (!may_have_empty_unit_shape(loop_.outer(state).shape()) &&
          !may_have_empty_unit_shape(state.parameter->output(0).shape) &&
          !may_have_empty_unit_shape(state.result->output(0).shape))
        continue;
      unsqueeze_parameter(state);
      unsqueeze_result(*state.result, loop_.output(state));
      modified = true;
    }
    for (const ir::LastValue& last : body_.last_values) {
      if (!may_have_empty_unit_shape(last.result->output(0).shape)) continue;
      unsqueeze_result(*last.result, loop_.output(last));
      modified = true;
    }
    if (modified) ir::infer(loop_.node());
    return modified;
  }

 private:
  template <typename Port>
  void unsqueeze_parameter(const Port& port) {
    loop_.set_outer(port, wrap(outside_, loop_.outer(port)));
    read_unwrapped(port.parameter->value());
  }

  void unsqueeze_result(ir::Node& result, ir::Value output) {
    ir::Builder inside(*body_.graph);
    const ir::Value value = wrap(inside, result.input(0));
    // The next value of a state must not be a Parameter itself (sequential_back_edges).
    result.set_input(0, value.node->is(ops::Parameter) ? copy_opaquely(inside, value) : value);
    ir::infer(result);
    if (output) read_unwrapped(output);
  }

  ir::LoopView loop_;
  ir::LoopBody& body_;
  ir::Builder outside_;
};

}  // namespace

bool unsqueeze_empty_loop_values(ir::Model& model, PassContext&) {
  return edit_each(runnable_loops_of(model), [](ir::LoopView loop) { return LoopValues(loop).run(); });
}

}  // namespace onnx2ir::passes
