// Operators on strings, and the comparison of strings.
#include "frontend/strings/byte_automaton.hpp"
#include "frontend/strings/letter_case.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/control_flow.hpp"
#include "frontend/translators/onnx/string_list.hpp"
#include "frontend/translators/onnx/table_search.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// Strings as a list: the offset in the bytes and the length of each string.
struct Texts {
  Value begins;
  Value lengths;
};

/// Two tensors of strings, broadcast and flattened, over one list of bytes that ends with a zero.
struct StringPair {
  Texts a;
  Texts b;
  Value bytes;  ///< i32
  Value shape;  ///< the common shape after broadcasting
};

StringPair unpack(Builder& builder, Value a, Value b) {
  ir::Node& of_a = builder.node(ops::StringTensorUnpack, {a});
  ir::Node& of_b = builder.node(ops::StringTensorUnpack, {b});
  const Value zero_a = builder.op(ops::Multiply, {of_a.value(0), builder.integer(0, kWhole)});
  const Value zero_b = builder.op(ops::Multiply, {of_b.value(0), builder.integer(0, kWhole)});
  const Value behind_a = convert(builder, shape_of(builder, of_a.value(2)), kWhole);
  const auto list = [&](Value value, Value zero_of_other) {
    return flatten(builder, builder.op(ops::Add, {value, zero_of_other}));
  };
  const auto lengths = [&](ir::Node& texts) {
    return builder.op(ops::Subtract, {texts.value(1), texts.value(0)});
  };
  StringPair pair;
  pair.a = {list(of_a.value(0), zero_b), list(lengths(of_a), zero_b)};
  pair.b = {list(builder.op(ops::Add, {of_b.value(0), reshape_to_scalar(builder, behind_a)}), zero_a),
            list(lengths(of_b), zero_a)};
  pair.bytes = concat(builder, {convert(builder, of_a.value(2), kWhole),
                                convert(builder, of_b.value(2), kWhole), builder.integers({0}, kWhole)});
  pair.shape = shape_of(builder, builder.op(ops::Add, {zero_a, zero_b}));
  return pair;
}

/// 0, 1, 2 ... up to the longest of `lengths`.
Value enumerate_bytes(Builder& builder, Value lengths) {
  const Value all = concat(builder, {lengths, builder.integers({0}, kWhole)});
  const Value longest = reduce(builder, ops::ReduceMax, all, {0});
  return emit_range(builder, longest, kWhole);
}

/// StringConcat 20: concatenates the strings of both inputs.
Values string_concat_20(NodeContext& node) {
  const StringPair pair = unpack(node, node.input(0), node.input(1));
  const Value lengths = node.op(ops::Add, {pair.a.lengths, pair.b.lengths});
  const Value numbers = enumerate_bytes(node, lengths);
  const auto column = [&](Value list) { return unsqueeze(node, list, {1}); };
  const Value inside = node.op(ops::Less, {numbers, column(lengths)});
  const Value in_first = node.op(ops::Less, {numbers, column(pair.a.lengths)});
  const Value second =
      node.op(ops::Add, {column(node.op(ops::Subtract, {pair.b.begins, pair.a.lengths})), numbers});
  const Value places =
      node.op(ops::Select, {in_first, node.op(ops::Add, {column(pair.a.begins), numbers}), second});
  return {pack_rows(node, gather_bytes(node, pair.bytes, places, inside), inside, lengths, pair.shape)};
}

constexpr std::int64_t kMaxBytes = 4;

/// Decodes bytes to characters, maps their case, and encodes them again. There is one row per byte; bytes
/// that do not begin a character give nothing.
class CaseWriter {
 public:
  explicit CaseWriter(NodeContext& node) : node_(&node) {}

  /// The characters that begin at each of the `count` bytes (i32, followed by zeros).
  Value decode_characters(Value bytes, Value places) {
    const auto byte = [&](std::int64_t index) {
      return gather(*node_, bytes, op(ops::Add, {places, number(index)}));
    };
    const Value lead = byte(0);
    Value code = lead;
    constexpr std::int64_t kLeads[] = {0xC0, 0xE0, 0xF0};
    Value longer = lead;
    for (std::int64_t more = 1; more < kMaxBytes; ++more) {
      const Value low = op(ops::BitwiseAnd, {byte(more), number(0x3F)});
      longer = op(ops::BitwiseOr, {op(ops::BitwiseLeftShift, {longer, number(6)}), low});
      // The bits of the lead byte that mark the length are above the bits of the character.
      const Value own = op(ops::BitwiseAnd, {longer, number((std::int64_t{1} << (5 * more + 6)) - 1)});
      code = select({op(ops::GreaterEqual, {lead, number(kLeads[more - 1])}), own, code});
    }
    return code;
  }

