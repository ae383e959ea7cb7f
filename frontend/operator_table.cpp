#include "frontend/operator_table.hpp"

#include <onnx/defs/schema.h>

#include <map>
#include <utility>

#include "frontend/reader/functions.hpp"
#include "frontend/reader/schema_table.hpp"
#include "frontend/translators/all_translators.hpp"

namespace onnx2ir::frontend {

std::vector<OperatorRow> operator_table() {
  using Key = std::pair<std::string, std::string>;
  std::map<Key, std::vector<int>> versions;
  for (const SchemaRow& row : schema_table()) {
    versions[{row.make().domain(), std::string(row.name)}].push_back(row.since);
  }
  std::map<Key, OperatorRow> table;
  for (const TranslatorRow& row : translator_table().rows()) {
    const Key key(row.domain, row.name);
    OperatorRow& target = table[key];
    target = {key.first, key.second, versions[key], true,
              target.limits.empty() ? std::string(row.limits) : target.limits};
    if (target.versions.empty()) target.versions.push_back(static_cast<int>(row.since));
  }
  for (const auto& [key, list] : versions) {
    if (list.empty() || table.contains(key) || !has_function_body(key.first, key.second, list.back()))
      continue;
    table[key] = {key.first, key.second, list, false, {}};
  }
  std::vector<OperatorRow> rows;
  rows.reserve(table.size());
  for (auto& [key, row] : table) rows.push_back(std::move(row));
  return rows;
}

}  // namespace onnx2ir::frontend
