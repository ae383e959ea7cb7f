// Reads a size where it was computed first. Exporters take the sizes of a batch and of a sequence from the
// hidden state of each layer; what is computed from them, such as a mask, is computed once then.
#include <algorithm>
#include <unordered_map>

#include "ir/element_sizes.hpp"
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

/// The first value of the same type and shape with the same sizes.
class FirstSizes {
 public:
  ir::Value find_or_add(ir::Value value, const ir::Sizes& sizes) {
    std::size_t hash = sizes.size();
    for (const ir::Size size : sizes) hash = hash * 1000003 ^ size->number;
    const auto [first, last] = by_hash_.equal_range(hash);
    for (auto at = first; at != last; ++at) {
      const Entry& entry = at->second;
      const bool is_equal = entry.value.type() == value.type() && entry.value.shape() == value.shape() &&
                            std::ranges::equal(entry.sizes, sizes);
      if (is_equal) return entry.value;
    }
    by_hash_.emplace(hash, Entry{value, sizes});
    return {};
  }

 private:
  struct Entry {
    ir::Value value;
    ir::Sizes sizes;
  };
  std::unordered_multimap<std::size_t, Entry> by_hash_;  ///< only used for look-ups
};

bool share(ir::Graph& graph) {
  FirstSizes firsts;
  bool modified = false;
  for (const auto& node : graph.nodes()) {
    if (!node->is_one_of(kSelections) || !node->has_uses() || is_read_by(*node, {ops::Result})) continue;
    const ir::Sizes sizes = computed_sizes(node->value());
    if (sizes.empty()) continue;
    const ir::Value first = firsts.find_or_add(node->value(), sizes);
    if (!first) continue;
    ir::replace_all_uses(node->value(), first);
    modified = true;
  }
  return modified;
}

}  // namespace

bool share_equal_sizes(ir::Model& model, PassContext&) {
  return edit_each(graphs_of(model),
                   [](ir::Graph* graph) { return graph->may_hold({ops::ShapeOf}) && share(*graph); });
}

}  // namespace onnx2ir::passes
