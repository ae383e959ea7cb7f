// TreeEnsemble, TreeEnsembleClassifier, TreeEnsembleRegressor. Where the specification is incomplete (two
// classes with the weights of one), scores follow onnxruntime.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "frontend/translators/ai_onnx_ml/classification.hpp"
#include "frontend/translators/ai_onnx_ml/forest.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// Numbers from the attribute `name`, or from the tensor `name`_as_tensor (version 3).
std::vector<double> numbers_of(NodeContext& node, const std::string& name) {
  const std::string as_tensor = name + "_as_tensor";
  return node.has_attribute(as_tensor) ? tensor_numbers(node, as_tensor) : node.real_list(name).unchecked();
}

/// The indices of nodes by tree and number.
using NodeIndices = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>;

NodeIndices index_nodes(const NodeContext& node, const ir::Integers& trees, const ir::Integers& numbers) {
  NodeIndices indices;
  for (std::size_t i = 0; i < trees.size(); ++i) {
    if (!indices.emplace(std::pair(trees[i], numbers[i]), static_cast<std::int64_t>(i)).second)
      node.fail("two nodes of a tree have the same number");
  }
  return indices;
}

/// The index of the node with this number in the tree; -1 if the tree does not have this number.
std::int64_t index_of(const NodeIndices& indices, std::int64_t tree, std::int64_t number) {
  const auto found = indices.find({tree, number});
  return found == indices.end() ? -1 : found->second;
}

/// Reads the weights of leaves. Their attributes begin with `kind`.
void read_weights(NodeContext& node, const std::string& kind, const NodeIndices& indices, Forest& forest) {
  const auto trees = node.integer_list(kind + "_treeids");
  const auto numbers = node.integer_list(kind + "_nodeids");
  const auto targets = node.integer_list(kind + "_ids");
  const auto weights = numbers_of(node, kind + "_weights");
  if (numbers.size() != trees.size() || targets.size() != trees.size() || weights.size() != trees.size())
    node.fail("the lists that describe weights differ in length");
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::int64_t at = index_of(indices, trees[i], numbers[i]);
    // Weights of inner nodes are ignored.
    if (at >= 0 && forest.nodes[static_cast<std::size_t>(at)].mode != TreeMode::leaf) continue;
    forest.weights.push_back({at, targets[i], weights[i]});
  }
}

TreeMode tree_mode_of(NodeContext& node, const std::string& name) {
  constexpr std::array<std::string_view, 7> kNames = {"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE", "BRANCH_GT",
                                                      "BRANCH_EQ",  "BRANCH_NEQ", "LEAF"};
  const auto index = std::find(kNames.begin(), kNames.end(), name) - kNames.begin();
  if (index == std::ssize(kNames)) node.fail("node mode '" + name + "' does not exist");
  return static_cast<TreeMode>(index);
}

/// The forest in attributes that identify nodes by tree and number; the attributes of weights begin with
/// `kind` ("class", "target").
Forest forest_of(NodeContext& node, const std::string& kind) {
  const auto trees = node.integer_list("nodes_treeids");
  const auto numbers = node.integer_list("nodes_nodeids");
  const auto features = node.integer_list("nodes_featureids");
  const auto if_true = node.integer_list("nodes_truenodeids");
  const auto if_false = node.integer_list("nodes_falsenodeids");
  const auto missing = node.integer_list("nodes_missing_value_tracks_true");
  const auto modes = node.text_list("nodes_modes");
  const auto splits = numbers_of(node, "nodes_values");
  const std::size_t count = trees.size();
  const bool fits = numbers.size() == count && features.size() == count && if_true.size() == count &&
                    if_false.size() == count && modes.size() == count && splits.size() == count &&
                    (missing.empty() || missing.size() == count);
  if (!fits) node.fail("the lists that describe nodes differ in length");

  const NodeIndices indices = index_nodes(node, trees, numbers);
  Forest forest;
  std::set<std::int64_t> children;
  for (std::size_t i = 0; i < count; ++i) {
    TreeNode tree_node;
    tree_node.mode = tree_mode_of(node, modes[i]);
    tree_node.if_true = tree_node.if_false = static_cast<std::int64_t>(i);
    if (tree_node.mode != TreeMode::leaf) {
      tree_node.feature = features[i];
      tree_node.split = splits[i];
      tree_node.if_true = index_of(indices, trees[i], if_true[i]);
      tree_node.if_false = index_of(indices, trees[i], if_false[i]);
      tree_node.missing_is_true = !missing.empty() && missing[i] != 0;
      children.insert({tree_node.if_true, tree_node.if_false});
    }
    forest.nodes.push_back(tree_node);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!children.contains(static_cast<std::int64_t>(i)))
      forest.roots.push_back(static_cast<std::int64_t>(i));
  }
  read_weights(node, kind, indices, forest);
  return forest;
}

Value add_base(NodeContext& node, Value scores, const std::vector<double>& base) {
  if (base.empty()) return scores;
  return node.op(ops::Add, {scores, node.numbers(base, {1, std::ssize(base)}, ElementType::f32)});
}

