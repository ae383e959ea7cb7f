// Workaround for topk_of_zero: a TopK whose k may be 0 selects at least one element, and a Slice removes it
// if k is 0. If k is the size of the axis, the data is empty as well, and the plugin does not run the
// operation. A TopK along an axis of size 0 gives its data.
#include <algorithm>

#include "ir/inference.hpp"
#include "ir/size_rules.hpp"
#include "ir/views/reduction.hpp"
#include "passes/analysis/constant_values.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

std::size_t axis_of(ir::TopKView top) {
  return ir::normalize_axis(top.axis(), top.data().shape().rank());
}

/// Whether k is positive: also the larger of an unknown and a positive number.
bool is_positive(ir::Value k) {
  const auto is_known = [](ir::Value value) { return are_at_least(value, 1); };
  return is_known(k) || (k.node->is(ops::Maximum) && std::ranges::any_of(k.node->inputs(), is_known));
}

bool may_select_none(ir::TopKView top) {
  const ir::Value k = top.k();
  if (!top.data().shape().has_rank() || is_positive(k)) return false;
  return !ir::is_size_of(k, 0, top.data(), axis_of(top));
}

void select_none(ir::Builder& builder, ir::Node& node) {
  const ir::Value data = ir::TopKView(node).data();
  ir::replace_all_uses(node.value(0), data);
  ir::replace_all_uses(node.value(1), ir::convert(builder, data, node.value(1).type()));
}

void select_one(ir::Builder& builder, ir::Node& node) {
  const ir::TopKView top = node;
  if (top.data().shape()[axis_of(top)] == ir::Dimension(0)) return select_none(builder, node);
  const ir::Value k = top.k();
  const ir::Value some = builder.op(ops::Maximum, {k, builder.integer(1, k.type())});
  const ir::Value selected = ir::clone_with_input(builder, node, ir::TopKView::Input::k, some);
  const ir::Value count = ir::convert(builder, ir::flatten(builder, k), ir::ElementType::i64);
  const auto axis = static_cast<std::int64_t>(axis_of(top));
  for (std::size_t i = 0; i < node.outputs().size(); ++i) {
    const ir::Value none = builder.integers({0});
    ir::replace_all_uses(node.value(i), ir::slice(builder, selected.node->value(i), none, count, axis));
  }
}

}  // namespace

Workaround select_one_at_least() {
  return {.stage = Stage::imported,
          .summary = "Selects at least one element by a TopK, and slices the result to k",
          .rows = {row<may_select_none, select_one>(Fault::topk_of_zero, {ops::TopK})}};
}

}  // namespace onnx2ir::passes
