// Who reads a value.
#pragma once

#include "ir/graph.hpp"

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

}  // namespace onnx2ir::passes
