// Tokenizer: splits strings into tokens and returns a table with one row per string.
//
// Each byte of a string has a class; a token is a run of bytes of one class, or one character.
#include <algorithm>
#include <bitset>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "frontend/strings/regular_expression.hpp"
#include "frontend/strings/utf8.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/string_list.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// A separator: any of some bytes, or a text.
using Separator = std::variant<std::bitset<256>, std::string>;

/// Which bytes belong to tokens.
struct Rule {
  std::bitset<256> kept;
  bool by_character = false;          ///< each character is a token, otherwise each run of bytes
  std::vector<Separator> separators;  ///< earlier ones win
};

constexpr std::string_view kForms =
    "Use a token expression that is a set of ASCII characters with a '+', and separators that are such sets "
    "or texts that cannot overlap themselves (no beginning is also an ending).";

/// The bytes of a set of ASCII characters, with or without all other characters; no value for other sets.
std::optional<std::bitset<256>> bytes_of(const OneCharacter& set) {
  constexpr std::uint32_t kBeyond = 0x80;
  std::bitset<256> bytes;
  for (const SymbolRange& range : set.of) {
    if (range.last >= kBeyond && (range.first > kBeyond || range.last != kLastCodePoint)) return std::nullopt;
    const std::uint32_t last = std::min(range.last, std::uint32_t{0xFF});
    for (std::uint32_t symbol = range.first; symbol <= last; ++symbol) bytes.set(symbol);
  }
  return bytes;
}

[[noreturn]] void reject(NodeContext& node, const std::string& pattern) {
  node.fail("the pattern '" + pattern + "' is not converted", std::string(kForms));
}

/// The only part of a concatenation of one part, otherwise the expression.
Expression without_wrapping(Expression expression) {
  while (const auto* parts = std::get_if<Concatenation>(&expression.what)) {
    if (parts->parts.size() != 1) break;
    expression = Expression(parts->parts.front());
  }
  return expression;
}

Expression parsed_pattern(NodeContext& node, const std::string& pattern) {
  auto parsed = parse_regular_expression(pattern);
  if (!parsed) node.fail("the pattern '" + pattern + "' cannot be converted: " + parsed.error().message);
  return without_wrapping(*std::move(parsed));
}

/// The bytes of an expression for one character, or for several with a '+'; no value for other expressions.
std::optional<std::bitset<256>> set_of(const Expression& parsed) {
  if (const auto* set = std::get_if<OneCharacter>(&parsed.what)) return bytes_of(*set);
  if (const auto* choices = std::get_if<Alternation>(&parsed.what)) {
    std::bitset<256> all;
    for (const Expression& part : choices->parts) {
      const auto bytes = set_of(without_wrapping(part));
      if (!bytes) return std::nullopt;
      all |= *bytes;
    }
    return all;
  }
  return std::nullopt;
}

bool is_run(const Expression& parsed) {
  const auto* repeated = std::get_if<Repetition>(&parsed.what);
  return repeated != nullptr && repeated->least == 1 && repeated->most == kUnbounded;
}

const Expression& without_repetition(const Expression& parsed) {
  return is_run(parsed) ? std::get<Repetition>(parsed.what).part.front() : parsed;
}

/// `\w+` instead of `\b\w+\b`: a run of all bytes of words begins and ends at their borders.
Expression without_word_borders(Expression parsed) {
  const auto* const sequence = std::get_if<Concatenation>(&parsed.what);
  if (sequence == nullptr || sequence->parts.size() != 3) return parsed;
  const auto is_border = [](const Expression& part) {
    const auto* const assertion = std::get_if<Assertion>(&part.what);
    return assertion != nullptr && *assertion == Assertion::word_border;
  };
  const Expression& run = without_wrapping(sequence->parts[1]);
  const auto bytes = set_of(without_repetition(run));
  if (!is_border(sequence->parts[0]) || !is_border(sequence->parts[2]) || !is_run(run) || !bytes)
    return parsed;
  for (std::uint32_t byte = 0; byte < bytes->size(); ++byte) {
    if ((*bytes)[byte] != is_in_word(byte)) return parsed;
  }
  return run;
}

