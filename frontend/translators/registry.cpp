#include "frontend/translators/registry.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

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
  using Domain = ir::NameTable<std::span<const TranslatorRow>>;
  /// The rows of each operator, oldest first, by domain and name. The first of the few domains is ONNX's own.
  std::vector<std::pair<std::string_view, Domain>> domains;

  Table() {
    const auto same_operator = [](const TranslatorRow& a, const TranslatorRow& b) {
      return a.domain == b.domain && a.name == b.name;
    };
    for (auto first = rows.begin(); first != rows.end();) {
      const auto last =
          std::find_if_not(first, rows.end(), [&](const auto& row) { return same_operator(row, *first); });
      if (domains.empty() || domains.back().first != first->domain)
        domains.emplace_back(first->domain, Domain{});
      domains.back().second.add(first->name, std::span(first, last));
      first = last;
    }
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
  const auto& domains = table().domains;
  const auto of_domain =
      std::ranges::find(domains, domain, &std::pair<std::string_view, Table::Domain>::first);
  if (of_domain == domains.end()) return nullptr;
  const auto* const rows = of_domain->second.find(name);
  if (rows == nullptr) return nullptr;
  const TranslatorRow* newest = nullptr;
  for (const TranslatorRow& row : *rows) {
    if (row.since <= opset) newest = &row;
  }
  return newest;
}

}  // namespace onnx2ir::frontend
