// Applies the rows of workarounds to a model, and checks that no node is affected.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
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
  /// The rows of an operation.
  std::span<const LegalizationRow* const> rows_of(ir::Op op) const {
    return rows_[static_cast<std::size_t>(op)];
  }
  /// Whether a graph may have a node with a row.
  bool concerns(const ir::Graph& graph) const { return graph.may_hold(operations_); }

 private:
  void add(const target::Target& target, const std::vector<LegalizationRow>& rows);

  std::vector<std::vector<const LegalizationRow*>> rows_;
  ir::OperationSet operations_;
};

/// The rows of an index that may affect a model: those whose condition on the model holds. The tests are
/// beside each other, because every node is tested by all rows of its operation.
class RowsOfModel {
 public:
  RowsOfModel(const RowIndex& index, const ir::Model& model);

  /// The first row that affects `node`; null if none does.
  const LegalizationRow* affecting(const ir::Node& node) const;

 private:
  struct Test {
    bool (*is_affected)(const ir::Node& node);
    const LegalizationRow* row;
  };
  std::vector<Test> tests_;  ///< sorted by operation
  std::array<std::uint32_t, ir::kOperationCount + 1> starts_ = {};
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
