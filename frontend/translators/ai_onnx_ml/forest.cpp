#include "frontend/translators/ai_onnx_ml/forest.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

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

/// The nodes of all trees in the order of their depth, so that a decision moves to `next`, or to the place
/// after it: the branches of a decision are neighbours, the false one first. A node with several parents
/// has several places.
struct Layout {
  std::vector<std::int64_t> nodes;
  std::vector<std::int64_t> next;  ///< a leaf leads to itself
};

const TreeNode& node_at(const Forest& forest, std::int64_t index) {
  return forest.nodes[static_cast<std::size_t>(index)];
}

/// The roots have the first places.
Layout lay_out(const Forest& forest) {
  constexpr std::int64_t kNone = -1;
  Layout layout{.nodes = forest.roots, .next = {}};
  std::vector<std::int64_t> branches(forest.nodes.size(), kNone);
  for (std::size_t place = 0; place < layout.nodes.size(); ++place) {
    const auto at = static_cast<std::size_t>(layout.nodes[place]);
    const TreeNode& tree_node = forest.nodes[at];
    if (tree_node.mode == TreeMode::leaf) {
      layout.next.push_back(static_cast<std::int64_t>(place));
      continue;
    }
    if (branches[at] == kNone) {
      branches[at] = std::ssize(layout.nodes);
      layout.nodes.push_back(tree_node.if_false);
      layout.nodes.push_back(tree_node.if_true);
    }
    layout.next.push_back(branches[at]);
  }
  return layout;
}

/// The number that makes the comparison with 0 false.
double split_that_fails(TreeMode mode) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (mode == TreeMode::less_or_equal || mode == TreeMode::less) return -kInfinity;
  if (mode == TreeMode::greater_or_equal || mode == TreeMode::greater) return kInfinity;
  return mode == TreeMode::equal ? 1 : 0;
}

/// How a decision reads its feature if NaN stands for a missing one.
enum class Column : std::uint8_t {
  as_given,  ///< NaN fails each comparison but not_equal
  lowest,    ///< NaN is replaced by the lowest number
  highest,   ///< NaN is replaced by the highest number
  tested     ///< as given, with a test for NaN after the comparison
};

Column column_of(const TreeNode& tree_node) {
  using Float = std::numeric_limits<float>;
  const auto [mode, split] = std::pair(tree_node.mode, tree_node.split);
  if (!tree_node.missing_is_true || mode == TreeMode::not_equal) return Column::as_given;
  if (mode == TreeMode::less) return split >= Float::lowest() ? Column::lowest : Column::tested;
  if (mode == TreeMode::greater) return split <= Float::max() ? Column::highest : Column::tested;
  if (mode == TreeMode::equal || std::isnan(split)) return Column::tested;
  return mode == TreeMode::less_or_equal ? Column::lowest : Column::highest;
}

/// The features of all samples in one list. A row has the features, those with another number for NaN if a
/// decision reads them, and a 0 for leaves.
class Columns {
 public:
  Columns(NodeContext& node, const Forest& forest, const Layout& layout, Value features) : node_(&node) {
    for (const std::int64_t index : layout.nodes) {
      const TreeNode& tree_node = node_at(forest, index);
      if (tree_node.mode == TreeMode::leaf) continue;
      features_ = std::max(features_, tree_node.feature + 1);
      occurs_[static_cast<std::size_t>(column_of(tree_node))] = true;
    }
    features = with_known_count(features);
    const Value samples = dimension_of(node, features, 0);
    list_ = ir::flatten(node, join_blocks(features, samples));
    const Value rows = emit_range(node, ir::convert(node, reshape_to_scalar(node, samples), ElementType::i32),
                                  ElementType::i32);
    begins_ = node.op(ops::Multiply, {ir::reshape(node, rows, node.integers({-1, 1})),
                                      node.integer(width_, ElementType::i32)});
  }

  bool occurs(Column column) const { return occurs_[static_cast<std::size_t>(column)]; }

  /// The place of a node's feature in a row.
  std::int64_t place_of(const TreeNode& tree_node) const {
    if (tree_node.mode == TreeMode::leaf) return width_ - 1;
    const Column column = column_of(tree_node);
    const std::int64_t low = features_;
    const std::int64_t high = occurs(Column::lowest) ? 2 * features_ : features_;
    return tree_node.feature + (column == Column::lowest ? low : column == Column::highest ? high : 0);
  }

  /// The features at `places` [samples, trees] of the rows.
  Value read(Value places) const { return gather(*node_, list_, node_->op(ops::Add, {places, begins_})); }