/// The text of an expression that matches only one; no value for other expressions.
std::optional<std::string> text_of(const Expression& parsed) {
  if (const auto* set = std::get_if<OneCharacter>(&parsed.what)) {
    if (set->of.size() != 1 || set->of.front().first != set->of.front().last) return std::nullopt;
    std::string text;
    append_code_point(text, set->of.front().first);
    return text;
  }
  const auto* sequence = std::get_if<Concatenation>(&parsed.what);
  if (sequence == nullptr || sequence->parts.empty()) return std::nullopt;
  std::string all;
  for (const Expression& part : sequence->parts) {
    const auto text = text_of(part);
    if (!text) return std::nullopt;
    all += *text;
  }
  return all;
}

/// There is no token between adjacent separators, so repeating a separator makes no difference.
Separator separator_of(NodeContext& node, const std::string& pattern) {
  const Expression parsed = parsed_pattern(node, pattern);
  const Expression& once = without_repetition(parsed);
  if (const auto bytes = set_of(once)) return *bytes;
  const auto text = text_of(once);
  // If two matches can overlap, their choice depends on all matches before.
  if (!text || can_overlap(*text)) reject(node, pattern);
  return *text;
}

Rule rule_of(NodeContext& node) {
  Rule rule;
  const auto separators = node.text_list("separators");
  if (separators.empty()) {
    const std::string pattern = node.text_attribute("tokenexp");
    const Expression parsed = without_word_borders(parsed_pattern(node, pattern));
    const auto bytes = set_of(without_repetition(parsed));
    rule.by_character = pattern == ".";
    if (!bytes || (!is_run(parsed) && !rule.by_character)) reject(node, pattern);
    rule.kept = *bytes;
    // For onnxruntime, this expression is each character, line breaks included.
    if (rule.by_character) rule.kept.set();
    return rule;
  }
  rule.kept.set();
  if (separators.size() == 1 && separators.front().empty()) {
    rule.by_character = true;
    return rule;
  }
  // Each separator, and each byte of a text, is emitted as operations of its own.
  constexpr std::size_t kMaxSeparators = 1024;
  std::size_t size = 0;
  for (const std::string& pattern : separators) {
    size += std::max<std::size_t>(pattern.size(), 1);
    if (size > kMaxSeparators)
      node.fail("the separators have more than " + std::to_string(kMaxSeparators) + " bytes");
    rule.separators.push_back(separator_of(node, pattern));
  }
  return rule;
}

class Tokens : private ByteTable {
 public:
  Tokens(NodeContext& node, const StringList& texts, const Rule& rule) : ByteTable(node, texts) {
    const Value inside = op(ops::Less, {columns_, lengths_});
    const Value bytes = gather_bytes(node, convert(node, texts.bytes(), kWhole), places_, inside);
    Value kept = op(ops::LogicalAnd, {inside, find_class(rule.kept, bytes)});
    for (const Separator& separator : rule.separators) kept = remove_separator(separator, bytes, kept);
    const Value was_kept = shift_right(kept);
    std::bitset<256> continuations;
    for (std::size_t byte = 0x80; byte < 0xC0; ++byte) continuations.set(byte);
    leads_ = op(ops::LogicalAnd, {inside, op(ops::LogicalNot, {find_class(continuations, bytes)})});
    if (rule.by_character) {
      begins_ = op(ops::LogicalAnd, {kept, leads_});
      ends_ = op(ops::LogicalAnd, {was_kept, op(ops::LogicalOr, {leads_, op(ops::LogicalNot, {inside})})});
    } else {
      begins_ = op(ops::LogicalAnd, {kept, op(ops::LogicalNot, {was_kept})});
      ends_ = op(ops::LogicalAnd, {was_kept, op(ops::LogicalNot, {kept})});
    }
  }

