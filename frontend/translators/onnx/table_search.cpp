#include "frontend/translators/onnx/table_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include "frontend/translators/onnx/string_list.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"
#include "ir/checked_arithmetic.hpp"

namespace onnx2ir::frontend {
namespace {

/// f32 has all integers below. The CPU plugin compares integers in f32.
constexpr double kExactInF32 = 1 << 24;

/// For each element of `value`, the index of the first bucket that is at least as large; the number of
/// buckets if none is. `buckets` ascend.
Value find_bucket(NodeContext& node, Value value, std::span<const double> buckets) {
  // In bf16, different numbers would be equal.
  return mark_precise(node.op(ops::Bucketize, {value, node.numbers(buckets, value.type())},
                              {{"output_type", ElementType::i32}, {"with_right_bound", true}}));
}

/// A list of `indices`, and `last` after them.
Value index_table(NodeContext& node, const std::vector<std::size_t>& indices, std::size_t last) {
  std::vector<std::int64_t> table(indices.begin(), indices.end());
  table.push_back(static_cast<std::int64_t>(last));
  return node.integers(table, ElementType::i32);
}

/// The largest element of each column; 0 if all elements are equal.
std::vector<double> limits_of_columns(const IntegerRows& table) {
  const auto first = table.row(0);
  std::vector<double> least(first.begin(), first.end());
  std::vector<double> limits = least;
  for (std::size_t i = 1; i < table.count(); ++i) {
    const auto row = table.row(i);
    for (std::size_t column = 0; column < row.size(); ++column) {
      least[column] = std::min(least[column], row[column]);
      limits[column] = std::max(limits[column], row[column]);
    }
  }
  for (std::size_t column = 0; column < limits.size(); ++column) {
    if (least[column] == limits[column]) limits[column] = 0;
  }
  return limits;
}

/// Draws the weights of columns with these `limits`. The hash of a row is the sum of its weighted elements.
/// The weights are as large as f32 allows for exact sums, so that few rows have equal ones.
std::vector<double> draw_weights(const std::vector<double>& limits, unsigned seed) {
  const double total = std::accumulate(limits.begin(), limits.end(), 0.0);
  const auto largest = static_cast<std::uint64_t>(std::max(1.0, (kExactInF32 - 1) / std::max(total, 1.0)));
  std::mt19937 random(seed);
  std::vector<double> weights;
  double left = kExactInF32 - 1;
  for (const double limit : limits) {
    const double weight = limit == 0 ? 0 : static_cast<double>(1 + random() % largest);
    const bool fits = weight * limit <= left;
    weights.push_back(fits ? weight : 0);
    if (fits) left -= weight * limit;
  }
  return weights;
}

/// The different rows of a table in the order of their hashes.
struct HashTable {
  std::vector<double> weights;
  std::vector<std::size_t> order;   ///< of the rows; of equal rows only the first one
  std::vector<double> hashes;       ///< the different ones, ascending
  std::vector<std::size_t> starts;  ///< the first place in `order` of each hash
  std::size_t most_alike = 0;       ///< rows with the same hash
};

/// The rows of a table, ascending by their hashes; of equal rows only the first one.
std::vector<std::size_t> order_by_hash(const IntegerRows& table, const std::vector<double>& sums) {
  std::vector<std::pair<double, std::size_t>> rows;
  rows.reserve(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) rows.emplace_back(sums[i], i);
  std::ranges::sort(rows);
  std::vector<std::size_t> order;
  for (auto first = rows.begin(); first != rows.end();) {
    const auto last =
        std::find_if(first, rows.end(), [&](const auto& row) { return row.first != first->first; });
    // Equal rows have equal hashes, so that they are neighbours in a sorted group.
    const auto elements = [&](const auto& row) { return table.row(row.second); };
    if (last - first > 1)
      std::ranges::stable_sort(first, last, std::ranges::lexicographical_compare, elements);
    for (auto row = first; row != last; ++row) {
      if (row == first || !std::ranges::equal(elements(*row), elements(*std::prev(row))))
        order.push_back(row->second);
    }
    first = last;
  }
  return order;
}

HashTable make_hash_table(const IntegerRows& table, const std::vector<double>& limits, unsigned seed) {
  HashTable result;
  result.weights = draw_weights(limits, seed);
  std::vector<double> sums;
  for (std::size_t i = 0; i < table.count(); ++i) {
    const auto row = table.row(i);
    sums.push_back(std::inner_product(row.begin(), row.end(), result.weights.begin(), 0.0));
  }
  result.order = order_by_hash(table, sums);
  for (std::size_t place = 0; place < result.order.size(); ++place) {
    const double hash = sums[result.order[place]];
    if (result.hashes.empty() || result.hashes.back() != hash) {
      result.hashes.push_back(hash);
      result.starts.push_back(place);
    }
    result.most_alike = std::max(result.most_alike, place + 1 - result.starts.back());
  }
  return result;
}

/// A table with as few rows of the same hash as possible.
HashTable best_hash_table(const IntegerRows& table) {
  // Of more rows, some have the same hash with almost any weights.
  constexpr std::size_t kFewRows = 6000;
  const unsigned tries = table.count() <= kFewRows ? 8 : 1;
  const std::vector<double> limits = limits_of_columns(table);
  HashTable best;
  for (unsigned seed = 0; seed < tries && best.most_alike != 1; ++seed) {
    HashTable made = make_hash_table(table, limits, seed);
    if (best.order.empty() || made.most_alike < best.most_alike) best = std::move(made);
  }
  return best;
}

/// The rows in the order of their hashes: i32 [rows, width]. Rows of -1 follow, which no searched row equals.
Value sorted_rows(NodeContext& node, const IntegerRows& table, const HashTable& hashes) {
  std::vector<double> sorted;
  for (const std::size_t index : hashes.order) {
    const auto row = table.row(index);
    sorted.insert(sorted.end(), row.begin(), row.end());
  }
  sorted.resize(sorted.size() + hashes.most_alike * table.width, -1);
  const auto width = static_cast<std::int64_t>(table.width);
  return node.numbers(sorted, {std::ssize(sorted) / width, width}, ElementType::i32);
}

std::size_t longest_of(const std::vector<std::string>& texts) {
  std::size_t longest = 1;
  for (const std::string& text : texts) longest = std::max(longest, text.size());
  return longest;
}

/// The bytes of each text, with zeros up to `width`, and the length of the text if `has_lengths`.
IntegerRows rows_of(const std::vector<std::string>& texts, std::size_t width, bool has_lengths) {
  IntegerRows rows{{}, has_lengths ? width + 1 : width};
  rows.elements.resize(
      ir::checked_count(ir::checked_multiply(std::ssize(texts), static_cast<std::int64_t>(rows.width))));
  auto row = rows.elements.begin();
  for (const std::string& text : texts) {
    std::ranges::transform(text, row, [](char letter) { return static_cast<unsigned char>(letter); });
    row += static_cast<std::ptrdiff_t>(rows.width);
    if (has_lengths) *std::prev(row) = static_cast<double>(text.size());
  }
  return rows;
}

/// 0, 1, 2 ... for the bytes of a row.
Value enumerate_bytes(NodeContext& node, std::int64_t width) {
  return convert(node, emit_axes_between(node, 0, width), ElementType::i32);
}

}  // namespace

Value compare_numbers(NodeContext& node, Value value, Value tensor, std::span<const double> numbers) {
  const bool is_wide = ir::is_integral(value.type()) && std::ranges::any_of(numbers, [](double number) {
                         return std::abs(number) > kExactInF32;
                       });
  if (!is_wide) return mark_precise(node.op(ops::Equal, {value, tensor}));
  // The CPU plugin subtracts integers exactly.
  const Value difference = node.op(ops::Subtract, {value, tensor});
  return node.op(ops::Equal, {difference, node.number_like(0, value)});
}

Value compare_numbers(NodeContext& node, Value value, std::span<const double> numbers) {
  return compare_numbers(node, value, node.numbers(numbers, value.type()), numbers);
}

Value find_numbers(NodeContext& node, Value value, std::span<const double> keys, bool finds_nan) {
  std::vector<std::size_t> order;
  std::size_t nan = keys.size();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (!std::isnan(keys[i]))
      order.push_back(i);
    else if (nan == keys.size())
      nan = i;
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t index) { return keys[index]; });
  const auto are_equal = [&](std::size_t a, std::size_t b) { return keys[a] == keys[b]; };
  order.erase(std::unique(order.begin(), order.end(), are_equal), order.end());
  const Value none = node.integer(std::ssize(keys), ElementType::i32);
  Value found;
  if (order.empty()) {
    found = broadcast_to(node, none, shape_of(node, value));
  } else {
    std::vector<double> sorted;
    sorted.reserve(order.size() + 1);
    for (const std::size_t index : order) sorted.push_back(keys[index]);
    const Value bucket = find_bucket(node, value, sorted);
    // An element above all keys does not equal the last one.
    sorted.push_back(sorted.back());
    const Value nearest = gather(node, node.numbers(sorted, value.type()), bucket);
    const Value index = gather(node, index_table(node, order, keys.size()), bucket);
    found = node.op(ops::Select, {compare_numbers(node, value, nearest, sorted), index, none});
  }
  if (!finds_nan || nan == keys.size() || !ir::is_floating(value.type())) return found;
  return node.op(ops::Select, {node.op(ops::IsNaN, {value}),
                               node.integer(static_cast<std::int64_t>(nan), ElementType::i32), found});
}

