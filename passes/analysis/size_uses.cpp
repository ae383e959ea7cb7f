#include "passes/analysis/size_uses.hpp"

#include "passes/analysis/bounded_search.hpp"

namespace onnx2ir::passes {
namespace {

bool is_followed(const ir::Node& node) {
  if (node.outputs().empty()) return false;
  return !ir::is_floating(node.output(0).type) || node.marks.contains(ir::Mark::precise);
}

}  // namespace

bool may_lead_to_size(const ir::Node& node) {
  constexpr int kMostUses = 256;
  int uses = 0;
  return any_after(node, kMostUses, [&](const ir::Use& use) {
    const ir::Traits& traits = use.node->op().traits;
    const auto is_in = [&](const ir::InputRange& range) {
      return use.index >= range.first && use.index <= range.last;
    };
    if (++uses > kMostUses || traits.has_bodies) return Search::found;
    const bool may_be_bound = is_in(traits.indices) && !use.node->is_one_of({ops::Gather, ops::Range});
    if (is_in(traits.sizes) || may_be_bound) return Search::found;
    return is_followed(*use.node) ? Search::follow : Search::skip;
  });
}

}  // namespace onnx2ir::passes
