// The caches of a language model: inputs `past*` that are returned as outputs `present*`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.hpp"

namespace onnx2ir::passes {

struct CacheEnds {
  ir::Node* past;     ///< Parameter
  ir::Node* present;  ///< Result of the same type and rank
};

/// In the order of the inputs.
std::vector<CacheEnds> caches_of(const ir::Graph& graph);

struct CacheAxes {
  std::size_t batch = 0;
  ir::PartialShape shape;  ///< of the variable; a dynamic size that is not the batch is 0 at first
  std::int64_t rows = 1;   ///< of the cache for each row of the batch: its heads if one axis joins both
};

/// The axes, or why the cache cannot be kept in a variable that is empty or zero at first.
struct CacheAxesOrReason {
  std::optional<CacheAxes> axes;
  std::string reason;  ///< about the cache: "has ..."
};

/// `batch`: the size of the batch in other inputs of the model.
CacheAxesOrReason axes_of(const CacheEnds& cache, const ir::Dimension& batch);

/// Whether the model returns the cache as it was: nothing would be written to a variable.
bool is_returned_unchanged(const CacheEnds& cache);

}  // namespace onnx2ir::passes
