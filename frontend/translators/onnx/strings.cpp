#include "frontend/translators/onnx/strings.hpp"

#include "frontend/translators/ai_onnx_ml/classification.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"
#include "frontend/translators/onnx/string_case.hpp"
#include "frontend/translators/onnx/string_list.hpp"

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

StringPair unpack(NodeContext& node, Value a, Value b) {
  ir::Node& of_a = node.node(ops::StringTensorUnpack, {a}, {}, 3);
  ir::Node& of_b = node.node(ops::StringTensorUnpack, {b}, {}, 3);
  const Value zero_a = node.op(ops::Multiply, {of_a.value(0), node.integer(0, ElementType::i32)});
  const Value zero_b = node.op(ops::Multiply, {of_b.value(0), node.integer(0, ElementType::i32)});
  const Value behind_a = convert(node, shape_of(node, of_a.value(2)), ElementType::i32);
  const auto list = [&](Value value, Value zero_of_other) {
    return flatten(node, node.op(ops::Add, {value, zero_of_other}));
  };
  const auto lengths = [&](ir::Node& texts) {
    return node.op(ops::Subtract, {texts.value(1), texts.value(0)});
  };
  StringPair pair;
  pair.a = {list(of_a.value(0), zero_b), list(lengths(of_a), zero_b)};
  pair.b = {list(node.op(ops::Add, {of_b.value(0), reshape_to_scalar(node, behind_a)}), zero_a),
            list(lengths(of_b), zero_a)};
  pair.bytes =
      concat(node, {convert(node, of_a.value(2), ElementType::i32),
                    convert(node, of_b.value(2), ElementType::i32), node.integers({0}, ElementType::i32)});
  pair.shape = shape_of(node, node.op(ops::Add, {zero_a, zero_b}));
  return pair;
}

/// 0, 1, 2 ... up to the longest of `lengths`.
Value enumerate_bytes(NodeContext& node, Value lengths) {
  const Value all = concat(node, {lengths, node.integers({0}, ElementType::i32)});
  const Value longest = reduce(node, ops::ReduceMax, all, {0});
  return emit_range(node, longest, ElementType::i32);
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

/// Whether each string of a list differs from all `words`.
Value find_other_texts(NodeContext& node, Value texts, const std::vector<std::string>& words) {
  const Value same = compare_with_texts(node, texts, words);
  const Value any = reduce(node, ops::ReduceLogicalOr, same, {node.rank(texts)});
  return flatten(node, node.op(ops::LogicalNot, {any}));
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
  ir::Node& unpacked = node.node(ops::StringTensorUnpack, {written}, {}, 3);
  Value begins = flatten(node, unpacked.value(0));
  Value lengths = node.op(ops::Subtract, {flatten(node, unpacked.value(1)), begins});
  if (!words.empty()) {
    const Value kept = find_true(node, find_other_texts(node, compared, words));
    begins = gather(node, begins, kept);
    lengths = gather(node, lengths, kept);
  }
  const Value count = node.op(ops::Maximum, {shape_of(node, lengths), node.integers({1})});
  const auto at_least_one = [&](Value numbers) {
    const Value longer = concat(node, {numbers, node.integers({0}, ElementType::i32)});
    return slice(node, longer, node.integers({0}), count, 0);
  };
  begins = at_least_one(begins);
  lengths = at_least_one(lengths);
  const Value bytes = concat(
      node, {convert(node, unpacked.value(2), ElementType::i32), node.integers({0}, ElementType::i32)});
  const Value numbers = enumerate_bytes(node, lengths);
  const Value inside = node.op(ops::Less, {numbers, unsqueeze(node, lengths, {1})});
  const Value places = node.op(ops::Add, {unsqueeze(node, begins, {1}), numbers});
  const Value shape = rank == 1 ? node.integers({-1}) : node.integers({1, -1});
  return {pack_rows(node, gather_bytes(node, bytes, places, inside), inside, lengths, shape)};
}

}  // namespace

Value compare_strings(NodeContext& node, Value a, Value b) {
  const StringPair pair = unpack(node, a, b);
  const Value same_length = node.op(ops::Equal, {pair.a.lengths, pair.b.lengths});
  const Value numbers = enumerate_bytes(node, pair.a.lengths);
  const auto rows = [&](const Texts& texts) {
    const Value inside = node.op(ops::Less, {numbers, unsqueeze(node, texts.lengths, {1})});
    return gather_bytes(node, pair.bytes, node.op(ops::Add, {unsqueeze(node, texts.begins, {1}), numbers}),
                        inside);
  };
  // Strings are equal if no bytes differ; this also holds for empty strings.
  const Value differ = convert(node, node.op(ops::NotEqual, {rows(pair.a), rows(pair.b)}), ElementType::i32);
  const Value count = reduce(node, ops::ReduceSum, differ, {1});
  const Value same_bytes = node.op(ops::Equal, {count, node.integer(0, ElementType::i32)});
  return reshape(node, node.op(ops::LogicalAnd, {same_length, same_bytes}), pair.shape);
}

std::vector<TranslatorRow> string_translators() {
  return {
      {"StringConcat", 20, string_concat_20},
      {"StringNormalizer", 10, string_normalizer_10, "locales other than English"},
  };
}

}  // namespace onnx2ir::frontend
