// Merges nodes that compute the same from the same inputs. Exporters compute the same sizes repeatedly, and
// each translator adds its own small constants.
#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// Skips large constants: they are rarely equal, and hashing them would page in the weights.
constexpr std::uint64_t kSmallBytes = 64;

void mix(std::size_t& seed, std::size_t value) {
  seed = (seed ^ value) * 0x9E3779B97F4A7C15U;
  seed ^= seed >> 32U;
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::size_t hash_of(const ir::Node& node) {
  std::size_t seed = std::hash<const void*>{}(&node.op());
  for (const ir::Value& input : node.inputs()) mix(seed, std::hash<const void*>{}(input.node) + input.index);
  if (node.constant() != nullptr) mix(seed, std::hash<std::string_view>{}(text_of(node.constant()->bytes())));
  return seed;
}

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
         text_of(a.constant()->bytes()) == text_of(b.constant()->bytes());
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

/// The first of each set of equal nodes of a graph. All graphs share the table, because most are small. It
/// takes half of the time of a std::unordered_set.
class FirstNodes {
 public:
  void clear() {
    slots_.assign(kMinSlots, Slot{});
    count_ = 0;
  }

  /// The earlier node that is equal to `node`; null if there is no such node, and then `node` is added.
  ir::Node* find_or_add(ir::Node& node) {
    if ((count_ + 1) * 2 > slots_.size()) grow();
    const std::size_t hash = hash_of(node);
    Slot& slot = slots_[place_of(hash, &node)];
    if (slot.node != nullptr) return slot.node;
    slot = {hash, &node};
    ++count_;
    return nullptr;
  }

 private:
  struct Slot {
    std::size_t hash = 0;
    ir::Node* node = nullptr;
  };

  /// The slot of a node equal to `node`, or the empty slot to put `node` into.
  std::size_t place_of(std::size_t hash, const ir::Node* node) const {
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
      const Slot& slot = slots_[at];
      if (slot.node == nullptr || (slot.hash == hash && are_equal(*slot.node, *node))) return at;
    }
  }

  void grow() {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
    for (const Slot& slot : old) {
      if (slot.node == nullptr) continue;
      std::size_t at = slot.hash & (slots_.size() - 1);
      while (slots_[at].node != nullptr) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = slot;
    }
  }

  static constexpr std::size_t kMinSlots = 32;
  std::vector<Slot> slots_ = std::vector<Slot>(kMinSlots);  ///< a power of two of them, at most half full
  std::size_t count_ = 0;
};

bool merge(ir::Graph& graph, FirstNodes& firsts) {
  firsts.clear();
  return edit_each(graph.nodes(), [&](const ir::NodePointer& node) {
    if (!may_have_equals(*node) || feeds_interface(*node)) return false;
    ir::Node* const first = firsts.find_or_add(*node);
    if (first == nullptr) return false;
    for (std::uint32_t i = 0; i < node->outputs().size(); ++i)
      ir::replace_all_uses(node->value(i), first->value(i));
    return true;
  });
}

}  // namespace

bool merge_equal_nodes(ir::Model& model, PassContext&) {
  FirstNodes firsts;
  return edit_each(graphs_of(model), [&](ir::Graph* graph) { return merge(*graph, firsts); });
}

}  // namespace onnx2ir::passes
