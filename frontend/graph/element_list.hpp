// An immutable list of tensors. A list made from another one by inserting or erasing an element shares almost
// all its memory with it: a chain of n SequenceInserts takes memory of n log n, not n^2.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "ir/graph.hpp"

namespace onnx2ir::frontend {

using ir::Values;

/// `element` and `other` are the shapes of the elements of two lists; a list without elements has a shape of
/// dynamic rank. Sets `element` to a shape that contains both. If the ranks differ, this is the larger rank
/// with dynamic dimensions, and `mixed_rank` is set.
void widen_element(ir::PartialShape& element, bool& mixed_rank, const ir::PartialShape& other,
                   bool other_mixed_rank);

class ElementList {
 public:
  ElementList() = default;
  explicit ElementList(const Values& values) : root_(tree_of(values, 0, values.size())) {}

  std::size_t size() const { return size_of(root_); }
  bool empty() const { return root_ == nullptr; }
  /// Element `index`, which must exist.
  ir::Value operator[](std::size_t index) const;
  /// All elements in their order.
  Values values() const;
  /// A shape that every element has, and whether some have a smaller rank: see widen_element.
  ir::PartialShape element() const;
  bool has_mixed_rank() const;

  /// This list with `value` before element `index`, or at the end if `index` is the size.
  ElementList with(std::size_t index, ir::Value value) const {
    return ElementList(with(root_, index, value));
  }
  /// This list without element `index`, which must exist.
  ElementList without(std::size_t index) const { return ElementList(without(root_, index)); }

 private:
  struct Node;
  using Tree = std::shared_ptr<const Node>;

  explicit ElementList(Tree root) : root_(std::move(root)) {}

  static std::size_t size_of(const Tree& tree);
  static int height_of(const Tree& tree);
  static Tree node(Tree left, ir::Value value, Tree right);
  static Tree balanced(Tree left, ir::Value value, Tree right);
  static Tree with(const Tree& tree, std::size_t index, ir::Value value);
  static Tree without(const Tree& tree, std::size_t index);
  static Tree tree_of(const Values& values, std::size_t begin, std::size_t end);

  Tree root_;  ///< null: no elements
};

}  // namespace onnx2ir::frontend
