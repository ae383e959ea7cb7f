// The way of samples through the trees of an ensemble, all trees at once.
#pragma once

#include "frontend/translators/ai_onnx_ml/forest.hpp"

namespace onnx2ir::frontend {

/// The leaves [samples, trees], i32 indices of nodes, that the samples of `features` [samples, features],
/// f32, reach after at most `depth` decisions. Fails if a decision needs a feature that there is not.
Value find_leaves(NodeContext& node, const Forest& forest, Value features, std::int64_t depth);

}  // namespace onnx2ir::frontend
