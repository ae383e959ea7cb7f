// StringSplit: marks begins and ends of parts in a table of bytes with one row per string.
#include <algorithm>
#include <array>
#include <vector>

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/control_flow.hpp"
#include "frontend/translators/onnx/string_list.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

// Unicode white space by the length of its UTF-8 encoding, and the ASCII separators.
constexpr auto kSpacesOfOneByte =
    std::to_array<std::int64_t>({'\t', '\n', '\v', '\f', '\r', 0x1C, 0x1D, 0x1E, 0x1F, ' '});
constexpr auto kSpacesOfTwoBytes = std::to_array<std::int64_t>({0xC285, 0xC2A0});
constexpr auto kSpacesOfThreeBytes = std::to_array<std::int64_t>(
    {0xE19A80, 0xE28080, 0xE28081, 0xE28082, 0xE28083, 0xE28084, 0xE28085, 0xE28086, 0xE28087, 0xE28088,
     0xE28089, 0xE2808A, 0xE280A8, 0xE280A9, 0xE280AF, 0xE2819F, 0xE38080});

/// Begins and ends of parts. Each begin is followed by an end before the next begin.
struct Marks {
  Value begins;
  Value ends;
};

class Splitter : private ByteTable {
 public:
  using ByteTable::ByteTable;

  /// Marks parts between white space.
  Marks words() {
    const Value is_inside = op(ops::Less, {columns_, lengths_});
    const Value is_black =
        op(ops::LogicalAnd, {is_inside, gather_mask(op(ops::LogicalNot, {find_spaces()}), is_inside)});
    const Value is_behind_black = shift(is_black, columns_, 1, 1);
    return {op(ops::LogicalAnd, {is_black, op(ops::LogicalNot, {is_behind_black})}),
            op(ops::LogicalAnd, {is_behind_black, op(ops::LogicalNot, {is_black})})};
  }

  /// Marks parts between delimiters. An empty string has no parts, as in onnxruntime.
  Marks between(const std::string& delimiter) {
    const auto size = static_cast<std::int64_t>(delimiter.size());
    const Value fits = op(ops::LessEqual, {op(ops::Add, {columns_, number(size)}), lengths_});
    Value cuts = gather_mask(find_occurrences(delimiter), fits);
    if (can_overlap(delimiter)) cuts = select_leftmost(cuts, size);
    const Value has_bytes = op(ops::Greater, {lengths_, number(0)});
    const auto and_at = [&](Value column, Value marks) {
      const Value is_there = op(ops::LogicalAnd, {op(ops::Equal, {columns_, column}), has_bytes});
      return op(ops::LogicalOr, {marks, is_there});
    };
    const Value zero = number(0);
    return {and_at(zero, shift(cuts, columns_, size, 1)), and_at(lengths_, cuts)};
  }

  /// The strings between the marks, and their number in each string. If `most` is not negative, only the
  /// first `most` cuts are used.
  Values split(Marks marks, std::int64_t most) {
    const Value begin_ranks = count_marks(marks.begins);
    const Value end_ranks = count_marks(marks.ends);
    Value counts = reduce_keep_dims(*node_, ops::ReduceMax, begin_ranks, {1});
    if (most >= 0) {
      const Value is_last = op(ops::Equal, {end_ranks, counts});
      const Value is_early = op(ops::LessEqual, {end_ranks, number(most)});
      marks.begins = op(ops::LogicalAnd, {marks.begins, op(ops::LessEqual, {begin_ranks, number(most + 1)})});
      marks.ends = op(ops::LogicalAnd, {marks.ends, op(ops::LogicalOr, {is_early, is_last})});
      counts = op(ops::Minimum, {counts, number(most + 1)});
    }
    const Value width = reduce(*node_, ops::ReduceMax, flatten(counts), {0});
    const Value size = convert_to_list(*node_, convert(*node_, width, ElementType::i64));
    const Value begins =
        texts_->reshape_to_tensor(*node_, emit_table(marks.begins, begin_ranks, width), size);
    const Value ends = texts_->reshape_to_tensor(
        *node_, emit_table(marks.ends, op(ops::Minimum, {end_ranks, counts}), width), size);
    return {op(ops::StringTensorPack, {begins, ends, texts_->bytes()}),
            convert(*node_, texts_->reshape_to_tensor(*node_, flatten(counts)), ElementType::i64)};
  }

 private:
  /// For each byte, and one position after the last: the `size` bytes that begin there, [bytes + 1, size], 0
  /// after the end.
  Value gather_windows(std::int64_t size) {
    const Value bytes = widen_bytes(*node_, texts_->bytes(), static_cast<std::size_t>(size));
    const Value indices = op(ops::Add, {unsqueeze(*node_, enumerate_bytes(), {1}), count_to(number(size))});
    return gather(*node_, bytes, indices);
  }
  Value enumerate_bytes() { return count_to(op(ops::Add, {count_of(texts_->bytes()), number(1)})); }

  /// Whether the delimiter begins at each byte.
  Value find_occurrences(const std::string& delimiter) {
    std::vector<std::int64_t> expected;
    for (const char byte : delimiter) expected.push_back(static_cast<unsigned char>(byte));
    const Value differs =
        op(ops::NotEqual, {gather_windows(std::ssize(expected)), node_->integers(expected, kWhole)});
    const Value any = reduce(*node_, ops::ReduceLogicalOr, differs, {1});
    return op(ops::LogicalNot, {any});
  }

