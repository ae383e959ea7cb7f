#include "frontend/graph/translator_table.hpp"

#include <algorithm>
#include <tuple>

namespace onnx2ir::frontend {
namespace {

std::vector<TranslatorRow> sorted_rows(std::span<const TranslatorFamily> families) {
  std::vector<TranslatorRow> rows;
  for (const TranslatorFamily& family : families) {
    for (TranslatorRow& row : family.rows()) {
      if (row.domain.empty()) row.domain = family.domain;
      rows.push_back(row);
    }
  }
  std::ranges::sort(rows, {},
                    [](const TranslatorRow& row) { return std::tuple(row.domain, row.name, row.since); });
  return rows;
}

}  // namespace

std::vector<TranslatorRow> with_ranks(RankRule ranks, std::vector<TranslatorRow> rows) {
  for (TranslatorRow& row : rows) {
    if (row.ranks == RankRule::unknown) row.ranks = ranks;
  }
  return rows;
}

TranslatorTable::TranslatorTable(std::span<const TranslatorFamily> families)
    : rows_(sorted_rows(families)), index_(rows_, &TranslatorRow::domain) {}

}  // namespace onnx2ir::frontend