 private:
  /// The features if their number is known; otherwise those that decisions need.
  Value with_known_count(Value features) {
    const ir::Dimension count = features.shape().has_rank() ? features.shape()[1] : ir::Dimension();
    if (count.is_dynamic()) {
      const Value first = ir::slice(*node_, features, 0, features_, 1);
      return ir::reshape_keeping(*node_, first, node_->integers({0, features_}));
    }
    if (count.size() < features_)
      node_->fail("a decision needs " + std::to_string(features_) + " features, but there are " +
                  std::to_string(count.size()));
    features_ = count.size();
    return features;
  }

  Value join_blocks(Value features, Value samples) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    Values blocks{features};
    for (const auto& [column, number] :
         {std::pair(Column::lowest, -kInfinity), std::pair(Column::highest, kInfinity)}) {
      if (!occurs(column)) continue;
      blocks.push_back(node_->op(
          ops::Select, {node_->op(ops::IsNaN, {features}), node_->number_like(number, features), features}));
    }
    width_ = features_ * std::ssize(blocks) + 1;
    const Value column_shape = concat(*node_, {samples, node_->integers({1})});
    blocks.push_back(broadcast_to(*node_, node_->number_like(0, features), column_shape));
    return node_->op(ops::Concat, blocks, {{"axis", 1}});
  }

  NodeContext* node_;
  std::array<bool, 4> occurs_{};
  std::int64_t features_ = 0;  ///< in a block
  std::int64_t width_ = 0;
  Value list_;
  Value begins_;
};

/// Descends one level in all trees at once; samples that have reached a leaf stay there. Computes all
/// comparisons that occur and selects that of the node.
class Descent {
 public:
  Descent(NodeContext& node, const Forest& forest, const Layout& layout, const Columns& columns)
      : node_(&node), columns_(&columns) {
    std::array<bool, kComparisons.size()> occurs{};
    for (const std::int64_t index : layout.nodes) {
      const TreeMode mode = node_at(forest, index).mode;
      if (mode != TreeMode::leaf) occurs[static_cast<std::size_t>(mode)] = true;
    }
    for (std::size_t i = 0; i < occurs.size(); ++i) {
      if (occurs[i]) modes_.push_back(static_cast<TreeMode>(i));
    }
    const auto table = [&](ElementType type, auto get) {
      std::vector<double> values;
      values.reserve(layout.nodes.size());
      for (const std::int64_t index : layout.nodes)
        values.push_back(static_cast<double>(get(node_at(forest, index))));
      return node.numbers(values, type);
    };

    places_ = table(ElementType::i32, [&](const TreeNode& n) { return columns.place_of(n); });
    splits_ = table(ElementType::f32, [&](const TreeNode& n) {
      return n.mode == TreeMode::leaf ? split_that_fails(modes_.front()) : n.split;
    });
    next_ = node.numbers(std::vector<double>(layout.next.begin(), layout.next.end()), ElementType::i32);
    if (modes_.size() > 1) {
      mode_ = table(ElementType::i32,
                    [&](const TreeNode& n) { return n.mode == TreeMode::leaf ? modes_.front() : n.mode; });
    }
    if (columns.occurs(Column::tested))
      tested_ = table(ElementType::i32, [](const TreeNode& n) { return column_of(n) == Column::tested; });
  }

  Value operator()(Value position) const {
    const Value features = columns_->read(gather(*node_, places_, position));
    const Value holds =
        node_->op(ops::Convert, {decide(position, features)}, {{"destination_type", ElementType::i32}});
    return node_->op(ops::Add, {gather(*node_, next_, position), holds});
  }

 private:
  static constexpr std::array<ir::Op, 6> kComparisons = {ops::LessEqual, ops::Less,  ops::GreaterEqual,
                                                         ops::Greater,   ops::Equal, ops::NotEqual};

  /// Whether each sample goes to the true branch.
  Value decide(Value position, Value features) const {
    const Value split = gather(*node_, splits_, position);
    Value result;
    for (const TreeMode mode : modes_) {
      const Value holds = node_->op(kComparisons[static_cast<std::size_t>(mode)], {features, split});
      if (!result) {
        result = holds;
        continue;
      }
      const Value own = is_number(mode_, position, static_cast<std::int64_t>(mode));
      result = node_->op(ops::Select, {own, holds, result});
    }
    if (!tested_) return result;
    const Value missing =
        node_->op(ops::LogicalAnd, {is_number(tested_, position, 1), node_->op(ops::IsNaN, {features})});
    return node_->op(ops::LogicalOr, {result, missing});
  }

  Value is_number(Value table, Value position, std::int64_t number) const {
    return node_->op(ops::Equal, {gather(*node_, table, position), node_->integer(number, ElementType::i32)});
  }

