// The caches of a language model: inputs `past*` that are returned as outputs `present*`.
#pragma once

#include <vector>

#include "ir/graph.hpp"

namespace onnx2ir::passes {

struct CacheEnds {
  ir::Node* past;     ///< Parameter
  ir::Node* present;  ///< Result of the same type and rank
};

/// In the order of the inputs.
std::vector<CacheEnds> caches_of(const ir::Graph& graph);

}  // namespace onnx2ir::passes
