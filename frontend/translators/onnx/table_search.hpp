// Finds numbers, rows of integers and texts in tables that are known at conversion time, by binary search:
// the time does not depend on the size of the table but for its logarithm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// Compares `value` with the list `numbers`, or with a tensor of `numbers`, as exactly as their type is.
Value compare_numbers(NodeContext& node, Value value, std::span<const double> numbers);
Value compare_numbers(NodeContext& node, Value value, Value tensor, std::span<const double> numbers);

/// The index in `keys` of each element of `value`; the number of keys for elements that are no keys: i32, in
/// the shape of `value`. Of equal keys the first one counts. NaN equals no key unless `finds_nan`.
Value find_numbers(NodeContext& node, Value value, std::span<const double> keys, bool finds_nan);

/// Rows of `width` integers from 0 to 2^24, one after the other.
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

/// The index in `table` of each row of `rows` (i32 [..., width], with elements in this range); the number of
/// rows of the table for those that it does not have: i32 [...]. Of equal rows the first one counts.
Value find_rows(NodeContext& node, Value rows, const IntegerRows& table);

/// The index in `texts` of each string of `value`; the number of texts for strings that it does not have:
/// i32, in the shape of `value`. Of equal texts the first one counts.
Value find_texts(NodeContext& node, Value value, const std::vector<std::string>& texts);

/// The elements of `texts` at `index`: a string tensor in the shape of `index`.
Value gather_texts(NodeContext& node, const std::vector<std::string>& texts, Value index);

}  // namespace onnx2ir::frontend
