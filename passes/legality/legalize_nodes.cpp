#include "passes/legality/legalize_nodes.hpp"

#include <algorithm>
#include <random>
#include <string>

#include "passes/analysis/uses.hpp"
#include "passes/emitters.hpp"
#include "passes/graph_walk.hpp"
#include "passes/tidy.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

/// More rounds mean that rewrites make nodes which others rewrite, without an end.
constexpr int kMostRounds = 64;

std::string described(const ir::Node& node) {
  return std::string(node.op().name) + " '" + node.name + "'";
}

/// The first row that affects `node`; null if none does.
const LegalizationRow* affecting_row(const ir::Node& node, const RowIndex& index) {
  const auto rows = index.rows_for(node);
  if (rows.empty() || is_unused(node)) return nullptr;
  const auto found = std::ranges::find_if(rows, [&](const auto* row) { return row->affects(node); });
  return found == rows.end() ? nullptr : *found;
}

/// Visits the nodes of a graph, also those that rewrites append. Until the first rewrite, only rows of
/// `untried` may affect a node.
bool rewrite_nodes(ir::Graph& graph, const RowIndex& rows, const RowIndex& untried) {
  bool modified = false;
  const std::size_t most = kMostRounds * (graph.nodes().size() + kMostRounds);
  std::size_t rewrites = 0;
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    ir::Node& node = *graph.nodes()[i];
    while (const LegalizationRow* const row = affecting_row(node, modified ? rows : untried)) {
      ir::Builder builder = ir::builder_beside(node);
      graph.set_emitter(emitter_of(row->fault));
      row->rewrite(builder, node);
      graph.set_emitter(0);
      modified = true;
      const bool is_without_end = ++rewrites > most || graph.nodes().size() > most;
      if ((!is_unused(node) && row->affects(node)) || is_without_end) {
        throw base::InternalError("the workaround for " + std::string(target::description(row->fault).name) +
                                  " does not end at " + described(node));
      }
    }
  }
  return modified;
}

std::vector<ir::Graph*> graphs_with_rows(ir::Model& model, const RowIndex& index) {
  std::vector<ir::Graph*> graphs = graphs_of(model);
  std::erase_if(graphs, [&](const ir::Graph* graph) { return !index.concerns(*graph); });
  return graphs;
}

}  // namespace

RowIndex::RowIndex(const target::Target& target, Stage last, std::optional<Stage> legal)
    : rows_(ir::kOperationCount) {
  for (const Workaround& workaround : workarounds()) {
    if (workaround.stage <= last && !(legal && workaround.stage <= *legal)) add(target, workaround);
  }
  for (auto& rows : rows_)
    std::ranges::stable_sort(rows.all, {}, [](const LegalizationRow* row) { return row->fault; });
  find_rows_of_any_model();
}

RowIndex::RowIndex(const target::Target& target, const Workaround& workaround) : rows_(ir::kOperationCount) {
  add(target, workaround);
  find_rows_of_any_model();
}

void RowIndex::add(const target::Target& target, const Workaround& workaround) {
  for (const LegalizationRow& row : workaround.rows) {
    if (!target.has(row.fault)) continue;
    conditions_.add(row.model_holds);
    operations_.add(row.operations);
    row.operations.for_each([&](ir::Op op) { rows_[static_cast<std::size_t>(op)].all.push_back(&row); });
  }
}

void RowIndex::find_rows_of_any_model() {
  for (auto& rows : rows_) {
    rows.of_any_model = rows.all;
    std::erase_if(rows.of_any_model, [](const auto* row) { return !row->model_holds.is_empty(); });
  }
}

void RowIndex::shuffle(unsigned seed) {
  if (seed == 0) return;
  std::mt19937 numbers(seed);
  for (auto& rows : rows_) {
    auto& all = rows.all;
    for (std::size_t left = all.size(); left > 1; --left) std::swap(all[left - 1], all[numbers() % left]);
  }
  find_rows_of_any_model();
}

bool apply_rows(ir::Model& model, const RowIndex& rows, const RowIndex& untried) {
  bool has_changed = false;
  for (int round = 0; round < kMostRounds; ++round) {
    bool modified = false;
    for (ir::Graph* graph : graphs_with_rows(model, rows)) {
      modified = rewrite_nodes(*graph, rows, has_changed ? rows : untried) || modified;
      has_changed = has_changed || modified;
    }
    if (!modified) return has_changed;
    tidy(model);
  }
  const auto violation = first_violation(model, rows);
  throw base::InternalError("workarounds do not end" +
                            (violation ? ": " + std::string(target::description(violation->fault).name) +
                                             " at " + described(*violation->node)
                                       : std::string()));
}

bool apply_rows(ir::Model& model, const RowIndex& rows) {
  return apply_rows(model, rows, rows);
}

std::optional<Violation> first_violation(ir::Model& model, const RowIndex& rows) {
  for (const ir::Graph* graph : graphs_with_rows(model, rows)) {
    for (const auto& node : graph->nodes()) {
      if (const LegalizationRow* const row = affecting_row(*node, rows))
        return Violation{row->fault, node.get()};
    }
  }
  return std::nullopt;
}

bool legalize_nodes(ir::Model& model, PassContext& context) {
  const Stage last = *context.pass->stage;
  RowIndex rows(context.target, last);
  rows.shuffle(context.row_order);
  if (!context.legal_stage) return apply_rows(model, rows);
  RowIndex untried(context.target, last, context.legal_stage);
  untried.shuffle(context.row_order);
  return apply_rows(model, rows, untried);
}

}  // namespace onnx2ir::passes