bool has_repeated_row(const IntegerRows& table) {
  std::vector<std::size_t> order(table.count());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto row = [&](std::size_t index) { return table.row(index); };
  std::ranges::sort(order, std::ranges::lexicographical_compare, row);
  return std::ranges::adjacent_find(order, std::ranges::equal, row) != order.end();
}

Value find_rows(NodeContext& node, Value rows, const IntegerRows& table) {
  // A sum of the weighted elements of a row, which f32 has exactly, is searched among those of the table. The
  // few rows of the table with the same sum are compared with the row.
  const HashTable hashes = best_hash_table(table);
  constexpr std::size_t kMostAlike = 256;
  if (hashes.most_alike > kMostAlike)
    node.fail("its keys are too long and differ only near their ends; shorten them");
  const std::int64_t last = node.rank(rows) - 1;
  const Value weights = node.numbers(hashes.weights, {std::ssize(hashes.weights), 1}, ElementType::f32);
  const Value numbers = mark_precise(convert(node, rows, ElementType::f32));
  const Value products = mark_precise(mat_mul(node, numbers, weights));
  const Value bucket = find_bucket(node, squeeze(node, products, {last}), hashes.hashes);
  const Value first = hashes.most_alike == 1
                          ? bucket
                          : gather(node, index_table(node, hashes.starts, hashes.order.size()), bucket);
  const Value sorted = sorted_rows(node, table, hashes);
  std::vector<std::size_t> order = hashes.order;
  order.resize(order.size() + hashes.most_alike - 1, table.count());
  const Value indices = index_table(node, order, table.count());
  Value found = node.integer(static_cast<std::int64_t>(table.count()), ElementType::i32);
  for (std::int64_t i = 0; std::cmp_less(i, hashes.most_alike); ++i) {
    const Value place = i == 0 ? first : node.op(ops::Add, {first, node.integer(i, ElementType::i32)});
    const Value alike = node.op(ops::Equal, {rows, gather(node, sorted, place)});
    const Value same = reduce(node, ops::ReduceLogicalAnd, alike, {-1});
    found = node.op(ops::Select, {same, gather(node, indices, place), found});
  }
  return found;
}

