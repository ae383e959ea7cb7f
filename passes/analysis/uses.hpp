// The uses of a value.
#pragma once

#include <algorithm>
#include <span>

#include "ir/graph.hpp"
#include "ir/operation_set.hpp"

namespace onnx2ir::passes {

/// Whether `value` has exactly one use in its graph.
inline bool is_used_once(ir::Value value) {
  return value.output().uses.size() == 1;
}
/// The same for output 0 of `node`.
inline bool is_used_once(const ir::Node& node) {
  return node.output(0).uses.size() == 1;
}

/// The only operation that reads output 0 of `node`; null if it is read by several, or more than once.
inline ir::Node* only_reader(const ir::Node& node) {
  return is_used_once(node) ? node.output(0).uses.front().node : nullptr;
}

/// Whether one of `operations` reads the output.
inline bool is_read_by(const ir::Output& output, const ir::OperationSet& operations) {
  return std::ranges::any_of(output.uses,
                             [&](const ir::Use& use) { return use.node->is_one_of(operations); });
}
/// The same for output 0 of `node`.
inline bool is_read_by(const ir::Node& node, const ir::OperationSet& operations) {
  return is_read_by(node.output(0), operations);
}

/// Whether one of `nodes`, such as the readers of a value, is one of `operations`.
inline bool any_is_one_of(std::span<const ir::Node* const> nodes, const ir::OperationSet& operations) {
  return std::ranges::any_of(nodes, [&](const ir::Node* node) { return node->is_one_of(operations); });
}

/// Whether the node can be removed.
inline bool is_unused(const ir::Node& node) {
  return !node.has_uses() && !node.op().traits.is_kept;
}

}  // namespace onnx2ir::passes
