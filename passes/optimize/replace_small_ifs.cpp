// Replaces an If whose branches choose between few numbers, or compute them with few operations, by both
// computations and Selects: exported loops with `break` or a comparison of numbers are full of such Ifs. The
// CPU plugin takes longer for an If than for several operations on numbers.
#include <optional>

#include "passes/analysis/constant_values.hpp"
#include "passes/analysis/foldable.hpp"
#include "passes/passes.hpp"
#include "passes/support/inline_branch.hpp"
#include "passes/support/select_values.hpp"

namespace onnx2ir::passes {
namespace {

constexpr std::size_t kMaxOperations = 4;   ///< of both branches
constexpr std::int64_t kMaxElements = 256;  ///< of a result that is chosen, but not computed

/// The number of operations of a branch; no value if one of them cannot be computed although the other branch
/// is taken, because it may fail, or compute more than one element.
std::optional<std::size_t> harmless_operations(const ir::Branch& branch) {
  std::size_t count = 0;
  for (const auto& node : branch.graph->nodes()) {
    if (!node->has_uses() || node->is(ops::Parameter) || node->constant() != nullptr) continue;
    const bool is_number = node->outputs().size() == 1 && node->output(0).shape.element_count() == 1;
    if (!is_number || !never_fails(*node)) return std::nullopt;
    ++count;
  }
  return count;
}

/// Whether output `index` can be the output of a Select, or of logical operations.
bool is_selectable(ir::IfView if_view, std::size_t index) {
  const auto [then_result, else_result] = if_view.results(index);
  const ir::Output& a = then_result->input(0).output();
  const ir::Output& b = else_result->input(0).output();
  return a.type == b.type && can_be_selected(a.type) && a.shape.is_static() && a.shape == b.shape &&
         a.shape.element_count().value_or(kMaxElements + 1) <= kMaxElements;
}

bool is_small(ir::IfView if_view) {
  if (!if_view.condition().shape().is_scalar()) return false;
  for (std::size_t i = 0; i < if_view.node().outputs().size(); ++i) {
    if (!if_view.node().output(i).uses.empty() && !is_selectable(if_view, i)) return false;
  }
  const auto first = harmless_operations(if_view.then_branch());
  const auto second = harmless_operations(if_view.else_branch());
  return first && second && *first + *second <= kMaxOperations;
}

void replace(ir::IfView if_view) {
  ir::Node& node = if_view.node();
  const ir::Value condition = if_view.condition();
  const ir::Values a = inline_branch(node, if_view.then_branch());
  const ir::Values b = inline_branch(node, if_view.else_branch());
  ir::Builder builder = ir::builder_beside(node);
  for (std::uint32_t i = 0; i < a.size(); ++i) {
    if (node.output(i).uses.empty()) continue;
    ir::replace_all_uses(node.value(i),
                         are_equal(a[i], b[i]) ? a[i] : choose(builder, condition, a[i], b[i]));
  }
}

}  // namespace

bool replace_small_ifs(ir::Model& model, PassContext&) {
  return edit_control_flow(model, [](ir::Node& node) {
    if (node.branches() == nullptr || !node.has_uses() || !is_small(ir::IfView(node))) return false;
    replace(ir::IfView(node));
    return true;
  });
}

}  // namespace onnx2ir::passes