Value find_texts(NodeContext& node, Value value, const std::vector<std::string>& texts) {
  // A row has as many of the first bytes of a string as the longest text has, and the length of the string.
  const std::size_t longest = longest_of(texts);
  const IntegerRows table = rows_of(texts, longest, true);
  const std::int64_t rank = node.rank(value);
  ir::Node& unpacked = node.node(ops::StringTensorUnpack, {value});
  const Value begins = unpacked.value(0);
  const Value lengths = unsqueeze(node, node.op(ops::Subtract, {unpacked.value(1), begins}), {rank});
  // Zeros after the last string, so that no read is out of range.
  const Value bytes = widen_bytes(node, unpacked.value(2), longest);
  const Value offsets = enumerate_bytes(node, static_cast<std::int64_t>(longest));
  const Value places = node.op(ops::Add, {unsqueeze(node, begins, {rank}), offsets});
  const Value inside = node.op(ops::Less, {offsets, lengths});
  const Value heads =
      node.op(ops::Select, {inside, gather(node, bytes, places), node.integer(0, ElementType::i32)});
  return find_rows(node, concat(node, {heads, lengths}, rank), table);
}

Value gather_texts(NodeContext& node, const std::vector<std::string>& texts, Value index) {
  // Concatenates the bytes of the selected texts, because StringTensorPack requires ascending positions.
  const IntegerRows table = rows_of(texts, longest_of(texts), false);
  const auto width = static_cast<std::int64_t>(table.width);
  std::vector<std::int64_t> sizes;
  sizes.reserve(texts.size());
  for (const std::string& text : texts) sizes.push_back(std::ssize(text));
  const Value list = flatten(node, index);
  const Value bytes = node.numbers(table.elements, {std::ssize(texts), width}, ElementType::i32);
  const Value rows = gather(node, bytes, list);
  const Value lengths = gather(node, node.integers(sizes, ElementType::i32), list);
  const Value offsets = enumerate_bytes(node, width);
  const Value inside = node.op(ops::Less, {offsets, unsqueeze(node, lengths, {1})});
  return pack_rows(node, rows, inside, lengths, shape_of(node, index));
}

}  // namespace onnx2ir::frontend