  /// Whether each byte belongs to white space.
  Value find_spaces() {
    const Value weighted =
        op(ops::Multiply, {gather_windows(3), node_->integers({1 << 16, 1 << 8, 1}, kWhole)});
    const Value codes = reduce_keep_dims(*node_, ops::ReduceSum, weighted, {1});
    const auto begins = [&](std::int64_t bits, std::span<const std::int64_t> characters) {
      const Value code = op(ops::BitwiseRightShift, {codes, number(24 - bits)});
      const Value same = op(ops::Equal, {code, node_->integers(characters, kWhole)});
      return reduce(*node_, ops::ReduceLogicalOr, same, {1});
    };
    const Value begins_three = begins(24, kSpacesOfThreeBytes);
    const Value begins_more = op(ops::LogicalOr, {begins(16, kSpacesOfTwoBytes), begins_three});
    const Value places = enumerate_bytes();
    const Value is_second = shift(begins_more, places, 1, 0);
    const Value is_third = shift(begins_three, places, 2, 0);
    const Value is_first = op(ops::LogicalOr, {begins(8, kSpacesOfOneByte), begins_more});
    return op(ops::LogicalOr, {is_first, op(ops::LogicalOr, {is_second, is_third})});
  }

  /// `marks` shifted by `distance` towards lower indices along `axis`, whose indices are `places`.
  Value shift(Value marks, Value places, std::int64_t distance, std::int64_t axis) {
    const Value from = op(ops::Subtract, {places, number(distance)});
    const Value is_inside = op(ops::GreaterEqual, {from, number(0)});
    const Value found = gather(*node_, marks, op(ops::Maximum, {from, number(0)}), axis);
    return op(ops::LogicalAnd, {found, is_inside});
  }

  /// The mask of all bytes at each position of the table if `is_inside` is true; otherwise false.
  Value gather_mask(Value mask, Value is_inside) {
    const Value safe = op(ops::Select, {is_inside, places_, number(0)});
    return op(ops::LogicalAnd, {gather(*node_, mask, safe), is_inside});
  }

  /// Selects the first of overlapping occurrences, from left to right.
  Value select_leftmost(Value cuts, std::int64_t size) {
    const Value by_column = transpose(*node_, convert(*node_, cuts, kWhole), {1, 0});
    const Value free_from = op(ops::Multiply, {texts_->lengths(), number(0)});
    const Value count = size_of(*node_, by_column, 0);
    const auto write = [&](Builder& body, Value column, const Values& states, const Values& invariants) {
      const Value here = convert(body, column, kWhole);
      const Value zero = body.integer(0, kWhole);
      const Value is_free = body.op(ops::GreaterEqual, {here, states[0]});
      const Value occurs = body.op(ops::NotEqual, {gather(body, invariants[0], column), zero});
      const Value is_taken = body.op(ops::LogicalAnd, {occurs, is_free});
      const Value end = body.op(ops::Add, {here, body.integer(size, kWhole)});
      return Iteration{{body.op(ops::Select, {is_taken, end, states[0]})}, {convert(body, is_taken, kWhole)}};
    };
    const LoopOutputs loop = iterate(*node_, count, {free_from}, {by_column}, write);
    return op(ops::NotEqual, {transpose(*node_, loop.scans[0], {1, 0}), number(0)});
  }

  /// The positions of the marks as rows of `width`, padded with the end of the string.
  Value emit_table(Value marks, Value marks_ranks, Value width) {
    const Value rows = count_to(count_of(texts_->lengths()));
    const Value row_begins = unsqueeze(*node_, op(ops::Multiply, {rows, width}), {1});
    const Value targets = op(ops::Add, {row_begins, op(ops::Subtract, {marks_ranks, number(1)})});
    const Value string_ends = op(ops::Add, {texts_->begins(), texts_->lengths()});
    const Value sizes = concat(*node_, {shape_of(*node_, texts_->lengths()),
                                        convert_to_list(*node_, convert(*node_, width, ElementType::i64))});
    const Value filled = flatten(broadcast_to(*node_, unsqueeze(*node_, string_ends, {1}), sizes));
    return write_places(filled, targets, find_true(*node_, flatten(marks)));
  }
};

/// The outputs for an empty input, which is reshaped to the substrings.
Values emit_outputs_for_empty(NodeContext& node, Value texts) {
  const Value shape = shape_of(node, texts);
  const Value parts = reshape(node, texts, concat(node, {shape, node.integers({0})}));
  return {parts, fill(node, 0, ElementType::i64, shape)};
}

/// StringSplit 20.
Values string_split_20(NodeContext& node) {
  constexpr std::int64_t kMany = 1 << 24;
  if (node.input(0).shape().element_count() == 0) return emit_outputs_for_empty(node, node.input(0));
  const StringList texts(node, node.input(0));
  Splitter splitter(node, texts);
  const std::string delimiter = node.text_attribute("delimiter", "");
  const std::int64_t most = std::min(node.integer_attribute("maxsplit", -1), kMany);
  return splitter.split(delimiter.empty() ? splitter.words() : splitter.between(delimiter), most);
}

}  // namespace

std::vector<TranslatorRow> string_split_translators() {
  return {{"StringSplit", 20, string_split_20}};
}

}  // namespace onnx2ir::frontend
