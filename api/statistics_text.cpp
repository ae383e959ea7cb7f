// Formats the counts of a model as tables and as JSON.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "api/statistics_json.hpp"
#include "base/joined.hpp"
#include "json/json.hpp"
#include "onnx2ir/onnx2ir.hpp"

namespace onnx2ir {
namespace {

/// "1,204" below a million, otherwise "4.09 G".
std::string number_text(std::uint64_t number) {
  constexpr std::array<const char*, 5> kUnits{"M", "G", "T", "P", "E"};
  if (number < 1'000'000) {
    std::string digits = std::to_string(number);
    for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
    return digits;
  }
  double value = static_cast<double>(number) / 1e6;
  std::size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < kUnits.size(); ++unit) value /= 1000;
  return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, kUnits[unit]);
}

/// "97.3 MiB".
std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 4> kUnits{"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return std::to_string(bytes) + " B";
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1000 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

using Row = std::vector<std::string>;

/// A table with the first column to the left and the others to the right.
std::string table_text(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    text += fmt::format("  {:<{}}", row[0], widths[0]);
    for (std::size_t i = 1; i < row.size(); ++i) text += fmt::format("  {:>{}}", row[i], widths[i]);
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

std::string weights_text(const GraphCounts& counts) {
  if (counts.weights.empty()) return {};
  std::vector<Row> rows{{"weights", "constants", "elements", "bytes"}};
  for (const WeightCount& row : counts.weights)
    rows.push_back(
        {row.element_type, number_text(row.constants), number_text(row.elements), bytes_text(row.bytes)});
  return '\n' + table_text(rows);
}

/// `part`: "operator" or "layer". `costs`: of the IR; null for an ONNX model.
std::string graph_text(std::string_view what, std::string part, const GraphCounts& counts,
                       const Costs* costs) {
  std::string text =
      fmt::format("{}: {} {}s, {} parameters, {} of weights\n\n", what, number_text(counts.operator_count),
                  part, number_text(counts.parameters), bytes_text(counts.weight_bytes));
  const bool with_bodies = std::ranges::any_of(counts.operators, &OperatorCount::in_bodies);
  std::vector<Row> rows{{std::move(part), "count"}};
  if (with_bodies) rows[0].emplace_back("in bodies");
  if (costs != nullptr) rows[0].insert(rows[0].end(), {"multiply-adds", "FLOPs", "share"});
  for (const OperatorCount& row : counts.operators) {
    Row& line = rows.emplace_back(Row{row.type, number_text(row.count)});
    if (with_bodies) line.push_back(number_text(row.in_bodies));
    if (costs == nullptr) continue;
    const bool is_unknown = row.without_sizes != 0 && row.flops == 0;
    line.push_back(row.multiply_adds == 0 ? "" : number_text(row.multiply_adds));
    line.push_back(is_unknown ? "?" : row.flops == 0 ? "" : number_text(row.flops));
    const double share =
        static_cast<double>(row.flops) / static_cast<double>(std::max<std::uint64_t>(costs->flops, 1));
    line.push_back(row.flops == 0 ? "" : fmt::format("{:.1f} %", 100 * share));
  }
  return text + table_text(rows) + weights_text(counts);
}

std::string costs_text(const Stats& stats) {
  const Costs& costs = stats.costs;
  std::string text = fmt::format("one inference: {} multiply-adds, {} FLOPs",
                                 number_text(costs.multiply_adds), number_text(costs.flops));
  if (costs.open_loops != 0)
    text += fmt::format("; of {} {}, one iteration is counted", costs.open_loops,
                        costs.open_loops == 1 ? "loop" : "loops");
  text += '\n';
  if (costs.peak_bytes)
    text += fmt::format("activations: at most {} at the same time, at '{}'\n", bytes_text(*costs.peak_bytes),
                        costs.peak_layer);
  if (costs.without_sizes != 0 || !costs.peak_bytes) {
    text += "not counted, because sizes are dynamic: ";
    if (costs.without_sizes != 0)
      text += fmt::format("the arithmetic of {} {}", number_text(costs.without_sizes),
                          costs.without_sizes == 1 ? "layer" : "layers");
    if (!costs.peak_bytes)
      text += costs.without_sizes != 0 ? " and the memory of activations" : "the memory of activations";
    if (!stats.missing_sizes.empty())
      text += "; give sizes with --dim " + base::joined(stats.missing_sizes, "=N,") + "=N";
    text += '\n';
  }
  return text;
}

Json json_of(const GraphCounts& counts, bool with_costs) {
  const auto of_operator = [&](const OperatorCount& row) {
    Json json{{"type", row.type}, {"count", row.count}, {"in_bodies", row.in_bodies}};
    if (with_costs)
      json.update(
          {{"multiply_adds", row.multiply_adds}, {"flops", row.flops}, {"without_sizes", row.without_sizes}});
    return json;
  };
  const auto of_weights = [](const WeightCount& row) -> Json {
    return {{"element_type", row.element_type},
            {"constants", row.constants},
            {"elements", row.elements},
            {"bytes", row.bytes}};
  };
  return {{"operator_count", counts.operator_count},
          {"parameters", counts.parameters},
          {"weight_bytes", counts.weight_bytes},
          {"operators", json_list(counts.operators, of_operator)},
          {"weights", json_list(counts.weights, of_weights)}};
}

Json json_of(const Costs& costs) {
  Json json{
      {"multiply_adds", costs.multiply_adds}, {"flops", costs.flops},  {"without_sizes", costs.without_sizes},
      {"open_loops", costs.open_loops},       {"peak_bytes", nullptr}, {"peak_layer", nullptr}};
  if (costs.peak_bytes) {
    json["peak_bytes"] = *costs.peak_bytes;
    json["peak_layer"] = costs.peak_layer;
  }
  return json;
}

}  // namespace

std::string to_string(const Stats& stats) {
  std::string text;
  if (stats.onnx) text = graph_text("ONNX model", "operator", *stats.onnx, nullptr) + '\n';
  return text + graph_text("IR", "layer", stats.ir, &stats.costs) + '\n' + costs_text(stats);
}

Json json_of(const Stats& stats) {
  return {{"onnx", stats.onnx ? json_of(*stats.onnx, false) : Json(nullptr)},
          {"ir", json_of(stats.ir, true)},
          {"costs", json_of(stats.costs)},
          {"missing_sizes", stats.missing_sizes}};
}

std::string to_json(const Stats& stats) {
  return indented_text(json_of(stats)) + '\n';
}

}  // namespace onnx2ir
