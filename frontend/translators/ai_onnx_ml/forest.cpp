#include "frontend/translators/ai_onnx_ml/forest.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "frontend/translators/onnx/shape_tools.hpp"
#include "ir/checked_arithmetic.hpp"

namespace onnx2ir::frontend {
namespace {

/// A table of one property, indexed by node.
template <typename Get>
Value emit_node_table(NodeContext& node, const Forest& forest, ElementType type, Get get) {
  std::vector<double> values;
  values.reserve(forest.nodes.size());
  for (const TreeNode& tree_node : forest.nodes) values.push_back(static_cast<double>(get(tree_node)));
  return node.numbers(values, type);
}

void check(NodeContext& node, const Forest& forest) {
  const auto count = static_cast<std::int64_t>(forest.nodes.size());
  const auto exists = [&](std::int64_t index) { return index >= 0 && index < count; };
  for (const TreeNode& tree_node : forest.nodes) {
    if (!exists(tree_node.if_true) || !exists(tree_node.if_false)) node.fail("a branch leads to no node");
    if (tree_node.feature < 0) node.fail("a feature's number is negative");
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

/// Whether each of `features` goes to the true branch of its node. Computes all modes that occur and selects
/// that of the node.
class Decision {
 public:
  Decision(NodeContext& node, const Forest& forest) : node_(&node) {
    std::array<bool, kComparisons.size()> occurs{};
    bool any_missing = false;
    for (const TreeNode& tree_node : forest.nodes) {
      if (tree_node.mode != TreeMode::leaf) occurs[static_cast<std::size_t>(tree_node.mode)] = true;
      any_missing = any_missing || tree_node.missing_is_true;
    }
    for (std::size_t i = 0; i < occurs.size(); ++i) {
      if (occurs[i]) modes_.push_back(static_cast<std::int64_t>(i));
    }
    splits_ = emit_node_table(node, forest, ElementType::f32, [](const TreeNode& n) { return n.split; });
    if (modes_.size() > 1) {
      mode_ = emit_node_table(node, forest, ElementType::i32,
                              [](const TreeNode& n) { return static_cast<std::int64_t>(n.mode); });
    }
    if (any_missing) {
      missing_ = emit_node_table(node, forest, ElementType::i32,
                                 [](const TreeNode& n) { return n.missing_is_true ? 1 : 0; });
    }
  }

  Value operator()(Value position, Value features) const {
    const Value split = gather(*node_, splits_, position);
    Value result;
    for (const std::int64_t mode : modes_) {
      const Value holds = node_->op(kComparisons[static_cast<std::size_t>(mode)], {features, split});
      if (!result) {
        result = holds;
        continue;
      }
      const Value own =
          node_->op(ops::Equal, {gather(*node_, mode_, position), node_->integer(mode, ElementType::i32)});
      result = node_->op(ops::Select, {own, holds, result});
    }
    if (!missing_) return result;
    const Value tracked =
        node_->op(ops::Equal, {gather(*node_, missing_, position), node_->integer(1, ElementType::i32)});
    return node_->op(ops::LogicalOr,
                     {result, node_->op(ops::LogicalAnd, {tracked, node_->op(ops::IsNaN, {features})})});
  }

 private:
  static constexpr std::array<ir::Op, 6> kComparisons = {ops::LessEqual, ops::Less,  ops::GreaterEqual,
                                                         ops::Greater,   ops::Equal, ops::NotEqual};
  NodeContext* node_;
  std::vector<std::int64_t> modes_;
  Value splits_;
  Value mode_;
  Value missing_;
};

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
  for (std::size_t at = 0; at < forest.nodes.size(); ++at) {
    is_always_reached = is_always_reached && (forest.nodes[at].mode != TreeMode::leaf || has_all(at));
  }
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
  const std::int64_t trees[] = {1, static_cast<std::int64_t>(forest.roots.size())};
  std::vector<double> roots(forest.roots.begin(), forest.roots.end());
  const Value samples = dimension_of(node, features, 0);
  const Value first = node.numbers(roots, trees, ElementType::i32);
  Value position = broadcast_to(node, first, concat(node, {samples, node.integers({trees[1]})}));
  if (depth > 0) {
    const auto table = [&](auto get) { return emit_node_table(node, forest, ElementType::i32, get); };
    const Value feature = table([](const TreeNode& n) { return n.feature; });
    const Value if_true = table([](const TreeNode& n) { return n.if_true; });
    const Value if_false = table([](const TreeNode& n) { return n.if_false; });
    const Decision decide(node, forest);
    // Descends one level in all trees at once; samples that have reached a leaf stay there.
    for (std::int64_t step = 0; step < depth; ++step) {
      const Value at = gather(node, feature, position);
      const Value values = node.op(ops::GatherElements, {features, at}, {{"axis", 1}});
      position = node.op(ops::Select, {decide(position, values), gather(node, if_true, position),
                                       gather(node, if_false, position)});
    }
  }
  return aggregate_leaves(node, forest, position, aggregate);
}

}  // namespace onnx2ir::frontend
