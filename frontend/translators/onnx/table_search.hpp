// Finds numbers, rows of integers and texts in tables that are known at conversion time. OpenVINO searches
// a table by bisection: the time grows with the logarithm of its size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// Whether the elements of `value` and of the list `numbers` are equal, broadcast: boolean. Also integers
/// beyond 2^24 are compared exactly.
Value compare_numbers(NodeContext& node, Value value, std::span<const double> numbers);
/// The same for `value` and `tensor`, whose elements are some of `numbers`.
Value compare_numbers(NodeContext& node, Value value, Value tensor, std::span<const double> numbers);

/// The index in `keys` of each element of `value`: i32, in the shape of `value`. An element that is not a key
/// gets the number of keys, and one that is several keys the first index. NaN is not a key unless
/// `finds_nan`.
Value find_numbers(NodeContext& node, Value value, std::span<const double> keys, bool finds_nan);

/// A table of integers from 0 to 2^24 - 1, in C order.
struct IntegerRows {
  std::vector<double> elements;
  std::size_t width = 1;
  std::size_t count() const { return elements.size() / width; }
  std::span<const double> row(std::size_t index) const {
    return std::span(elements).subspan(index * width, width);
  }
};

/// Whether two rows are equal.
bool has_repeated_row(const IntegerRows& table);

/// The index in `table` of each row of `rows`, i32 [..., width] with elements that are not negative: i32
/// [...]. A row that is not in the table gets the number of its rows, and one that is in it several times the
/// first index. Fails if more than 256 rows differ only in columns after the first 65,000.
Value find_rows(NodeContext& node, Value rows, const IntegerRows& table);

/// The index in `texts` of each string of `value`: i32, in the shape of `value`. A string that is not one of
/// the texts gets their number, and one that is several texts the first index. Fails as find_rows() does.
Value find_texts(NodeContext& node, Value value, const std::vector<std::string>& texts);

/// The elements of `texts` at `index`: a string tensor in the shape of `index`.
Value gather_texts(NodeContext& node, const std::vector<std::string>& texts, Value index);

}  // namespace onnx2ir::frontend
