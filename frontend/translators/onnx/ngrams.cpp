// TfIdfVectorizer: counts the occurrences of n-grams in rows of words.
#include <algorithm>
#include <map>

#include "base/memory_budget.hpp"
#include "frontend/translators/ai_onnx_ml/classification.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// The n-grams of one length: word `k` of n-gram `i` is words[k][i].
struct NGrams {
  std::int64_t length = 0;
  std::vector<std::vector<std::int64_t>> words;
  std::size_t count() const { return words.front().size(); }
};

/// Splits the pool, in which n-grams are ordered by length. `starts` has the start of each length.
std::vector<NGrams> n_grams_of_pool(NodeContext& node, const ir::Integers& pool, const ir::Integers& starts) {
  std::vector<NGrams> result;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const auto begin = starts[i];
    const auto end = i + 1 < starts.size() ? starts[i + 1] : static_cast<std::int64_t>(pool.size());
    const auto length = static_cast<std::int64_t>(i + 1);
    if (begin < 0 || end < begin || end > static_cast<std::int64_t>(pool.size()) ||
        (end - begin) % length != 0) {
      node.fail("ngram_counts does not fit the pool");
    }
    if (begin == end) continue;
    NGrams n_grams{length, std::vector<std::vector<std::int64_t>>(static_cast<std::size_t>(length))};
    for (auto at = begin; at < end; ++at)
      n_grams.words[static_cast<std::size_t>((at - begin) % length)].push_back(
          pool[static_cast<std::size_t>(at)]);
    result.push_back(std::move(n_grams));
  }
  return result;
}

/// The number of occurrences of each n-gram in rows [rows, words] with `distance` between words: f32 [rows,
/// n-grams].
Value find_occurrences(NodeContext& node, Value rows, const NGrams& n_grams, std::int64_t distance) {
  Value matches;
  for (std::int64_t k = 0; k < n_grams.length; ++k) {
    const std::int64_t after = (n_grams.length - 1 - k) * distance;
    const Value words = slice(node, rows, k * distance, after == 0 ? kFarEnd : -after, 1);
    const Value expected = node.integers(n_grams.words[static_cast<std::size_t>(k)], ElementType::i32);
    const Value same = node.op(ops::Equal, {unsqueeze(node, words, {2}), expected});
    matches = matches ? node.op(ops::LogicalAnd, {matches, same}) : same;
  }
  return reduce(node, ops::ReduceSum, convert(node, matches, ElementType::f32), {1});
}

/// Words of the pool and of input 0 as numbers: texts are numbered.
struct Vocabulary {
  ir::Integers pool;
  Value input;
};

Vocabulary number_words(NodeContext& node) {
  const Value input = node.input(0);
  if (input.type() != ElementType::string) {
    return {node.integer_list("pool_int64s"), convert(node, input, ElementType::i32)};
  }
  std::map<std::string, std::int64_t> numbers;
  std::vector<std::string> texts;
  Vocabulary result;
  for (const std::string& text : node.text_list("pool_strings")) {
    const auto [place, is_new] = numbers.emplace(text, static_cast<std::int64_t>(texts.size()));
    if (is_new) texts.push_back(text);
    result.pool.push_back(place->second);
  }
  if (texts.empty()) node.fail("the pool is empty");
  const std::vector<std::int64_t> all = numbers_between(0, std::ssize(texts));
  const Value found =
      node.op(ops::Select, {compare_with_texts(node, input, texts), node.integers(all, ElementType::i32),
                            node.integer(-1, ElementType::i32)});
  result.input = reduce(node, ops::ReduceMax, found, {-1});
  return result;
}

/// The numbers of occurrences of all n-grams in `rows`, in the order of `all`: f32 [rows, n-grams of a
/// length] for each length. They are 0 for a length that the attributes exclude.
Values count_occurrences(NodeContext& node, Value rows, const std::vector<NGrams>& all,
                         std::int64_t most_skipped) {
  const std::int64_t shortest = node.integer_attribute("min_gram_length");
  const std::int64_t longest = node.integer_attribute("max_gram_length");
  // Each word of an n-gram is compared for each number of skipped words.
  constexpr std::int64_t kMaxComparisons = 1 << 14;
  std::int64_t comparisons = 0;
  Values counts;
  for (const NGrams& n_grams : all) {
    Value count;
    // Skipping makes no difference for single words.
    const std::int64_t skips = n_grams.length == 1 ? 0 : most_skipped;
    comparisons += n_grams.length * (skips + 1);
    if (comparisons > kMaxComparisons) node.fail("the n-grams are too long for max_skip_count");
    for (std::int64_t skipped = 0; skipped <= skips; ++skipped) {
      const Value found = find_occurrences(node, rows, n_grams, skipped + 1);
      count = count ? node.op(ops::Add, {count, found}) : found;
    }
    if (n_grams.length < shortest || n_grams.length > longest) {
      count = node.op(ops::Multiply, {count, node.number_like(0, count)});
    }
    counts.push_back(count);
  }
  return counts;
}

