// Moves all samples down all trees of an ensemble at once, one level per step.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "frontend/translators/ai_onnx_ml/forest.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

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
  switch (mode) {
    case TreeMode::less_or_equal:
    case TreeMode::less:
      return -kInfinity;
    case TreeMode::greater_or_equal:
    case TreeMode::greater:
      return kInfinity;
    default:
      return mode == TreeMode::equal ? 1 : 0;
  }
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
  if (!tree_node.missing_is_true) return Column::as_given;
  switch (tree_node.mode) {
    case TreeMode::less_or_equal:
      return std::isnan(tree_node.split) ? Column::tested : Column::lowest;
    case TreeMode::less:
      return tree_node.split >= Float::lowest() ? Column::lowest : Column::tested;
    case TreeMode::greater_or_equal:
      return std::isnan(tree_node.split) ? Column::tested : Column::highest;
    case TreeMode::greater:
      return tree_node.split <= Float::max() ? Column::highest : Column::tested;
    case TreeMode::equal:
      return Column::tested;
    default:
      return Column::as_given;
  }
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
    const auto mode_of = [&](const TreeNode& n) {
      return n.mode == TreeMode::leaf ? modes_.front() : n.mode;
    };
    places_ = table(ElementType::i32, [&](const TreeNode& n) { return columns.place_of(n); });
    splits_ = table(ElementType::f32, [&](const TreeNode& n) {
      return n.mode == TreeMode::leaf ? split_that_fails(modes_.front()) : n.split;
    });
    next_ = node.numbers(std::vector<double>(layout.next.begin(), layout.next.end()), ElementType::i32);
    if (modes_.size() > 1)
      mode_ = table(ElementType::i32, [&](const TreeNode& n) { return static_cast<double>(mode_of(n)); });
    if (columns.occurs(Column::tested)) {
      tested_ = table(ElementType::i32, [](const TreeNode& n) {
        return n.mode != TreeMode::leaf && column_of(n) == Column::tested ? 1 : 0;
      });
    }
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

}  // namespace

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

}  // namespace onnx2ir::frontend
