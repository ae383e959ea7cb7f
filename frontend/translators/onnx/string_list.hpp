// The strings of a tensor as ranges of a list of bytes.
#pragma once

#include <string_view>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// The strings of a tensor, preceded by an additional empty string, so that the list and its longest string
/// exist even if the tensor is empty.
class StringList {
 public:
  /// `texts` must not be statically empty.
  StringList(NodeContext& node, Value texts);

  /// The offset of each string in the bytes, i32 list.
  Value begins() const { return begins_; }
  /// In bytes, i32 list.
  Value lengths() const { return lengths_; }
  /// u8; at least one.
  Value bytes() const { return bytes_; }
  /// The shape of the tensor, i64.
  Value shape() const { return shape_; }
  /// The greatest of the lengths, i32 scalar.
  Value longest(Builder& builder) const;
  /// `list`, with one element per string, in the shape of the tensor.
  Value as_tensor(Builder& builder, Value list) const;
  /// `rows`, with `width` (i64 [1]) elements per string, in the shape of the tensor plus one dimension.
  Value as_tensor(Builder& builder, Value rows, Value width) const;

 private:
  Value begins_;
  Value lengths_;
  Value bytes_;
  Value shape_;
};

/// Strings of `lengths` (list) in `shape`, from those bytes in `rows` that are `inside`.
Value packed_strings(Builder& builder, Value rows, Value inside, Value lengths, Value shape);

/// Whether occurrences of the text can overlap: whether a prefix of it is also a suffix.
bool can_overlap(std::string_view text);

/// The bytes (i32, at least one) at `places` if `inside` is true, otherwise 0.
Value bytes_at(Builder& builder, Value bytes, Value places, Value inside);

}  // namespace onnx2ir::frontend