  /// Removes tokens of fewer characters.
  void drop_shorter_than(std::int64_t least) {
    const Value counts = op(ops::CumSum, {convert(*node_, leads_, kWhole), node_->integer(1)},
                            {{"exclusive", true}, {"reverse", false}});
    // The n-th begin belongs to the n-th end.
    const Value begins = find_places(begins_);
    const Value ends = find_places(ends_);
    const auto count_at = [&](Value places) { return gather(*node_, flatten(counts), places); };
    const Value is_long =
        op(ops::GreaterEqual, {op(ops::Subtract, {count_at(ends), count_at(begins)}), number(least)});
    const auto only_long = [&](Value marks, Value places) {
      const Value none = fill(*node_, 0, kWhole, shape_of(*node_, flatten(marks)));
      const Value some = scatter(*node_, none, places, convert(*node_, is_long, kWhole), 0);
      return op(ops::NotEqual, {reshape(*node_, some, shape_of(*node_, marks)), number(0)});
    };
    begins_ = only_long(begins_, begins);
    ends_ = only_long(ends_, ends);
  }

  /// The table, padded with `padding`; between begin and end marks if requested.
  Value emit_table(const std::string& padding, bool has_marks) {
    const Value begin_ranks = count_marks(begins_);
    const Value counts = reduce_keep_dims(*node_, ops::ReduceMax, begin_ranks, {1});
    Value width = reduce(*node_, ops::ReduceMax, flatten(counts), {0});
    const std::int64_t shift = has_marks ? 1 : 0;
    if (has_marks) {
      // A table without tokens has no marks.
      const Value marks = op(ops::Multiply, {op(ops::Minimum, {width, number(1)}), number(2)});
      width = op(ops::Add, {width, marks});
    }
    const std::string extra = padding + "\x02\x03";
    const Value old_bytes = texts_->bytes();
    const Value added = count_of(old_bytes);
    const auto extra_place = [&](std::size_t index) {
      return op(ops::Add, {added, number(static_cast<std::int64_t>(index))});
    };
    const auto cells = [&](Value marks, Value mark_ranks, std::size_t pad_place, std::size_t mark_offset) {
      const Value pad = extra_place(pad_place);
      const Value mark = extra_place(padding.size() + mark_offset);
      return place_in_table(marks, mark_ranks, counts, width, shift, pad, mark);
    };
    const Value size = convert_to_list(*node_, convert(*node_, width, ElementType::i64));
    const Value begins = texts_->reshape_to_tensor(*node_, cells(begins_, begin_ranks, 0, 0), size);
    const Value ends =
        texts_->reshape_to_tensor(*node_, cells(ends_, count_marks(ends_), padding.size(), 1), size);
    std::vector<std::int64_t> letters;
    for (const char letter : extra) letters.push_back(static_cast<unsigned char>(letter));
    const Value bytes = concat(*node_, {old_bytes, node_->integers(letters, ElementType::u8)});
    return pack(begins, ends, bytes);
  }

 private:
  Value find_class(const std::bitset<256>& members, Value bytes) {
    std::vector<double> flags;
    for (std::size_t byte = 0; byte < 256; ++byte) flags.push_back(members.test(byte) ? 1 : 0);
    return gather(*node_, node_->numbers(flags, ElementType::boolean), bytes);
  }

  /// `kept` without the bytes of a separator.
  Value remove_separator(const Separator& separator, Value bytes, Value kept) {
    if (const auto* set = std::get_if<std::bitset<256>>(&separator))
      return op(ops::LogicalAnd, {kept, find_class(~*set, bytes)});
    const auto& text = std::get<std::string>(separator);
    const auto size = static_cast<std::int64_t>(text.size());
    // After the last byte of a text there is a column that is not kept, so a match is inside of the text.
    Value ends = kept;
    for (std::int64_t i = 0; i < size; ++i) {
      const auto letter = static_cast<unsigned char>(text[static_cast<std::size_t>(i)]);
      const Value is_letter = op(ops::LogicalAnd, {kept, op(ops::Equal, {bytes, number(letter)})});
      ends = i == 0 ? is_letter : op(ops::LogicalAnd, {is_letter, shift_right(ends)});
    }
    Value cut = ends;
    for (std::int64_t i = 1; i < size; ++i) cut = op(ops::LogicalOr, {ends, shift_left(cut)});
    return op(ops::LogicalAnd, {kept, op(ops::LogicalNot, {cut})});
  }

