// Searches along the edges of a graph that visit a bounded number of nodes, so that large models take no
// more time per node than small ones. A node counts once for each path that leads to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/graph.hpp"

namespace onnx2ir::passes {

/// The first node for which `holds` is true: `node`, the node of `source(node)`, and so on, until `source`
/// returns no value. Visits at most `most` nodes. Null if `holds` is false for all of them.
template <typename Predicate, typename Source>
const ir::Node* find_before(const ir::Node& node, Predicate holds, Source source, int most = 8) {
  const ir::Node* current = &node;
  for (int visited = 0; visited < most && current != nullptr; ++visited) {
    if (holds(*current)) return current;
    current = source(*current).node;
  }
  return nullptr;
}
/// The first node that is one of `operations`.
template <typename Source>
const ir::Node* find_before(const ir::Node& node, const ir::OperationSet& operations, Source source,
                            int most = 8) {
  return find_before(
      node, [&](const ir::Node& at) { return at.is_one_of(operations); }, source, most);
}

/// Follows `source(value)`, and so on, until it returns no value, or for `most` steps. Returns the last
/// value.
template <typename Source>
ir::Value follow(ir::Value value, Source source, int most = 64) {
  for (int step = 0; step < most; ++step) {
    const ir::Value next = source(value);
    if (!next) break;
    value = next;
  }
  return value;
}

/// The value before conversions of its element type.
inline ir::Value before_conversions(ir::Value value) {
  return follow(value, [](ir::Value converted) {
    return converted.node->is(ops::Convert) ? converted.node->input(0) : ir::Value{};
  });
}

/// What a search does after a node.
enum class Search : std::uint8_t {
  found,   ///< ends
  follow,  ///< visits the neighbours of the node as well
  skip     ///< does not visit them
};

/// Whether `visit(node)` is Search::found for one of the nodes that `value` is computed from; its own node is
/// the first one. Passes over inputs that are computed from constants. Visits at most `most` nodes, the
/// nearest ones first.
template <typename Visit>
bool any_before(ir::Value value, std::size_t most, Visit visit) {
  std::vector<const ir::Node*> nodes = {value.node};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const ir::Node& node = *nodes[i];
    const Search search = visit(node);
    if (search == Search::found) return true;
    if (search == Search::skip) continue;
    for (const ir::Value input : node.inputs()) {
      if (nodes.size() < most && !ir::is_computed_from_constants(input)) nodes.push_back(input.node);
    }
  }
  return false;
}

/// Whether `visit(use)` is Search::found for a use of an output of `node`, or of a node that is
/// computed from it. Visits all uses of at most `most` nodes, `node` included, the nearest ones first.
template <typename Visit>
bool any_after(const ir::Node& node, std::size_t most, Visit visit) {
  std::vector<const ir::Node*> nodes = {&node};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const ir::Output& output : nodes[i]->outputs()) {
      for (const ir::Use& use : output.uses) {
        const Search search = visit(use);
        if (search == Search::found) return true;
        if (search == Search::follow && nodes.size() < most) nodes.push_back(use.node);
      }
    }
  }
  return false;
}

}  // namespace onnx2ir::passes
