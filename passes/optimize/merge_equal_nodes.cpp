// Merges nodes that compute the same from the same inputs. Exporters compute the same sizes repeatedly, and
// each translator adds its own small constants.
#include <algorithm>
#include <functional>
#include <memory_resource>
#include <unordered_set>

#include "base/hashes.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// Skips large constants: they are rarely equal, and hashing them would page in the weights.
constexpr std::uint64_t kSmallBytes = 64;

struct HashOfNode {
  std::size_t operator()(const ir::Node* node) const {
    const ir::ConstantData* const data = node->constant();
    std::size_t seed = std::hash<const void*>{}(&node->op());
    for (const ir::Value& input : node->inputs())
      seed = base::mix(seed, std::hash<const void*>{}(input.node) + input.index);
    return data == nullptr ? seed : base::hash_bytes(seed, data->bytes());
  }
};

bool are_equal(const ir::Node& a, const ir::Node& b) {
  const auto same_attribute = [](const ir::Attribute& x, const ir::Attribute& y) {
    return x.name == y.name && x.value == y.value;
  };
  if (&a.op() != &b.op() || a.marks != b.marks || a.notes != b.notes) return false;
  if (!std::ranges::equal(a.inputs(), b.inputs())) return false;
  if (!std::ranges::equal(a.attributes(), b.attributes(), same_attribute)) return false;
  if (a.constant() == nullptr) return a.outputs().size() == b.outputs().size();
  const bool same_type = a.output(0).type == b.output(0).type && a.output(0).shape == b.output(0).shape;
  return same_type && a.constant()->narrowing() == b.constant()->narrowing() &&
         std::ranges::equal(a.constant()->bytes().span(), b.constant()->bytes().span());
}

/// Whether the use needs a value of its own. Trip counts and conditions are only read, but the runtime
/// computes some states and outputs in place.
bool is_interface(const ir::Use& use) {
  const bool is_state = use.node->has_payload() && use.index != 0;
  return is_state || use.node->is(ops::Result);
}

bool feeds_interface(const ir::Node& node) {
  return std::ranges::any_of(node.outputs(), [](const ir::Output& output) {
    return std::ranges::any_of(output.uses, is_interface);
  });
}

/// Whether an equal node can exist. Does not test whether the first input has other uses, because a later
/// merge may add them.
bool may_have_equals(const ir::Node& node) {
  if (node.op().traits.is_volatile || !node.has_uses()) return false;
  if (node.constant() != nullptr) return node.constant()->size() <= kSmallBytes;
  return !node.has_payload() && !node.inputs().empty();
}

struct EqualNodes {
  bool operator()(const ir::Node* a, const ir::Node* b) const { return are_equal(*a, *b); }
};

bool merge(const ir::Graph& graph) {
  std::pmr::monotonic_buffer_resource memory;
  std::pmr::unordered_set<ir::Node*, HashOfNode, EqualNodes> firsts(&memory);  // only used for look-ups
  firsts.reserve(graph.nodes().size());
  return edit_each(graph.nodes(), [&](const ir::NodePointer& node) {
    if (!may_have_equals(*node) || feeds_interface(*node)) return false;
    const auto [first, is_new] = firsts.insert(node.get());
    if (!is_new) ir::replace_all_uses(*node, (*first)->values());
    return !is_new;
  });
}

}  // namespace

bool merge_equal_nodes(ir::Model& model, PassContext&) {
  return edit_each(graphs_of(model), [](ir::Graph* graph) { return merge(*graph); });
}

}  // namespace onnx2ir::passes