  /// Packs the strings from `begins` to `ends`. OpenVINO requires contiguous strings, so their bytes are
  /// copied.
  Value pack(Value begins, Value ends, Value bytes) {
    const Value none = node_->integers({0}, kWhole);
    const Value starts = concat(*node_, {none, flatten(begins)});
    const Value sizes = op(ops::Subtract, {concat(*node_, {none, flatten(ends)}), starts});
    const Value longest = reduce(*node_, ops::ReduceMax, sizes, {0});
    const Value offsets = count_to(op(ops::Add, {longest, number(1)}));
    const Value sources = op(ops::Add, {unsqueeze(*node_, starts, {1}), offsets});
    const Value is_part = op(ops::Less, {offsets, unsqueeze(*node_, sizes, {1})});
    // One additional byte, because the strings may all be empty.
    const Value flat_sources = flatten(sources);
    const Value used = gather(*node_, flat_sources, find_places(is_part));
    const Value copied = gather(*node_, bytes, concat(*node_, {used, none}));
    const Value shape = shape_of(*node_, begins);
    const Value lengths = op(ops::Subtract, {ends, begins});
    const Value new_ends = reshape(*node_, cumulative_sum(*node_, flatten(lengths), 0), shape);
    return op(ops::StringTensorPack, {op(ops::Subtract, {new_ends, lengths}), new_ends, copied});
  }

  /// Shifts `marks` right by one column.
  Value shift_right(Value marks) {
    const Value from = op(ops::Maximum, {op(ops::Subtract, {columns_, number(1)}), number(0)});
    return op(ops::LogicalAnd, {gather(*node_, marks, from, 1), op(ops::Greater, {columns_, number(0)})});
  }

  /// Shifts `marks` left by one column; the last column, in which no match ends, stays.
  Value shift_left(Value marks) {
    const Value last = op(ops::Subtract, {convert(*node_, size_of(*node_, marks, 1), kWhole), number(1)});
    return gather(*node_, marks, op(ops::Minimum, {op(ops::Add, {columns_, number(1)}), last}), 1);
  }

  /// The positions of the marks in the flattened table.
  Value find_places(Value marks) { return find_true(*node_, flatten(marks)); }

  /// The positions of the marks in the bytes as rows of `width`: the begin mark if `shift` is 1, the tokens,
  /// the end mark one byte after the begin mark, and padding.
  Value place_in_table(Value marks, Value mark_ranks, Value counts, Value width, std::int64_t shift,
                       Value padding, Value mark) {
    const Value columns = unsqueeze(*node_, count_to(width), {0});
    const Value rows = count_to(count_of(texts_->lengths()));
    Value filled =
        broadcast_to(*node_, padding,
                     concat(*node_, {shape_of(*node_, texts_->lengths()),
                                     convert_to_list(*node_, convert(*node_, width, ElementType::i64))}));
    if (shift != 0) {
      const Value last = op(ops::Add, {counts, number(1)});
      filled = op(ops::Select, {op(ops::Equal, {columns, last}), op(ops::Add, {mark, number(1)}), filled});
      filled = op(ops::Select, {op(ops::Equal, {columns, number(0)}), mark, filled});
    }
    const Value row_begins = unsqueeze(*node_, op(ops::Multiply, {rows, width}), {1});
    const Value targets = op(ops::Add, {row_begins, op(ops::Add, {mark_ranks, number(shift - 1)})});
    const Value kept = find_places(marks);
    return write_places(flatten(filled), targets, kept);
  }

  Value leads_;   ///< where characters begin
  Value begins_;  ///< where tokens begin
  Value ends_;    ///< the column after each token
};

Values tokenizer(NodeContext& node) {
  const Rule rule = rule_of(node);
  const std::int64_t least = node.integer_attribute("mincharnum");
  const Value input = node.input(0);
  if (input.shape().element_count() == 0) return {input};
  const StringList texts(node, input);
  Tokens tokens(node, texts, rule);
  if (least > 1) tokens.drop_shorter_than(least);
  return {tokens.emit_table(node.text_attribute("pad_value"), node.integer_attribute("mark") != 0)};
}

}  // namespace

std::vector<TranslatorRow> microsoft_tokenizer_translators() {
  return {{"Tokenizer", 1, tokenizer, "patterns other than sets of ASCII characters and texts", "tokenexp"}};
}

}  // namespace onnx2ir::frontend