  NodeContext* node_;
  const Columns* columns_;
  std::vector<TreeMode> modes_;
  Value places_;
  Value splits_;
  Value next_;
  Value mode_;
  Value tested_;
};

/// The leaves [samples, trees], i32 indices of nodes, that the samples of `features` [samples, features],
/// f32, reach after at most `depth` decisions. Fails if a decision needs a feature that there is not. Moves
/// all samples down all trees at once, one level per step.
Value find_leaves(NodeContext& node, const Forest& forest, Value features, std::int64_t depth) {
  const Layout layout = lay_out(forest);
  const std::int64_t trees = std::ssize(forest.roots);
  std::vector<double> first(forest.roots.size());
  std::iota(first.begin(), first.end(), 0.0);
  const Value samples = dimension_of(node, features, 0);
  const Value shape = concat(node, {samples, node.integers({trees})});
  Value position = broadcast_to(node, node.numbers(first, {1, trees}, ElementType::i32), shape);
  if (depth > 0) {
    const Columns columns(node, forest, layout, features);
    const Descent descend(node, forest, layout, columns);
    for (std::int64_t step = 0; step < depth; ++step) position = descend(position);
  }
  const std::vector<double> nodes(layout.nodes.begin(), layout.nodes.end());
  return gather(node, node.numbers(nodes, ElementType::i32), position);
}

/// Every leaf has a row of targets, so the table is sparse if there are many targets.
constexpr std::int64_t kMaxTableEntries = std::int64_t{1} << 25;

/// The base values of the targets for which the reached leaves [samples, trees] have a weight. `present`: for
/// each node and target, whether there is a weight.
Value select_base(NodeContext& node, const Forest& forest, Value leaves, const std::vector<bool>& present) {
  const Value base = node.numbers(forest.base, {1, forest.targets}, ElementType::f32);
  const auto targets = static_cast<std::size_t>(forest.targets);
  bool is_always_reached = true;
  for (std::size_t i = 0; i < present.size(); ++i)
    is_always_reached = is_always_reached && (present[i] || forest.nodes[i / targets].mode != TreeMode::leaf);
  if (forest.targets == 1 || is_always_reached) return base;
  const std::vector<double> table(present.begin(), present.end());
  const Value rows = node.numbers(table, {std::ssize(forest.nodes), forest.targets}, ElementType::f32);
  const Value reached = gather(node, rows, leaves);
  return node.op(ops::Multiply, {reduce(node, ops::ReduceMax, reached, {1}), base});
}

/// Aggregates the values of the leaves [samples, trees].
Value aggregate_leaves(NodeContext& node, const Forest& forest, Value leaves, Aggregate aggregate) {
  const bool is_min = aggregate == Aggregate::min;
  const bool by_extremum = is_min || aggregate == Aggregate::max;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  // The value of a leaf for targets without a weight.
  const double absent = !by_extremum ? 0 : is_min ? kInfinity : -kInfinity;
  const auto targets = static_cast<std::size_t>(forest.targets);
  const std::int64_t entries =
      ir::checked_multiply(static_cast<std::int64_t>(forest.nodes.size()), forest.targets);
  std::vector<double> table(ir::checked_count(entries, kMaxTableEntries), absent);
  std::vector<bool> present(table.size(), false);
  // Two weights of one leaf for one target
  const auto both = [&](double a, double b) {
    return !by_extremum ? a + b : is_min ? std::min(a, b) : std::max(a, b);
  };
  for (const Forest::Weight& weight : forest.weights) {
    const std::size_t at =
        static_cast<std::size_t>(weight.node) * targets + static_cast<std::size_t>(weight.target);
    table[at] = present[at] ? both(table[at], weight.weight) : weight.weight;
    present[at] = true;
  }
  const Value rows = node.numbers(table, {std::ssize(forest.nodes), forest.targets}, ElementType::f32);
  const Value weights = gather(node, rows, leaves);
  const ir::Op op = !by_extremum ? ops::ReduceSum : is_min ? ops::ReduceMin : ops::ReduceMax;
  Value total = reduce(node, op, weights, {1});
  if (aggregate == Aggregate::average) {
    total = divide(node, total, node.number_like(static_cast<double>(forest.roots.size()), total));
  } else if (by_extremum) {
    // Targets without any weight are 0.
    const double border = is_min ? 3.0e38 : -3.0e38;
    const Value hit = node.op(is_min ? ops::Less : ops::Greater, {total, node.number_like(border, total)});
    total = node.op(ops::Select, {hit, total, node.number_like(0, total)});
  }
  if (forest.base.empty()) return total;
  return node.op(ops::Add, {total, select_base(node, forest, leaves, present)});
}

}  // namespace

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