/// TreeEnsembleRegressor 1, 3 (tensors of doubles), 5.
Values tree_ensemble_regressor_1(NodeContext& node) {
  Forest forest = forest_of(node, "target");
  forest.targets = node.positive_attribute("n_targets", 1);
  if (forest.targets == 1) {
    // onnxruntime reads the first weight of each leaf. The decision_leaf of scikit-learn's converter has
    // equal ones.
    std::set<std::int64_t> leaves;
    std::erase_if(forest.weights, [&](const auto& weight) { return !leaves.insert(weight.node).second; });
  }
  constexpr std::array<std::string_view, 4> kAggregates = {"AVERAGE", "SUM", "MIN", "MAX"};
  const auto aggregate =
      std::ranges::find(kAggregates, node.text_attribute("aggregate_function", "SUM")) - kAggregates.begin();
  if (aggregate == std::ssize(kAggregates)) node.fail("there is no such aggregate_function");
  forest.base = numbers_of(node, "base_values");
  if (!forest.base.empty() && forest.base.size() != static_cast<std::size_t>(forest.targets))
    node.fail("base_values are not as many as targets");
  const Value scores =
      compute_forest_scores(node, forest, read_feature_matrix(node), static_cast<Aggregate>(aggregate));
  return {apply_post_transform(node, scores, post_transform_of(node))};
}

/// The scores of two classes if only one has weights, and the index of the class.
Values emit_two_classes(NodeContext& node, Value score, bool as_probability, PostTransform transform) {
  const Value border = node.number_like(as_probability ? 0.5 : 0.0, score);
  const Value positive = node.op(ops::Greater, {squeeze(node, score, {1}), border});
  const Value index = convert(node, positive, ElementType::i64);
  if (transform == PostTransform::probit) {
    const Value shape = concat(node, {dimension_of(node, score, 0), node.integers({1})});
    return {
        index,
        concat(node, {apply_post_transform(node, score, transform), fill(node, 0, score.type(), shape)}, 1)};
  }
  if (as_probability && transform != PostTransform::logistic)
    return {index, concat(node, {node.op(ops::Subtract, {node.number_like(1, score), score}), score}, 1)};
  const Value both = concat(node, {node.op(ops::Negative, {score}), score}, 1);
  return {index, transform == PostTransform::logistic ? apply_post_transform(node, both, transform) : both};
}

/// TreeEnsembleClassifier 1, 3 (tensors of doubles), 5.
Values tree_ensemble_classifier_1(NodeContext& node) {
  const Labels labels = labels_of(node, "classlabels_int64s", "classlabels_strings");
  Forest forest = forest_of(node, "class");
  forest.targets = static_cast<std::int64_t>(labels.size());
  if (forest.targets < 1) node.fail("there are no class labels");
  const PostTransform transform = post_transform_of(node);
  const auto base = numbers_of(node, "base_values");
  std::set<std::int64_t> classes;
  bool all_positive = true;
  for (const Forest::Weight& weight : forest.weights) {
    classes.insert(weight.target);
    all_positive = all_positive && weight.weight >= 0;
  }
  const Value features = read_feature_matrix(node);
  const bool one_of_two = forest.targets == 2 && classes.size() == 1 && base.size() < 2;
  if (one_of_two && *classes.begin() == 0) {
    forest.targets = 1;
    const Value score = add_base(node, compute_forest_scores(node, forest, features, Aggregate::sum), base);
    const Values result = emit_two_classes(node, score, all_positive, transform);
    return {gather_label(node, labels, result[0]), result[1]};
  }
  if (!base.empty() && base.size() != labels.size() && !one_of_two)
    node.fail("base_values are not as many as classes");
  Value scores = compute_forest_scores(node, forest, features, Aggregate::sum);
  // If only the second of two classes has weights, onnxruntime ignores a single base value.
  if (!one_of_two) scores = add_base(node, scores, base);
  if (forest.targets == 2) {
    // Of two classes, the second one is selected if its own score is high enough.
    const Value second = gather(node, scores, node.integer(1), 1);
    const Value border = node.number_like(one_of_two && all_positive ? 0.5 : 0.0, second);
    const Value index = convert(node, node.op(ops::Greater, {second, border}), ElementType::i64);
    return {gather_label(node, labels, index), apply_post_transform(node, scores, transform)};
  }
  return {gather_label(node, labels, find_best_class(node, scores)),
          apply_post_transform(node, scores, transform)};
}

std::vector<double> numbers_of_nodes(NodeContext& node, std::string_view name, std::size_t count) {
  auto numbers = tensor_numbers(node, name);
  if (numbers.size() != count) node.fail("attribute '" + std::string(name) + "' does not fit the nodes");
  return numbers;
}

