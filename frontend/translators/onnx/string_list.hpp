// The strings of a tensor as a list of places among bytes.
#pragma once

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// The strings of a tensor, with an empty one more in front: the list has an element and a longest string
/// even if the tensor is empty.
class StringList {
 public:
  /// `texts` may not be known to be empty.
  StringList(NodeContext& node, Value texts);

  /// Where each string begins among the bytes, i32 list.
  Value begins() const { return begins_; }
  /// In bytes, i32 list.
  Value lengths() const { return lengths_; }
  /// u8; at least one.
  Value bytes() const { return bytes_; }
  /// The shape of the tensor, i64.
  Value shape() const { return shape_; }
  /// The greatest of the lengths, i32 scalar.
  Value longest(Builder& builder) const;
  /// `list`, which has an element for each string, in the shape of the tensor.
  Value as_tensor(Builder& builder, Value list) const;
  /// `rows`, which has `width` (i64 [1]) elements for each string, in the shape of the tensor and one
  /// dimension more.
  Value as_tensor(Builder& builder, Value rows, Value width) const;

 private:
  Value begins_;
  Value lengths_;
  Value bytes_;
  Value shape_;
};

/// The bytes (i32, at least one) at `places` where `inside` holds, elsewhere 0.
Value bytes_at(Builder& builder, Value bytes, Value places, Value inside);

}  // namespace onnx2ir::frontend
