// Replaces a size by an equal one that is computed earlier. Exporters take the sizes of a batch and of a
// sequence from the hidden state of each layer; values that are computed from them, such as masks, are then
// computed once.
#include <algorithm>
#include <unordered_set>

#include "ir/size_rules.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// The operations that only select sizes. Others may keep a size from OpenVINO's inference on purpose.
constexpr ir::OperationSet kSelections{ops::ShapeOf, ops::Gather,  ops::Slice,    ops::Concat,
                                       ops::Reshape, ops::Squeeze, ops::Unsqueeze};

/// Known sizes, at least one of which is computed at run time; otherwise empty.
ir::Sizes computed_sizes(ir::Value value) {
  const auto sizes = ir::elements_of(value);
  if (!sizes) return {};
  const bool are_known = std::ranges::none_of(*sizes, [](ir::Size size) { return size == nullptr; });
  const bool are_constant =
      std::ranges::all_of(*sizes, [](ir::Size size) { return ir::constant(size).has_value(); });
  return are_known && !are_constant ? *sizes : ir::Sizes{};
}

struct Sized {
  ir::Value value;
  ir::Sizes sizes;

  /// Whether the values have the same type, shape and sizes.
  friend bool operator==(const Sized& a, const Sized& b) {
    return a.value.type() == b.value.type() && a.value.shape() == b.value.shape() &&
           std::ranges::equal(a.sizes, b.sizes);
  }
};

struct HashOfSizes {
  std::size_t operator()(const Sized& sized) const {
    std::size_t hash = sized.sizes.size();
    for (const ir::Size size : sized.sizes) hash = hash * 1000003 ^ size->number;
    return hash;
  }
};

bool share(const ir::Graph& graph) {
  std::unordered_set<Sized, HashOfSizes> firsts;  // only used for look-ups
  return edit_each(graph.nodes(), [&](const ir::NodePointer& node) {
    if (!node->is_one_of(kSelections) || !node->has_uses() || is_read_by(*node, {ops::Result})) return false;
    const ir::Sizes sizes = computed_sizes(node->value());
    if (sizes.empty()) return false;
    const auto [first, is_new] = firsts.insert({node->value(), sizes});
    if (!is_new) ir::replace_all_uses(node->value(), first->value);
    return !is_new;
  });
}

}  // namespace

bool share_equal_sizes(ir::Model& model, PassContext&) {
  return edit_each(graphs_of(model),
                   [](ir::Graph* graph) { return graph->may_hold({ops::ShapeOf}) && share(*graph); });
}

}  // namespace onnx2ir::passes