  Value map_codes(Value codes, const CaseTable& table) {
    const Value pages = node_->integers(table.pages, kWhole);
    const Value page = gather(*node_, pages, op(ops::BitwiseRightShift, {codes, number(8)}));
    const Value begin = op(ops::Multiply, {page, number(256)});
    const Value index = op(ops::Add, {begin, op(ops::BitwiseAnd, {codes, number(0xFF)})});
    return op(ops::Add, {codes, gather(*node_, node_->integers(table.distances, kWhole), index)});
  }

  /// The number of bytes of each character.
  Value count_bytes(Value codes) {
    Value result = number(1);
    for (const std::int64_t first : {0x80, 0x800, 0x10000}) {
      result = op(ops::Add, {result, convert(*node_, op(ops::GreaterEqual, {codes, number(first)}), kWhole)});
    }
    return result;
  }

  /// The bytes of each character, padded to four: [characters, 4].
  Value encode(Value codes, Value sizes) {
    const Value column = node_->integers({0, 1, 2, 3}, kWhole);
    const Value counts = unsqueeze(*node_, sizes, {1});
    const Value last = op(ops::Subtract, {counts, number(1)});
    const Value distance = op(ops::Subtract, {last, column});
    const Value following = op(ops::Maximum, {distance, number(0)});
    const Value code_column = unsqueeze(*node_, codes, {1});
    const Value high = op(ops::BitwiseRightShift, {code_column, op(ops::Multiply, {following, number(6)})});
    const Value marks = gather(*node_, node_->integers({0, 0xC0, 0xE0, 0xF0}, kWhole), last);
    const Value is_lead = op(ops::Equal, {column, number(0)});
    const Value low = op(ops::BitwiseAnd, {high, node_->integers({0xFF, 0x3F, 0x3F, 0x3F}, kWhole)});
    return op(ops::BitwiseOr, {low, select({is_lead, marks, number(0x80)})});
  }

  Value op(ir::Op id, std::initializer_list<Value> inputs) { return node_->op(id, inputs); }
  Value select(std::initializer_list<Value> inputs) { return node_->op(ops::Select, inputs); }
  Value number(std::int64_t value) { return node_->integer(value, kWhole); }

 private:
  NodeContext* node_;
};

/// Converts each letter of the strings to that case.
Value convert_case(NodeContext& node, Value texts, LetterCase to) {
  CaseWriter writer(node);
  ir::Node& unpacked = node.node(ops::StringTensorUnpack, {texts});
  const Value bytes = widen_bytes(node, unpacked.value(2), kMaxBytes);
  // One position more than there are bytes, for the end of the last string.
  const Value count = convert(node, size_of(node, unpacked.value(2), 0), kWhole);
  const Value places = emit_range(node, writer.op(ops::Add, {count, writer.number(1)}), kWhole);
  const Value codes = writer.map_codes(writer.decode_characters(bytes, places), case_table(to));
  const Value read = gather(node, bytes, places);
  const Value leading_bits = writer.op(ops::BitwiseAnd, {read, writer.number(0xC0)});
  const Value is_lead = writer.op(ops::NotEqual, {leading_bits, writer.number(0x80)});
  const Value lead_sizes = writer.count_bytes(codes);
  const Value sizes = writer.select({is_lead, lead_sizes, writer.number(0)});
  const Value columns = node.integers({0, 1, 2, 3}, kWhole);
  const Value inside = writer.op(ops::Less, {columns, unsqueeze(node, sizes, {1})});
  const Value kept = find_true(node, flatten(node, inside));
  const Value written = gather(node, flatten(node, writer.encode(codes, sizes)), kept);
  const Value offsets =
      node.op(ops::CumSum, {sizes, node.integer(0)}, {{"exclusive", true}, {"reverse", false}});
  return node.op(ops::StringTensorPack,
                 {gather(node, offsets, unpacked.value(0)), gather(node, offsets, unpacked.value(1)),
                  convert(node, written, ElementType::u8)});
}

