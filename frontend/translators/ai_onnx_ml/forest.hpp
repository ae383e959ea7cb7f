// Ensembles of decision trees, and their evaluation with IR operations.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// The comparison of a feature with the split value.
enum class TreeMode : std::uint8_t { less_or_equal, less, greater_or_equal, greater, equal, not_equal, leaf };

/// A node of a tree. The branches of a leaf are the leaf itself.
struct TreeNode {
  TreeMode mode = TreeMode::leaf;
  std::int64_t feature = 0;
  double split = 0;
  std::int64_t if_true = 0;
  std::int64_t if_false = 0;
  bool missing_is_true = false;
};

struct Forest {
  std::vector<TreeNode> nodes;
  std::vector<std::int64_t> roots;
  std::int64_t targets = 1;
  /// The weights of leaves, [target] pairs for each node: indices into `targets`, and weights.
  struct Weight {
    std::int64_t node;
    std::int64_t target;
    double weight;
  };
  std::vector<Weight> weights;
  /// A number for each target, or empty. As in onnxruntime, it is added if a leaf that the sample reaches has
  /// a weight for the target, or if there is a single target.
  std::vector<double> base;
};

/// How the weights of the leaves are aggregated.
enum class Aggregate : std::uint8_t { average, sum, min, max };

/// The scores [samples, targets] of `features` [samples, features], f32. Fails for invalid forests, with
/// cycles or missing nodes.
Value compute_forest_scores(NodeContext& node, const Forest& forest, Value features, Aggregate aggregate);

}  // namespace onnx2ir::frontend
