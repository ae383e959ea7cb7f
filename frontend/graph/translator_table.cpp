#include "frontend/graph/translator_table.hpp"

#include <algorithm>
#include <tuple>

namespace onnx2ir::frontend {
namespace {

auto key(const TranslatorRow& row) {
  return std::tuple(row.domain, row.name, row.since);
}

std::vector<TranslatorRow> sorted_rows(std::span<const TranslatorFamily> families) {
  std::vector<TranslatorRow> rows;
  for (const TranslatorFamily& family : families) {
    for (TranslatorRow& row : family.rows()) {
      if (row.domain.empty()) row.domain = family.domain;
      rows.push_back(row);
    }
  }
  std::sort(rows.begin(), rows.end(),
            [](const TranslatorRow& a, const TranslatorRow& b) { return key(a) < key(b); });
  return rows;
}

}  // namespace

TranslatorTable::TranslatorTable(std::span<const TranslatorFamily> families) : rows_(sorted_rows(families)) {
  const auto same_operator = [](const TranslatorRow& a, const TranslatorRow& b) {
    return a.domain == b.domain && a.name == b.name;
  };
  for (auto first = rows_.begin(); first != rows_.end();) {
    const auto last =
        std::find_if_not(first, rows_.end(), [&](const auto& row) { return same_operator(row, *first); });
    if (domains_.empty() || domains_.back().first != first->domain)
      domains_.emplace_back(first->domain, Domain{});
    domains_.back().second.add(first->name, std::span(first, last));
    first = last;
  }
}

const TranslatorRow* TranslatorTable::find(std::string_view domain, std::string_view name,
                                           std::int64_t opset) const {
  const auto of_domain = std::ranges::find(domains_, domain, &std::pair<std::string_view, Domain>::first);
  if (of_domain == domains_.end()) return nullptr;
  const auto* const rows = of_domain->second.find(name);
  if (rows == nullptr) return nullptr;
  const TranslatorRow* newest = nullptr;
  for (const TranslatorRow& row : *rows) {
    if (row.since <= opset) newest = &row;
  }
  return newest;
}

}  // namespace onnx2ir::frontend