/// Uses Unicode's case mapping; fails for locales that differ (Turkish i).
void require_known_case(const NodeContext& node) {
  const std::string locale = node.text_attribute("locale", "");
  const bool is_known =
      locale.empty() || locale.starts_with("en") || locale == "C.utf8" || locale == "C.UTF-8";
  if (!is_known) node.fail("the upper and lower case of letters in locale '" + locale + "' is not known");
}

LetterCase case_of(const NodeContext& node, const std::string& action) {
  if (action == "LOWER") return LetterCase::lower;
  if (action == "UPPER") return LetterCase::upper;
  node.fail("attribute 'case_change_action' must be LOWER, UPPER or NONE");
}

std::vector<std::string> lowered(const NodeContext& node, const std::vector<std::string>& words) {
  std::vector<std::string> result;
  for (const std::string& word : words) {
    const auto lower = in_case(word, LetterCase::lower);
    if (!lower) node.fail("a stop word is not in UTF-8");
    result.push_back(*lower);
  }
  return result;
}

/// StringNormalizer 10: removes stop words; if no words are left, the result is one empty string.
Values string_normalizer_10(NodeContext& node) {
  const Value texts = node.input(0);
  const std::int64_t rank = node.rank(texts);
  if (rank != 1 && rank != 2) node.fail("the strings must be a list, or a batch of one");
  const std::string action = node.text_attribute("case_change_action", "NONE");
  const bool ignores_case = !node.flag_attribute("is_case_sensitive");
  auto words = node.text_list("stopwords").unchecked();
  if (action != "NONE" || (ignores_case && !words.empty())) require_known_case(node);
  const Value written = action == "NONE" ? texts : convert_case(node, texts, case_of(node, action));
  Value compared = texts;
  if (ignores_case && !words.empty()) {
    compared = convert_case(node, texts, LetterCase::lower);
    words = lowered(node, words);
  }
  ir::Node& unpacked = node.node(ops::StringTensorUnpack, {written});
  Value begins = flatten(node, unpacked.value(0));
  Value lengths = node.op(ops::Subtract, {flatten(node, unpacked.value(1)), begins});
  if (!words.empty()) {
    const Value none = node.integer(std::ssize(words), ElementType::i32);
    const Value is_other = node.op(ops::Equal, {find_texts(node, compared, words), none});
    const Value kept = find_true(node, flatten(node, is_other));
    begins = gather(node, begins, kept);
    lengths = gather(node, lengths, kept);
  }
  const Value count = node.op(ops::Maximum, {shape_of(node, lengths), node.integers({1})});
  const auto at_least_one = [&](Value numbers) {
    const Value longer = concat(node, {numbers, node.integers({0}, kWhole)});
    return slice(node, longer, node.integers({0}), count, 0);
  };
  begins = at_least_one(begins);
  lengths = at_least_one(lengths);
  const Value bytes = widen_bytes(node, unpacked.value(2), 1);
  const Value numbers = enumerate_bytes(node, lengths);
  const Value inside = node.op(ops::Less, {numbers, unsqueeze(node, lengths, {1})});
  const Value places = node.op(ops::Add, {unsqueeze(node, begins, {1}), numbers});
  const Value shape = rank == 1 ? node.integers({-1}) : node.integers({1, -1});
  return {pack_rows(node, gather_bytes(node, bytes, places, inside), inside, lengths, shape)};
}

/// The transitions with an additional class for positions after the end of a string, which keeps every state.
/// States are numbered by the offset of their transitions.
std::vector<std::int64_t> transitions(const ByteAutomaton& automaton) {
  std::vector<std::int64_t> result;
  const std::int64_t width = automaton.class_count + 1;
  for (std::size_t state = 0; state < automaton.accepts.size(); ++state) {
    for (std::int32_t i = 0; i < automaton.class_count; ++i) {
      result.push_back(width * automaton.next[state * static_cast<std::size_t>(automaton.class_count) +
                                              static_cast<std::size_t>(i)]);
    }
    result.push_back(width * static_cast<std::int64_t>(state));
  }
  return result;
}

