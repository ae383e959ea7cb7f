#include "frontend/translators/ai_onnx_ml/forest.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "frontend/translators/onnx/translator_tools.hpp"
#include "ir/checked_arithmetic.hpp"

namespace onnx2ir::frontend {
namespace {

/// A row with three blocks of features fits into 32 bits.
constexpr std::int64_t kMostFeatures = std::int64_t{1} << 29;

void check(NodeContext& node, const Forest& forest) {
  const auto count = static_cast<std::int64_t>(forest.nodes.size());
  const auto exists = [&](std::int64_t index) { return index >= 0 && index < count; };
  for (const TreeNode& tree_node : forest.nodes) {
    if (!exists(tree_node.if_true) || !exists(tree_node.if_false)) node.fail("a branch leads to no node");
    if (tree_node.feature < 0) node.fail("a feature's number is negative");
    if (tree_node.feature >= kMostFeatures) node.fail("a feature's number is too large");
  }
  for (const std::int64_t root : forest.roots) {
    if (!exists(root)) node.fail("a tree has no root");
  }
  for (const Forest::Weight& weight : forest.weights) {
    if (!exists(weight.node)) node.fail("a weight belongs to no node");
    if (weight.target < 0 || weight.target >= forest.targets) node.fail("a weight belongs to no target");
  }
  if (forest.roots.empty()) node.fail("there are no trees");
}

/// The number of decisions on the longest path from a root to a leaf.
std::int64_t depth_of(NodeContext& node, const Forest& forest) {
  constexpr std::int64_t kUnseen = -1;
  constexpr std::int64_t kOpen = -2;
  std::vector<std::int64_t> heights(forest.nodes.size(), kUnseen);
  std::int64_t depth = 0;
  for (const std::int64_t root : forest.roots) {
    std::vector<std::int64_t> path{root};
    while (!path.empty()) {
      const auto at = static_cast<std::size_t>(path.back());
      const TreeNode& tree_node = forest.nodes[at];
      if (tree_node.mode == TreeMode::leaf) {
        heights[at] = 0;
      } else if (heights[at] == kUnseen) {
        heights[at] = kOpen;
        for (const std::int64_t next : {tree_node.if_true, tree_node.if_false}) {
          const std::int64_t height = heights[static_cast<std::size_t>(next)];
          if (height == kOpen) node.fail("the branches of a tree form a circle");
          if (height == kUnseen) path.push_back(next);
        }
        continue;
      } else if (heights[at] == kOpen) {
        heights[at] = 1 + std::max(heights[static_cast<std::size_t>(tree_node.if_true)],
                                   heights[static_cast<std::size_t>(tree_node.if_false)]);
      }
      path.pop_back();
    }
    depth = std::max(depth, heights[static_cast<std::size_t>(root)]);
  }
  return depth;
}

/// Every leaf has a row of targets, so the table is sparse if there are many targets.
constexpr std::int64_t kMaxTableEntries = std::int64_t{1} << 25;

/// The base values of the targets for which the reached leaves [samples, trees] have a weight. `present`: for
/// each node and target, whether there is a weight.
Value select_base(NodeContext& node, const Forest& forest, Value leaves, const std::vector<bool>& present) {
  const Value base = node.numbers(forest.base, {1, forest.targets}, ElementType::f32);
  const auto targets = static_cast<std::size_t>(forest.targets);
  const auto has_all = [&](std::size_t at) {
    const auto begin = present.begin() + static_cast<std::ptrdiff_t>(at * targets);
    return std::all_of(begin, begin + static_cast<std::ptrdiff_t>(targets), [](bool is) { return is; });
  };
  bool is_always_reached = true;
  for (std::size_t at = 0; at < forest.nodes.size(); ++at)
    is_always_reached = is_always_reached && (forest.nodes[at].mode != TreeMode::leaf || has_all(at));
  if (forest.targets == 1 || is_always_reached) return base;
  const std::vector<double> table(present.begin(), present.end());
  const Value rows = node.numbers(table, {std::ssize(forest.nodes), forest.targets}, ElementType::f32);
  const Value reached = gather(node, rows, leaves);
  return node.op(ops::Multiply, {reduce(node, ops::ReduceMax, reached, {1}), base});
}

/// Aggregates the values of the leaves [samples, trees].
Value aggregate_leaves(NodeContext& node, const Forest& forest, Value leaves, Aggregate aggregate) {
  const bool by_extremum = aggregate == Aggregate::min || aggregate == Aggregate::max;
  const double infinity = std::numeric_limits<double>::infinity();
  // The value of a leaf for targets without a weight.
  const double absent = !by_extremum ? 0 : aggregate == Aggregate::min ? infinity : -infinity;
  const auto targets = static_cast<std::size_t>(forest.targets);
  const std::int64_t entries =
      ir::checked_multiply(static_cast<std::int64_t>(forest.nodes.size()), forest.targets);
  std::vector<double> table(ir::checked_count(entries, kMaxTableEntries), absent);
  std::vector<bool> present(table.size(), false);
  // Two weights of one leaf for one target
  const auto both = [&](double a, double b) {
    return !by_extremum ? a + b : aggregate == Aggregate::min ? std::min(a, b) : std::max(a, b);
  };
  for (const Forest::Weight& weight : forest.weights) {
    const std::size_t at =
        static_cast<std::size_t>(weight.node) * targets + static_cast<std::size_t>(weight.target);
    table[at] = present[at] ? both(table[at], weight.weight) : weight.weight;
    present[at] = true;
  }
  const Value rows = node.numbers(table, {std::ssize(forest.nodes), forest.targets}, ElementType::f32);
  const Value weights = gather(node, rows, leaves);
  const ir::Op op = aggregate == Aggregate::min   ? ops::ReduceMin
                    : aggregate == Aggregate::max ? ops::ReduceMax
                                                  : ops::ReduceSum;
  Value total = reduce(node, op, weights, {1});
  if (aggregate == Aggregate::average) {
    total = divide(node, total, node.number_like(static_cast<double>(forest.roots.size()), total));
  } else if (by_extremum) {
    // Targets without any weight are 0.
    const double border = aggregate == Aggregate::min ? 3.0e38 : -3.0e38;
    const Value hit = node.op(aggregate == Aggregate::min ? ops::Less : ops::Greater,
                              {total, node.number_like(border, total)});
    total = node.op(ops::Select, {hit, total, node.number_like(0, total)});
  }
  if (forest.base.empty()) return total;
  return node.op(ops::Add, {total, select_base(node, forest, leaves, present)});
}

}  // namespace

TreeMode tree_mode_of(NodeContext& node, const std::string& name) {
  constexpr std::array<std::string_view, 7> kNames = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE", "BRANCH_GT",
                                                      "BRANCH_EQ",  "BRANCH_NEQ", "LEAF"};
  const auto index = std::find(kNames.begin(), kNames.end(), name) - kNames.begin();
  if (index == std::ssize(kNames)) node.fail("node mode '" + name + "' does not exist");
  return static_cast<TreeMode>(index);
}

Value compute_forest_scores(NodeContext& node, const Forest& forest, Value features, Aggregate aggregate) {
  check(node, forest);
  const std::int64_t depth = depth_of(node, forest);
  // Each decision on a path is emitted as operations of its own.
  constexpr std::int64_t kMaxDepth = 1 << 14;
  if (depth > kMaxDepth)
    node.fail("a tree has more than " + std::to_string(kMaxDepth) + " decisions on a path");
  return aggregate_leaves(node, forest, find_leaves(node, forest, features, depth), aggregate);
}

}  // namespace onnx2ir::frontend
