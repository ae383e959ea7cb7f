// Applies the rows of workarounds to a model, and checks that no node is affected.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "passes/legality/workaround.hpp"
#include "passes/pipeline.hpp"

namespace onnx2ir::passes {

/// Rows by operation: those of the faults that a target has, in the order of the faults. If several rows
/// affect a node, the first one is applied.
class RowIndex {
 public:
  /// The rows up to stage `last`, without those up to stage `legal`.
  explicit RowIndex(const target::Target& target, Stage last = Stage::kernels,
                    std::optional<Stage> legal = std::nullopt);
  /// The rows of one workaround.
  RowIndex(const target::Target& target, const Workaround& workaround);

  /// For tests: the rows in another order that follows from `seed`; 0: in the order of the faults.
  void shuffle(unsigned seed);
  /// The rows that may affect `node`.
  std::span<const LegalizationRow* const> rows_for(const ir::Node& node) const {
    const RowsOfOperation& rows = rows_[static_cast<std::size_t>(node.op().id)];
    const bool has_conditions = rows.all.size() != rows.of_any_model.size();
    return !has_conditions || node.graph().model_may_hold(conditions_) ? rows.all : rows.of_any_model;
  }
  /// Whether a graph may have a node with a row.
  bool concerns(const ir::Graph& graph) const { return graph.may_hold(operations_); }

 private:
  struct RowsOfOperation {
    std::vector<const LegalizationRow*> all;
    std::vector<const LegalizationRow*> of_any_model;  ///< those without a condition on the model
  };

  void add(const target::Target& target, const Workaround& workaround);
  void find_rows_of_any_model();

  std::vector<RowsOfOperation> rows_;
  ir::OperationSet operations_;
  ir::OperationSet conditions_;  ///< the operations that conditions on the model ask for
};

/// Applies rows until no node is affected. Returns whether it has changed the model, which it leaves in
/// order, with its types inferred. `untried`: those of the rows that were not applied to this model before.
/// Until the first rewrite only these are tested, because the others affect no node.
bool apply_rows(ir::Model& model, const RowIndex& rows, const RowIndex& untried);
bool apply_rows(ir::Model& model, const RowIndex& rows);

/// The passes that apply workarounds for single nodes: those with a stage.
bool legalize_nodes(ir::Model& model, PassContext& context);

/// A node that a fault affects.
struct Violation {
  Fault fault;
  const ir::Node* node;
};

/// The first affected node; no value if the model is legal.
std::optional<Violation> first_violation(ir::Model& model, const RowIndex& rows);

}  // namespace onnx2ir::passes
