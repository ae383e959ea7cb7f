// The strings of a tensor as ranges of a list of bytes. OpenVINO can only unpack strings to bytes and pack
// bytes to strings.
#pragma once

#include <initializer_list>
#include <string_view>

#include "frontend/graph/node_context.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {

/// The type of offsets, lengths and bytes in computations.
inline constexpr ElementType kWhole = ElementType::i32;

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
  /// The greatest of the lengths, i32 scalar.
  Value find_longest(Builder& builder) const;
  /// `list`, with one element per string, in the shape of the tensor.
  Value reshape_to_tensor(Builder& builder, Value list) const;
  /// `rows`, with `width` (i64 [1]) elements per string, in the shape of the tensor plus one dimension.
  Value reshape_to_tensor(Builder& builder, Value rows, Value width) const;

 private:
  Value begins_;
  Value lengths_;
  Value bytes_;
  Value shape_;  ///< of the tensor, i64
};

/// The bytes of strings as a table for classes that mark some of them: a row for each string, and one column
/// more than the longest string has bytes, for its end. Numbers are i32.
class ByteTable {
 public:
  ByteTable(NodeContext& node, const StringList& texts);

 protected:
  Value op(ir::Op id, std::initializer_list<Value> inputs, AttributeList attributes = {}) {
    return node_->op(id, inputs, attributes);
  }
  Value number(std::int64_t value) { return node_->integer(value, kWhole); }
  Value flatten(Value value) { return ir::flatten(*node_, value); }
  Value count_of(Value list) { return convert(*node_, size_of(*node_, list, 0), kWhole); }
  Value count_to(Value end) { return emit_range(*node_, end, kWhole); }

  /// The number of marks up to each position of a row.
  Value count_marks(Value marks) { return cumulative_sum(*node_, convert(*node_, marks, kWhole), 1); }
  /// `cells` (list) with the places of the `marked` positions of the table at their `targets`.
  Value write_places(Value cells, Value targets, Value marked);

  NodeContext* node_;
  const StringList* texts_;
  Value columns_;  ///< [longest + 1]
  Value lengths_;  ///< [strings, 1]
  Value places_;   ///< among all bytes: [strings, longest + 1]
};

/// Strings of `lengths` (list) in `shape`, from those bytes in `rows` that are `inside`.
Value pack_rows(Builder& builder, Value rows, Value inside, Value lengths, Value shape);

/// Whether occurrences of the text can overlap: whether a prefix of it is also a suffix.
bool can_overlap(std::string_view text);

/// `bytes` as i32, followed by `zeros` zeros.
Value widen_bytes(Builder& builder, Value bytes, std::size_t zeros);

/// The bytes (i32, at least one) at `places` if `inside` is true, otherwise 0.
Value gather_bytes(Builder& builder, Value bytes, Value places, Value inside);

/// The decimal digits of `integers`, which may also be boolean.
Value write_integers(NodeContext& node, Value integers);

/// Reads the decimal number at the beginning of each string. A string that begins with no number gives 0. The
/// result is f32 if `type` is a floating-point type, otherwise i32.
Value read_numbers(NodeContext& node, Value texts, ElementType type);

/// Whether the strings of `a` and `b`, broadcast, are equal.
Value compare_strings(Builder& builder, Value a, Value b);

}  // namespace onnx2ir::frontend