/// Replaces a node that tests membership in a set by a chain of nodes that test one member each.
void expand_member_node(Forest& forest, std::size_t at, const std::vector<double>& members) {
  TreeNode& first = forest.nodes[at];
  const TreeNode asked = first;
  first.mode = TreeMode::equal;
  if (members.empty()) {
    first.split = std::nan("");
    return;
  }
  first.split = members.front();
  std::size_t last = at;
  for (std::size_t i = 1; i < members.size(); ++i) {
    TreeNode next = asked;
    next.mode = TreeMode::equal;
    next.split = members[i];
    forest.nodes.push_back(next);
    forest.nodes[last].if_false = static_cast<std::int64_t>(forest.nodes.size() - 1);
    last = forest.nodes.size() - 1;
  }
}

/// The mode of nodes of TreeEnsemble 5 that test membership in a set. The modes before it are those of
/// TreeMode, in the same order.
constexpr double kMember = 6;

/// Expands the nodes of this mode. `members` has the elements of their sets, with a NaN after each set.
void expand_member_nodes(Forest& forest, const std::vector<double>& modes,
                         const std::vector<double>& members) {
  auto next = members.begin();
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (modes[i] != kMember) continue;
    const auto end = std::find_if(next, members.end(), [](double value) { return std::isnan(value); });
    expand_member_node(forest, i, {next, end});
    next = end == members.end() ? end : std::next(end);
  }
}

/// The forest of TreeEnsemble 5: inner nodes first, then leaves.
Forest read_forest(NodeContext& node) {
  const auto features = node.integer_list("nodes_featureids");
  const auto if_true = node.integer_list("nodes_truenodeids");
  const auto if_false = node.integer_list("nodes_falsenodeids");
  const auto true_is_leaf = node.integer_list("nodes_trueleafs");
  const auto false_is_leaf = node.integer_list("nodes_falseleafs");
  const auto missing = node.integer_list("nodes_missing_value_tracks_true");
  const auto targets = node.integer_list("leaf_targetids");
  const std::size_t inner = features.size();
  const auto modes = numbers_of_nodes(node, "nodes_modes", inner);
  const auto splits = numbers_of_nodes(node, "nodes_splits", inner);
  const auto weights = numbers_of_nodes(node, "leaf_weights", targets.size());
  const bool fits = if_true.size() == inner && if_false.size() == inner && true_is_leaf.size() == inner &&
                    false_is_leaf.size() == inner && (missing.empty() || missing.size() == inner);
  if (!fits) node.fail("the lists that describe nodes differ in length");
  std::vector<double> members;
  if (node.has_attribute("membership_values")) members = tensor_numbers(node, "membership_values");

  Forest forest;
  forest.targets = node.positive_attribute("n_targets", 1);
  forest.roots = node.integer_list("tree_roots").unchecked();
  const auto child = [&](std::int64_t index, bool is_leaf) {
    const std::size_t most = is_leaf ? targets.size() : inner;
    if (index < 0 || index >= static_cast<std::int64_t>(most)) node.fail("a branch leads to no node");
    return is_leaf ? index + static_cast<std::int64_t>(inner) : index;
  };
  // A tree of a single leaf has a root with both branches to that leaf, marked as leaves.
  for (std::size_t i = 0; i < inner; ++i) {
    TreeNode tree_node;
    const bool is_member = modes[i] == kMember;
    // A NaN is refused as well.
    if (!(modes[i] >= 0 && modes[i] <= kMember)) node.fail("there is no such node mode");
    tree_node.mode = is_member ? TreeMode::equal : static_cast<TreeMode>(static_cast<int>(modes[i]));
    tree_node.feature = features[i];
    tree_node.split = splits[i];
    tree_node.if_true = child(if_true[i], true_is_leaf[i] != 0);
    tree_node.if_false = child(if_false[i], false_is_leaf[i] != 0);
    tree_node.missing_is_true = !missing.empty() && missing[i] != 0;
    forest.nodes.push_back(tree_node);
  }
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const auto self = static_cast<std::int64_t>(inner + i);
    forest.nodes.push_back({TreeMode::leaf, 0, 0, self, self, false});
    forest.weights.push_back({self, targets[i], weights[i]});
  }
  expand_member_nodes(forest, modes, members);
  return forest;
}

Values tree_ensemble_5(NodeContext& node) {
  const Forest forest = read_forest(node);
  const std::int64_t aggregate = node.integer_attribute("aggregate_function", 1);
  if (aggregate < 0 || aggregate > 3) node.fail("there is no such aggregate_function");
  const Value scores =
      compute_forest_scores(node, forest, read_feature_matrix(node), static_cast<Aggregate>(aggregate));
  const std::int64_t transform = node.integer_attribute("post_transform", 0);
  if (transform < 0 || transform > 4)
    node.fail("post_transform " + std::to_string(transform) + " does not exist");
  const Value result = apply_post_transform(node, scores, static_cast<PostTransform>(transform));
  return {convert(node, result, node.input(0).type())};
}

}  // namespace

std::vector<TranslatorRow> tree_ensemble_translators() {
  return {
      {"TreeEnsemble", 5, tree_ensemble_5, "computed in f32"},
      {"TreeEnsembleClassifier", 1, tree_ensemble_classifier_1, "computed in f32"},
      {"TreeEnsembleRegressor", 1, tree_ensemble_regressor_1, "computed in f32"},
  };
}

}  // namespace onnx2ir::frontend
