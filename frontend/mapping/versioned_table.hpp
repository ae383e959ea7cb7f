// A table of operators by domain, name and the first version that a row is for.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "frontend/reader/opset_imports.hpp"

namespace onnx2ir::frontend {

template <typename Row>
class VersionedTable {
 public:
  /// Returns the row of this version that is there already, without a change; null if `row` was added.
  const Row* add(std::string_view domain, std::string_view name, std::int64_t since, Row row) {
    const auto [place, is_new] =
        rows_.try_emplace({std::string(canonical_domain(domain)), std::string(name), since}, std::move(row));
    return is_new ? nullptr : &place->second;
  }
  /// The row with the highest version up to `opset`; null if no row fits.
  const Row* find(std::string_view domain, std::string_view name, std::int64_t opset) const {
    if (rows_.empty()) return nullptr;  // for each node of nearly all models
    auto next = rows_.upper_bound({std::string(canonical_domain(domain)), std::string(name), opset});
    if (next == rows_.begin()) return nullptr;
    --next;
    const auto& [its_domain, its_name, since] = next->first;
    return its_domain == canonical_domain(domain) && its_name == name ? &next->second : nullptr;
  }

 private:
  std::map<std::tuple<std::string, std::string, std::int64_t>, Row> rows_;
};

}  // namespace onnx2ir::frontend
