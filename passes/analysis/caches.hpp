// The caches of a language model: inputs `past*` that are returned as outputs `present*`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/graph.hpp"
#include "onnx2ir/result.hpp"

namespace onnx2ir::passes {

struct CacheEnds {
  ir::Node* past;     ///< Parameter
  ir::Node* present;  ///< Result of the same type and rank
};

/// In the order of the inputs.
std::vector<CacheEnds> caches_of(const ir::Graph& graph);

/// The variable, empty or zero at first, in which a cache is kept.
struct CacheVariable {
  std::size_t batch_axis = 0;
  ir::PartialShape shape;  ///< a dynamic size that is not the batch is 0 at first
  std::int64_t rows = 1;   ///< for each row of the batch: its heads if one axis joins both
};

/// `batch`: the size of the batch in other inputs of the model. The problem (unknown_cache_size), if the
/// cache cannot be kept in a variable, is the rest of a sentence about the cache: "has ...".
Result<CacheVariable> variable_for(const CacheEnds& cache, const ir::Dimension& batch);

}  // namespace onnx2ir::passes
