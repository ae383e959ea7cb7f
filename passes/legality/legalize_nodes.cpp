#include "passes/legality/legalize_nodes.hpp"

#include <algorithm>
#include <random>
#include <string>

#include "passes/analysis/uses.hpp"
#include "passes/emitters.hpp"
#include "passes/graph_walk.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

/// More rounds mean that rewrites make nodes which others rewrite, without an end.
constexpr int kMostRounds = 64;

std::string described(const ir::Node& node) {
  return std::string(node.op().name) + " '" + node.name + "'";
}

/// Visits the nodes of a graph, also those that rewrites append. Until the first rewrite, only rows of
/// `untried` may affect a node.
bool rewrite_nodes(ir::Graph& graph, const RowsOfModel& rows, const RowsOfModel& untried) {
  bool modified = false;
  std::size_t most = kMostRounds * (graph.nodes().size() + kMostRounds);
  for (const auto& node : graph.nodes()) most += kMostRounds * node->inputs().size();
  std::size_t rewrites = 0;
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    ir::Node& node = *graph.nodes()[i];
    while (const LegalizationRow* const row = (modified ? rows : untried).affecting(node)) {
      ir::Builder builder = ir::builder_beside(node);
      graph.set_emitter(emitter_of(row->fault));
      row->rewrite(builder, node);
      graph.set_emitter(0);
      modified = true;
      const std::string workaround =
          "the workaround for " + std::string(target::description(row->fault).name);
      if (!is_unused(node) && row->affects(node))
        throw base::InternalError(workaround + " leaves the node " + described(node) + " affected");
      if (++rewrites > most || graph.nodes().size() > most)
        throw base::InternalError(workaround + " emits affected nodes without an end at " + described(node));
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
    for (const auto& [stage, rows] : workaround.stages) {
      if (stage <= last && !(legal && stage <= *legal)) add(target, rows);
    }
  }
  for (auto& rows : rows_)
    std::ranges::stable_sort(rows, {}, [](const LegalizationRow* row) { return row->fault; });
}

RowIndex::RowIndex(const target::Target& target, const Workaround& workaround) : rows_(ir::kOperationCount) {
  for (const RowsOfStage& stage : workaround.stages) add(target, stage.rows);
}

void RowIndex::add(const target::Target& target, const std::vector<LegalizationRow>& rows) {
  for (const LegalizationRow& row : rows) {
    if (!target.has(row.fault)) continue;
    operations_.add(row.operations);
    row.operations.for_each([&](ir::Op op) { rows_[static_cast<std::size_t>(op)].push_back(&row); });
  }
}

void RowIndex::shuffle(unsigned seed) {
  if (seed == 0) return;
  std::mt19937 numbers(seed);
  for (auto& rows : rows_) {
    for (std::size_t left = rows.size(); left > 1; --left) std::swap(rows[left - 1], rows[numbers() % left]);
  }
}

RowsOfModel::RowsOfModel(const RowIndex& index, const ir::Model& model) {
  for (std::size_t op = 0; op < ir::kOperationCount; ++op) {
    for (const LegalizationRow* row : index.rows_of(static_cast<ir::Op>(op))) {
      if (row->may_affect(model.graph)) tests_.push_back({row->is_affected, row});
    }
    starts_[op + 1] = static_cast<std::uint32_t>(tests_.size());
  }
}

const LegalizationRow* RowsOfModel::affecting(const ir::Node& node) const {
  const auto op = static_cast<std::size_t>(node.op().id);
  if (starts_[op] == starts_[op + 1] || is_unused(node)) return nullptr;
  for (std::size_t i = starts_[op]; i < starts_[op + 1]; ++i) {
    if (tests_[i].is_affected(node)) return tests_[i].row;
  }
  return nullptr;
}

bool apply_rows(ir::Model& model, const RowIndex& rows, const RowIndex& untried) {
  bool has_changed = false;
  for (int round = 0; round < kMostRounds; ++round) {
    bool modified = false;
    // A rewrite that makes another condition on the model true leads to another round.
    const RowsOfModel active(rows, model);
    const RowsOfModel active_untried(untried, model);
    for (ir::Graph* graph : graphs_with_rows(model, rows)) {
      modified = rewrite_nodes(*graph, active, has_changed ? active : active_untried) || modified;
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
  const RowsOfModel active(rows, model);
  for (const ir::Graph* graph : graphs_with_rows(model, rows)) {
    for (const auto& node : graph->nodes()) {
      if (const LegalizationRow* const row = active.affecting(*node))
        return Violation{row->fault, node.get()};
    }
  }
  return std::nullopt;
}

bool legalize_nodes(ir::Model& model, PassContext& context) {
  const Stage last = *context.pass->stage;
  RowIndex rows(context.target, last);
  rows.shuffle(context.row_order);

  RowIndex untried(context.target, last, context.legal_stage);
  untried.shuffle(context.row_order);
  return apply_rows(model, rows, untried);
}

}  // namespace onnx2ir::passes
