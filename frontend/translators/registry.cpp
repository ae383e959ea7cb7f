#include "frontend/translators/registry.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "frontend/translators/families.hpp"
#include "ir/name_table.hpp"

namespace onnx2ir::frontend {
namespace {

auto key(const TranslatorRow& row) {
  return std::tuple(row.domain, row.name, row.since);
}

std::vector<TranslatorRow> sorted_rows() {
  std::vector<TranslatorRow> rows;
  for (const auto family : kTranslatorFamilies) {
    const auto more = family();
    rows.insert(rows.end(), more.begin(), more.end());
  }
  std::sort(rows.begin(), rows.end(),
            [](const TranslatorRow& a, const TranslatorRow& b) { return key(a) < key(b); });
  return rows;
}

struct Table {
  std::vector<TranslatorRow> rows = sorted_rows();
  /// The first row of each operator, by domain and name.
  std::map<std::string_view, ir::NameTable<std::size_t>> first_rows;

  Table() {
    for (std::size_t i = 0; i < rows.size(); ++i) first_rows[rows[i].domain].add(rows[i].name, i);
  }
};

const Table& table() {
  static const Table instance;
  return instance;
}

}  // namespace

std::span<const TranslatorRow> all_translators() {
  return table().rows;
}

const TranslatorRow* find_translator(std::string_view domain, std::string_view name, std::int64_t opset) {
  const auto& [rows, first_rows] = table();
  const auto of_domain = first_rows.find(domain);
  if (of_domain == first_rows.end()) return nullptr;
  const std::size_t* const first = of_domain->second.find(name);
  if (first == nullptr) return nullptr;
  const TranslatorRow* newest = nullptr;
  for (std::size_t i = *first; i < rows.size() && rows[i].domain == domain && rows[i].name == name; ++i) {
    if (rows[i].since <= opset) newest = &rows[i];
  }
  return newest;
}

}  // namespace onnx2ir::frontend
