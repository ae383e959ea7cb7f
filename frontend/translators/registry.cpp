#include "frontend/translators/registry.hpp"

#include <algorithm>
#include <tuple>

#include "frontend/translators/families.hpp"

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

}  // namespace

std::span<const TranslatorRow> all_translators() {
  static const std::vector<TranslatorRow> rows = sorted_rows();
  return rows;
}

const TranslatorRow* find_translator(std::string_view domain, std::string_view name, std::int64_t opset) {
  const auto rows = all_translators();
  const std::tuple wanted(domain, name, opset);
  const auto after =
      std::upper_bound(rows.begin(), rows.end(), wanted, [](const auto& value, const auto& row) {
        return value <
               std::tuple<std::string_view, std::string_view, std::int64_t>(row.domain, row.name, row.since);
      });
  if (after == rows.begin()) return nullptr;
  const TranslatorRow& row = *std::prev(after);
  return row.domain == domain && row.name == name ? &row : nullptr;
}

}  // namespace onnx2ir::frontend
