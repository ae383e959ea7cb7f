// TfIdfVectorizer: counts the occurrences of n-grams in rows of words.
#include <algorithm>
#include <map>

#include "base/memory_budget.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/table_search.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// The n-grams of one length, as rows of numbers of words. `first`: the place of the first one in the pool.
struct NGrams {
  IntegerRows words;
  std::size_t first = 0;
};

/// Splits the pool, in which n-grams are ordered by length. `starts` has the start of each length.
std::vector<NGrams> n_grams_of_pool(NodeContext& node, const std::vector<double>& pool,
                                    const ir::Integers& starts) {
  std::vector<NGrams> result;
  std::size_t first = 0;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const auto begin = starts[i];
    const auto end = i + 1 < starts.size() ? starts[i + 1] : std::ssize(pool);
    const auto length = static_cast<std::int64_t>(i + 1);
    if (begin < 0 || end < begin || end > std::ssize(pool) || (end - begin) % length != 0)
      node.fail("ngram_counts does not fit the pool");
    if (begin == end) continue;
    result.push_back({{{pool.begin() + begin, pool.begin() + end}, i + 1}, first});
    first += result.back().words.count();
    if (has_repeated_row(result.back().words)) node.fail("an n-gram occurs twice in the pool");
  }
  return result;
}

/// The words of the pool and of input 0 as numbers from 0 to `size` - 1. A word of the input that is not in
/// the pool has the number `size`.
struct Vocabulary {
  std::vector<double> pool;
  Value input;  ///< i32
  std::size_t size = 0;
};

/// Numbers `words` in the order of their first occurrences. Returns the different words.
template <typename Word>
std::vector<Word> number_words(std::span<const Word> words, std::vector<double>& numbers) {
  std::map<Word, double> found;
  std::vector<Word> different;
  for (const Word& word : words) {
    const auto [place, is_new] = found.emplace(word, static_cast<double>(different.size()));
    if (is_new) different.push_back(word);
    numbers.push_back(place->second);
  }
  return different;
}

Vocabulary read_vocabulary(NodeContext& node) {
  const Value input = node.input(0);
  Vocabulary result;
  if (input.type() == ElementType::string) {
    const auto texts = node.text_list("pool_strings").unchecked();
    if (texts.empty()) node.fail("the pool is empty");
    const std::vector<std::string> words = number_words<std::string>(texts, result.pool);
    result.size = words.size();
    result.input = find_texts(node, input, words);
  } else {
    const auto numbers = node.real_list("pool_int64s").unchecked();
    if (numbers.empty()) node.fail("the pool is empty");
    const std::vector<double> words = number_words<double>(numbers, result.pool);
    result.size = words.size();
    result.input = find_numbers(node, input, words, false);
  }
  return result;
}

/// The column of each n-gram of the pool, and the number of columns.
struct Columns {
  ir::Integers of_n_grams;
  std::int64_t count = 0;
};

Columns read_columns(NodeContext& node) {
  constexpr std::int64_t kMaxColumns = 1 << 24;
  Columns columns{node.integer_list("ngram_indexes")};
  if (columns.of_n_grams.empty()) node.fail("there are no n-grams");
  const auto [first, last] = std::ranges::minmax_element(columns.of_n_grams);
  if (*first < 0 || *last >= kMaxColumns) node.fail("an index of an n-gram is out of range");
  columns.count = *last + 1;
  std::vector<bool> is_used(static_cast<std::size_t>(columns.count));
  for (const std::int64_t column : columns.of_n_grams) {
    if (is_used[static_cast<std::size_t>(column)]) node.fail("two n-grams have the same index");
    is_used[static_cast<std::size_t>(column)] = true;
  }
  return columns;
}

/// Whether i32 represents all numbers of `digits` digits in the base `base`.
bool fit_into_i32(double base, std::int64_t digits) {
  double numbers = 1;
  for (std::int64_t i = 0; i < digits && numbers <= INT32_MAX; ++i) numbers *= base;
  return numbers <= INT32_MAX;
}

/// For each position, the index of the n-gram with the words `parts`: i32 [rows, positions], like each of
/// them. If no n-gram has these words, the index is the number of n-grams.
Value find_n_grams(NodeContext& node, const Values& parts, const IntegerRows& n_grams, std::size_t words) {
  const auto base = static_cast<std::int64_t>(words) + 1;
  if (!fit_into_i32(static_cast<double>(base), std::ssize(parts))) {
    Values columns;
    for (const Value part : parts) columns.push_back(unsqueeze(node, part, {2}));
    return find_rows(node, concat(node, columns, 2), n_grams);
  }
  // The words are the digits of one number.
  std::vector<double> codes(n_grams.count());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    for (const double word : n_grams.row(i)) codes[i] = codes[i] * static_cast<double>(base) + word;
  }
  Value code;
  for (const Value part : parts) {
    code =
        code ? node.op(ops::Add, {node.op(ops::Multiply, {code, node.integer(base, ElementType::i32)}), part})
             : part;
  }
  return find_numbers(node, code, codes, false);
}

/// The columns of n-grams by their indices or, if they have one word, by the numbers of all `words`. The
/// others, and the index after the last one, have the number of columns.
Value column_table(NodeContext& node, const NGrams& n_grams, const Columns& columns, std::size_t words) {
  const std::size_t count = n_grams.words.count();
  const bool is_by_word = n_grams.words.width == 1;
  std::vector<std::int64_t> table((is_by_word ? words : count) + 1, columns.count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto place = is_by_word ? static_cast<std::size_t>(n_grams.words.elements[i]) : i;
    table[place] = columns.of_n_grams[n_grams.first + i];
  }
  return node.integers(table);
}