/// For each column of the output, the index of its n-gram, of which there are `total`; `total` if it has
/// none. `columns`: the column of each n-gram.
std::vector<std::int64_t> n_grams_of_columns(const NodeContext& node, const ir::Integers& columns,
                                             std::size_t total) {
  constexpr std::int64_t kMaxColumns = 1 << 24;
  const auto [first, last] = std::minmax_element(columns.begin(), columns.end());
  if (*first < 0 || *last >= kMaxColumns) node.fail("an index of an n-gram is out of range");
  const std::int64_t width = *last + 1;
  // The list and the constant are in memory at the same time. Many nodes that need too much end before they
  // use it.
  const auto bytes = static_cast<std::uint64_t>(width) * sizeof(std::int64_t);
  { const base::MemoryCharge both(2 * bytes); }
  std::vector<std::int64_t> result(static_cast<std::size_t>(width), static_cast<std::int64_t>(total));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    auto& place = result[static_cast<std::size_t>(columns[i])];
    if (place != static_cast<std::int64_t>(total)) node.fail("two n-grams have the same index");
    place = static_cast<std::int64_t>(i);
  }
  return result;
}

/// TfIdfVectorizer 9.
Values tf_idf_vectorizer_9(NodeContext& node) {
  Vocabulary vocabulary = number_words(node);
  const bool one_row = node.rank(vocabulary.input) == 1;
  const Value rows = one_row ? unsqueeze(node, vocabulary.input, {0}) : vocabulary.input;
  if (node.rank(rows) != 2) node.fail("the input must be a list or rows of words");
  const std::int64_t most_skipped = node.integer_attribute("max_skip_count");
  constexpr std::int64_t kMaxSkipped = 1000;
  if (most_skipped < 0 || most_skipped > kMaxSkipped) node.fail("max_skip_count is out of range");
  const auto columns = node.integer_list("ngram_indexes");
  if (columns.empty()) node.fail("there are no n-grams");

  const std::vector<NGrams> n_grams =
      n_grams_of_pool(node, vocabulary.pool, node.integer_list("ngram_counts"));
  const Values parts = count_occurrences(node, rows, n_grams, most_skipped);
  std::size_t total = 0;
  for (const NGrams& of_length : n_grams) total += of_length.count();
  if (total != columns.size()) node.fail("ngram_indexes are not as many as n-grams");
  const std::string mode = node.text_attribute("mode");
  const auto weights = node.real_list("weights");
  if (!weights.empty() && weights.size() != total) node.fail("weights are not as many as n-grams");
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF") node.fail("mode '" + mode + "' does not exist");
  const std::vector<std::int64_t> source = n_grams_of_columns(node, columns, total);

  const Value none = node.number(0, ElementType::f32);
  Value counts = concat(node, parts, 1);
  if (mode == "IDF") {
    const Value one = node.number(1, ElementType::f32);
    counts = node.op(ops::Select, {node.op(ops::Greater, {counts, none}), one, none});
  }
  if (mode != "TF" && !weights.empty()) {
    counts = node.op(ops::Multiply, {counts, node.numbers(weights, ElementType::f32)});
  }
  const Value zeros =
      broadcast_to(node, none, concat(node, {dimension_of(node, counts, 0), node.integers({1})}));
  // The 0 is for columns without an n-gram.
  const Value all = concat(node, {counts, zeros}, 1);
  const Value result = gather(node, all, node.integers(source), 1);
  return {one_row ? squeeze(node, result, {0}) : result};
}

}  // namespace

std::vector<TranslatorRow> ngram_translators() {
  return {{"TfIdfVectorizer", 9, tf_idf_vectorizer_9}};
}

}  // namespace onnx2ir::frontend
