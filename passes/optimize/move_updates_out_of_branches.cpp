// If the branches of an If append to the same value of dynamic size, or write elements of it, moves the
// updates after the If. The branches then return only the elements, whose shapes are static: the runtime does
// not copy the whole value out of the If, and its size does not depend on the branch. If one branch appends
// more than the other one, the other one returns zeros in place of the elements, and a Tile after the If
// removes them.
#include <algorithm>
#include <span>
#include <vector>

#include "ir/views/joining.hpp"
#include "ir/views/selection.hpp"
#include "passes/analysis/axes.hpp"
#include "passes/passes.hpp"
#include "passes/support/select_values.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

/// The most elements that only one branch appends: the other branch returns as many zeros.
constexpr std::int64_t kMaxElements = 1024;

/// The result of a branch: `base`, an outer value, after the updates in this order.
struct Updated {
  ir::Value base;  ///< null for a result of another form
  std::vector<ir::Node*> updates;
};

bool appends(const ir::Node& node) {
  return node.is(ops::Concat) && node.inputs().size() == 2;
}

/// Whether `node` appends to its first input or writes elements of it, and all other inputs have a static
/// shape.
bool is_update(const ir::Node& node) {
  const auto update = ir::match<ir::ScatterNDUpdateView>(node);
  const bool writes = update && !update->reduction();
  if ((!appends(node) && !writes) || !is_used_once(node)) return false;
  return std::ranges::all_of(node.inputs().subspan(1),
                             [](ir::Value input) { return input.shape().is_static(); });
}

/// Whether the updates are the same operation on operands of the same shapes.
bool are_alike(const ir::Node& a, const ir::Node& b) {
  if (!a.is(b.op().id)) return false;
  for (std::size_t i = 1; i < a.inputs().size(); ++i) {
    if (a.input(i).shape() != b.input(i).shape()) return false;
  }
  return !appends(a) || joined_axis(a) == joined_axis(b);
}

bool appends_few(const ir::Node* node) {
  return appends(*node) && ir::ConcatView(*node).parts()[1].shape().element_count() <= kMaxElements;
}

bool is_used(const ir::Output& output) {
  return !output.uses.empty();
}

class UpdateMover {
 public:
  UpdateMover(ir::Node& node, bool has_stale_sizes) : if_view_(node), has_stale_sizes_(has_stale_sizes) {
    for (const ir::Branch* branch : if_view_.branches()) captured_.add(node, *branch);
  }

  bool run() {
    bool modified = false;
    const std::size_t count = if_view_.node().outputs().size();
    for (std::size_t i = 0; i < count; ++i) modified = move_update(i) || modified;
    return modified;
  }

 private:
  Updated updated(const ir::Node& result) const {
    Updated updated;
    ir::Value value = result.input(0);
    for (; is_update(*value.node); value = value.node->input(0)) updated.updates.push_back(value.node);
    std::ranges::reverse(updated.updates);
    updated.base = captured_.of(value);
    return updated;
  }

  bool move_update(std::size_t index) {
    ir::Node& node = if_view_.node();
    if (!is_used(node.output(index))) return false;
    const auto [then_node, else_node] = if_view_.results(index);
    const Updated then_result = updated(*then_node);
    const Updated else_result = updated(*else_node);
    const ir::Value base = then_result.base;
    if (!base || else_result.base != base) return false;
    if (then_result.updates.empty() && else_result.updates.empty()) return false;
    if (base.shape().is_static() || base.type() == ir::ElementType::string) return false;
    const ir::Value result = update_outside(then_result, else_result);
    if (!result) return false;
    ir::replace_all_uses(node.value(index), result);
    return true;
  }

  /// `base` after the updates of the branch that is taken, computed after the If; null if that is not
  /// possible or does not pay.
  ir::Value update_outside(const Updated& then_result, const Updated& else_result) {
    const auto& [base, then_updates] = then_result;
    const auto& else_updates = else_result.updates;
    const std::size_t common = std::min(then_updates.size(), else_updates.size());
    for (std::size_t i = 0; i < common; ++i) {
      if (!are_alike(*then_updates[i], *else_updates[i])) return {};
    }
    const bool is_then = then_updates.size() > common;
    const std::span<ir::Node* const> rest = std::span(is_then ? then_updates : else_updates).subspan(common);
    if (!std::ranges::all_of(rest, appends_few)) return {};
    if (common == 0 && !pays_for_one_branch(rest)) return {};

    ir::Builder builder = ir::builder_beside(if_view_.node());
    ir::Value result = base;
    for (std::size_t i = 0; i < common; ++i) {
      const ir::Node& update = *then_updates[i];
      std::vector<ir::Value> inputs{result};
      for (std::size_t operand = 1; operand < update.inputs().size(); ++operand)
        inputs.push_back(if_view_.add_output(update.input(operand), else_updates[i]->input(operand)));
      result = builder.clone(update, inputs).value();
    }
    for (const ir::Node* append : rest) {
      const ir::Value elements = move_outside(builder, ir::ConcatView(*append).parts()[1], is_then);
      const std::size_t axis = joined_axis(*append);
      result = ir::concat(builder, {result, keep_if(builder, if_view_.condition(), is_then, elements, axis)},
                          static_cast<std::int64_t>(axis));
    }
    return result;
  }

  /// If only one branch appends: whether a Select and a Tile after the If cost less than the result of
  /// dynamic size. They do if no If remains, or if the runtime needs results of distinct shapes.
  bool pays_for_one_branch(std::span<ir::Node* const> appends) const {
    if (has_stale_sizes_) return true;
    const auto is_known_outside = [&](const ir::Node* append) {
      const ir::Value elements = ir::ConcatView(*append).parts()[1];
      return elements.node->constant() != nullptr || captured_.of(elements);
    };
    return std::ranges::count_if(if_view_.node().outputs(), is_used) == 1 &&
           std::ranges::all_of(appends, is_known_outside);
  }

  /// `elements`, a value of one branch, as a value after the If. The other branch returns zeros.
  ir::Value move_outside(ir::Builder& builder, ir::Value elements, bool is_then) {
    if (elements.node->constant() != nullptr) return builder.clone(*elements.node).value();
    if (const ir::Value captured = captured_.of(elements)) return captured;
    ir::Builder other_branch(is_then ? *if_view_.else_branch().graph : *if_view_.then_branch().graph);
    const std::vector<double> zeros(static_cast<std::size_t>(*elements.shape().element_count()), 0.0);
    const ir::Value other = other_branch.numbers(zeros, *elements.shape().sizes(), elements.type());
    return is_then ? if_view_.add_output(elements, other) : if_view_.add_output(other, elements);
  }

  ir::IfView if_view_;
  bool has_stale_sizes_;
  CapturedValues captured_;
};

}  // namespace

bool move_updates_out_of_branches(ir::Model& model, PassContext& context) {
  const bool has_stale_sizes = context.has(Fault::branch_output_size);
  return edit_control_flow(model, [&](ir::Node& node) {
    return node.branches() != nullptr && UpdateMover(node, has_stale_sizes).run();
  });
}

}  // namespace onnx2ir::passes
