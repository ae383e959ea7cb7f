// Finds the rows of an operator in a sorted table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/name_table.hpp"

namespace onnx2ir::frontend {

/// `Row` has the members `name`, the operator, and `since`, the first version of the operator that it is for.
template <typename Row>
class OperatorIndex {
 public:
  /// `table`, which must outlive the index, is sorted by the member `domain`, by name and by version.
  OperatorIndex(std::span<const Row> table, std::string_view Row::*domain) {
    for (const Row& row : table) {
      if (domains_.empty() || domains_.back().name != row.*domain) domains_.push_back({row.*domain, {}});
      auto& rows = domains_.back().operators.find_or_add(row.name, std::span(&row, 0));
      rows = std::span(rows.data(), rows.size() + 1);
    }
  }

  /// The rows of an operator, oldest first.
  std::span<const Row> rows(std::string_view domain, std::string_view name) const {
    const auto of_domain = std::ranges::find(domains_, domain, &Domain::name);
    if (of_domain == domains_.end()) return {};
    const auto* const found = of_domain->operators.find(name);
    return found == nullptr ? std::span<const Row>() : *found;
  }

  /// The row with the highest version up to `version`; null if all rows are for later versions.
  const Row* find(std::string_view domain, std::string_view name, std::int64_t version) const {
    const Row* newest = nullptr;
    for (const Row& row : rows(domain, name)) {
      if (row.since <= version) newest = &row;
    }
    return newest;
  }

 private:
  struct Domain {
    std::string_view name;
    base::NameTable<std::span<const Row>> operators;
  };

  std::vector<Domain> domains_;
};

}  // namespace onnx2ir::frontend
