#include "frontend/graph/element_list.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace onnx2ir::frontend {

/// A node of an AVL tree: the heights of `left` and `right` differ by at most one.
struct ElementList::Node {
  Tree left;
  Tree right;
  ir::Value value;
  std::size_t size = 0;
  int height = 0;
  ir::PartialShape element = {};  ///< of all elements of the tree
  bool mixed_rank = false;
};

void widen_element(ir::PartialShape& element, bool& mixed_rank, const ir::PartialShape& other,
                   bool other_mixed_rank) {
  if (!other.has_rank()) return;
  if (!element.has_rank()) {
    element = other;
    mixed_rank = other_mixed_rank;
    return;
  }
  mixed_rank = mixed_rank || other_mixed_rank || element.rank() != other.rank();
  element = mixed_rank ? ir::PartialShape::of_rank(std::max(element.rank(), other.rank()))
                       : ir::widen(element, other);
}

std::size_t ElementList::size_of(const Tree& tree) {
  return tree == nullptr ? 0 : tree->size;
}

int ElementList::height_of(const Tree& tree) {
  return tree == nullptr ? 0 : tree->height;
}

ElementList::Tree ElementList::node(Tree left, ir::Value value, Tree right) {
  auto tree = std::make_shared<Node>();
  tree->value = value;
  tree->size = size_of(left) + 1 + size_of(right);
  tree->height = 1 + std::max(height_of(left), height_of(right));
  tree->element = value.shape();
  for (const Node* part : {left.get(), right.get()}) {
    if (part != nullptr) widen_element(tree->element, tree->mixed_rank, part->element, part->mixed_rank);
  }
  tree->left = std::move(left);
  tree->right = std::move(right);
  return tree;
}

/// A node whose subtrees may differ in height by two: it is rotated once or twice.
ElementList::Tree ElementList::balanced(Tree left, ir::Value value, Tree right) {
  if (height_of(left) > height_of(right) + 1) {
    const Tree& inner = left->right;
    if (height_of(left->left) >= height_of(inner))
      return node(left->left, left->value, node(inner, value, std::move(right)));
    return node(node(left->left, left->value, inner->left), inner->value,
                node(inner->right, value, std::move(right)));
  }
  if (height_of(right) > height_of(left) + 1) {
    const Tree& inner = right->left;
    if (height_of(right->right) >= height_of(inner))
      return node(node(std::move(left), value, inner), right->value, right->right);
    return node(node(std::move(left), value, inner->left), inner->value,
                node(inner->right, right->value, right->right));
  }
  return node(std::move(left), value, std::move(right));
}

ElementList::Tree ElementList::with(const Tree& tree, std::size_t index, ir::Value value) {
  if (tree == nullptr) return node({}, value, {});
  const std::size_t before = size_of(tree->left);
  if (index <= before) return balanced(with(tree->left, index, value), tree->value, tree->right);
  return balanced(tree->left, tree->value, with(tree->right, index - before - 1, value));
}

ElementList::Tree ElementList::without(const Tree& tree, std::size_t index) {
  const std::size_t before = size_of(tree->left);
  if (index < before) return balanced(without(tree->left, index), tree->value, tree->right);
  if (index > before) return balanced(tree->left, tree->value, without(tree->right, index - before - 1));
  if (tree->left == nullptr) return tree->right;
  if (tree->right == nullptr) return tree->left;
  const Node* first = tree->right.get();
  while (first->left != nullptr) first = first->left.get();
  return balanced(tree->left, first->value, without(tree->right, 0));
}

ElementList::Tree ElementList::tree_of(const Values& values, std::size_t begin, std::size_t end) {
  if (begin == end) return {};
  const std::size_t middle = begin + (end - begin) / 2;
  return node(tree_of(values, begin, middle), values[middle], tree_of(values, middle + 1, end));
}

ir::Value ElementList::operator[](std::size_t index) const {
  const Node* tree = root_.get();
  for (std::size_t before = size_of(tree->left); index != before; before = size_of(tree->left)) {
    if (index < before) {
      tree = tree->left.get();
    } else {
      index -= before + 1;
      tree = tree->right.get();
    }
  }
  return tree->value;
}

ir::PartialShape ElementList::element() const {
  return root_ == nullptr ? ir::PartialShape() : root_->element;
}

bool ElementList::has_mixed_rank() const {
  return root_ != nullptr && root_->mixed_rank;
}

Values ElementList::values() const {
  Values values;
  std::vector<const Node*> path;
  const Node* tree = root_.get();
  while (tree != nullptr || !path.empty()) {
    for (; tree != nullptr; tree = tree->left.get()) path.push_back(tree);
    values.push_back(path.back()->value);
    tree = path.back()->right.get();
    path.pop_back();
  }
  return values;
}

}  // namespace onnx2ir::frontend