/// Whether each state accepts, by the offset of its transitions.
std::vector<std::int64_t> acceptance(const ByteAutomaton& automaton) {
  std::vector<std::int64_t> result;
  for (const bool accepts : automaton.accepts) {
    result.insert(result.end(), static_cast<std::size_t>(automaton.class_count) + 1, accepts ? 1 : 0);
  }
  return result;
}

/// The classes of all bytes, one row per position in the strings: [longest + 1, strings].
Value compute_classes(NodeContext& node, const StringList& texts, const ByteAutomaton& automaton) {
  const Value count = node.op(ops::Add, {texts.find_longest(node), node.integer(1, kWhole)});
  const Value places = unsqueeze(node, emit_range(node, count, kWhole), {1});
  const Value inside = node.op(ops::Less, {places, texts.lengths()});
  const Value bytes = widen_bytes(node, texts.bytes(), 1);
  const Value read = gather_bytes(node, bytes, node.op(ops::Add, {places, texts.begins()}), inside);
  const std::vector<std::int64_t> classes(automaton.class_of_byte.begin(), automaton.class_of_byte.end());
  return node.op(ops::Select, {inside, gather(node, node.integers(classes, kWhole), read),
                               node.integer(automaton.class_count, kWhole)});
}

/// RegexFullMatch 20: a Loop whose iterations feed the next byte of all strings to an automaton.
Values regex_full_match_20(NodeContext& node) {
  const auto automaton = byte_automaton(node.text_attribute("pattern"));
  if (!automaton) node.fail("the pattern cannot be converted: " + automaton.error().message);
  if (node.input(0).shape().element_count() == 0)
    return {fill(node, 0, ElementType::boolean, shape_of(node, node.input(0)))};
  const StringList texts(node, node.input(0));
  const Value classes = compute_classes(node, texts, *automaton);
  const std::vector<std::int64_t> next = transitions(*automaton);
  const auto write = [&](Builder& body, Value place, const Values& states, const Values& invariants) {
    const Value index = body.op(ops::Add, {states[0], gather(body, invariants[0], place)});
    return Iteration{{gather(body, body.integers(next, kWhole), index)}, {}};
  };
  const Value first = node.op(ops::Multiply, {texts.lengths(), node.integer(0, kWhole)});
  const LoopOutputs loop = iterate(node, size_of(node, classes, 0), {first}, {classes}, write);
  const Value accepts = gather(node, node.integers(acceptance(*automaton), kWhole), loop.states[0]);
  const Value matches = node.op(ops::NotEqual, {accepts, node.integer(0, kWhole)});
  return {texts.reshape_to_tensor(node, matches)};
}

}  // namespace

Value compare_strings(Builder& builder, Value a, Value b) {
  const StringPair pair = unpack(builder, a, b);
  const Value same_length = builder.op(ops::Equal, {pair.a.lengths, pair.b.lengths});
  const Value numbers = enumerate_bytes(builder, pair.a.lengths);
  const auto rows = [&](const Texts& texts) {
    const Value inside = builder.op(ops::Less, {numbers, unsqueeze(builder, texts.lengths, {1})});
    return gather_bytes(builder, pair.bytes,
                        builder.op(ops::Add, {unsqueeze(builder, texts.begins, {1}), numbers}), inside);
  };
  // Strings are equal if no bytes differ; this also holds for empty strings.
  const Value differ = convert(builder, builder.op(ops::NotEqual, {rows(pair.a), rows(pair.b)}), kWhole);
  const Value count = reduce(builder, ops::ReduceSum, differ, {1});
  const Value same_bytes = builder.op(ops::Equal, {count, builder.integer(0, kWhole)});
  return reshape(builder, builder.op(ops::LogicalAnd, {same_length, same_bytes}), pair.shape);
}

std::vector<TranslatorRow> string_translators() {
  return {
      {"StringConcat", 20, string_concat_20},
      {"StringNormalizer", 10, string_normalizer_10, "locales other than English"},
      {"RegexFullMatch", 20, regex_full_match_20, "patterns with \\p; flag i beyond ASCII"},
  };
}

}  // namespace onnx2ir::frontend