/// The column of the n-gram at each position of the input, with `distance` between its words: i64 [rows,
/// positions]. A position without an n-gram has the number of columns.
Value find_columns(NodeContext& node, const Vocabulary& words, const NGrams& n_grams, std::int64_t distance,
                   const Columns& columns) {
  const auto length = static_cast<std::int64_t>(n_grams.words.width);
  Values parts;
  for (std::int64_t k = 0; length > 1 && k < length; ++k) {
    const std::int64_t after = (length - 1 - k) * distance;
    parts.push_back(slice(node, words.input, k * distance, after == 0 ? kFarEnd : -after, 1));
  }
  const Value found = length == 1 ? words.input : find_n_grams(node, parts, n_grams.words, words.size);
  return gather(node, column_table(node, n_grams, columns, words.size), found);
}

/// The number of occurrences of the n-grams in each row: f32 [rows, columns + 1]. The last column counts the
/// positions without an n-gram.
Value count_occurrences(NodeContext& node, const Vocabulary& words, const std::vector<NGrams>& all,
                        std::int64_t most_skipped, const Columns& columns) {
  const auto shortest =
      static_cast<std::size_t>(std::max<std::int64_t>(1, node.integer_attribute("min_gram_length")));
  const auto longest =
      static_cast<std::size_t>(std::max<std::int64_t>(0, node.integer_attribute("max_gram_length")));
  // Each word of an n-gram is read for each number of skipped words.
  constexpr std::int64_t kMaxReads = 1 << 14;
  std::int64_t reads = 0;
  const Value one = node.number(1, ElementType::f32);
  const Value none = node.number(0, ElementType::f32);
  const Value size = dimension_of(node, words.input, 0);
  Value counts = broadcast_to(node, none, concat(node, {size, node.integers({columns.count + 1})}));
  for (const NGrams& n_grams : all) {
    if (n_grams.words.width < shortest || n_grams.words.width > longest) continue;
    // Skipping makes no difference for single words.
    const std::int64_t skips = n_grams.words.width == 1 ? 0 : most_skipped;
    reads += static_cast<std::int64_t>(n_grams.words.width) * (skips + 1);
    if (reads > kMaxReads) node.fail("the n-grams are too long for max_skip_count");
    for (std::int64_t skipped = 0; skipped <= skips; ++skipped) {
      const Value found = find_columns(node, words, n_grams, skipped + 1, columns);
      counts = scatter(node, counts, found, broadcast_to(node, one, shape_of(node, found)), 1, "sum");
    }
  }
  return counts;
}

/// The weights of the columns; 0 for those without an n-gram.
std::vector<double> weights_of_columns(NodeContext& node, const Columns& columns) {
  const auto weights = node.real_list("weights");
  if (weights.empty()) return {};
  if (weights.size() != columns.of_n_grams.size()) node.fail("weights are not as many as n-grams");
  // The list and the constant are in memory at the same time. Many nodes that need too much end before they
  // use it.
  const auto bytes = static_cast<std::uint64_t>(columns.count) * sizeof(double);
  { const base::MemoryCharge both(2 * bytes); }
  std::vector<double> result(static_cast<std::size_t>(columns.count));
  for (std::size_t i = 0; i < weights.size(); ++i)
    result[static_cast<std::size_t>(columns.of_n_grams[i])] = weights[i];
  return result;
}

/// TfIdfVectorizer 9.
Values tf_idf_vectorizer_9(NodeContext& node) {
  Vocabulary words = read_vocabulary(node);
  const bool one_row = node.rank(words.input) == 1;
  if (one_row) words.input = unsqueeze(node, words.input, {0});
  if (node.rank(words.input) != 2) node.fail("the input must be a list or rows of words");
  const std::int64_t most_skipped = node.integer_attribute("max_skip_count");
  constexpr std::int64_t kMaxSkipped = 1000;
  if (most_skipped < 0 || most_skipped > kMaxSkipped) node.fail("max_skip_count is out of range");
  const Columns columns = read_columns(node);
  const std::vector<NGrams> n_grams = n_grams_of_pool(node, words.pool, node.integer_list("ngram_counts"));
  std::size_t total = 0;
  for (const NGrams& of_length : n_grams) total += of_length.words.count();
  if (total != columns.of_n_grams.size()) node.fail("ngram_indexes are not as many as n-grams");
  const std::string mode = node.text_attribute("mode");
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF") node.fail("mode '" + mode + "' does not exist");
  const std::vector<double> weights = weights_of_columns(node, columns);

  const Value all = count_occurrences(node, words, n_grams, most_skipped, columns);
  Value counts = slice(node, all, 0, columns.count, 1);
  if (mode == "IDF") {
    const Value none = node.number(0, ElementType::f32);
    counts = convert(node, node.op(ops::Greater, {counts, none}), ElementType::f32);
  }
  if (mode != "TF" && !weights.empty())
    counts = node.op(ops::Multiply, {counts, node.numbers(weights, ElementType::f32)});
  return {one_row ? squeeze(node, counts, {0}) : counts};
}

}  // namespace

std::vector<TranslatorRow> tf_idf_translators() {
  return {{"TfIdfVectorizer", 9, tf_idf_vectorizer_9}};
}

}  // namespace onnx2ir::frontend
