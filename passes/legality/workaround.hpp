// Workarounds for faults of OpenVINO that concern single nodes, as data. Each row of a workaround has a
// fault, the operations that have it, a test whether a node is affected, and a rewrite. One driver applies
// the rows of all workarounds (legalize_nodes.hpp), and the pipeline ends with a check that no node is
// affected.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ir/builder.hpp"
#include "ir/graph.hpp"
#include "ir/operation_set.hpp"
#include "target/fault_set.hpp"

namespace onnx2ir::passes {

using target::Fault;

/// When a workaround runs for the first time. Each stage also applies the rows of the stages before it.
enum class Stage : std::uint8_t {
  imported,    ///< before all passes: they see the result
  operations,  ///< after the passes over loops and branches, before equal nodes are merged
  kernels      ///< after equal nodes are merged: the rows look at all uses of a value
};

struct LegalizationRow {
  Fault fault;
  ir::OperationSet operations;
  /// Whether the runtime computes `node` wrongly, or an operation into which OpenVINO fuses or rewrites it.
  /// Changes nothing. Called only for nodes of `operations`.
  bool (*is_affected)(const ir::Node& node);
  /// Changes the graph so that `node`, which is affected, is unused or no longer affected. Nodes from
  /// `builder` get the name of `node`. The driver visits them, too.
  void (*rewrite)(ir::Builder& builder, ir::Node& node);
  /// Only models with one of these operations, in any graph, have the fault; empty: all models.
  ir::OperationSet model_holds = {};

  /// Whether the condition on the model of `graph` holds.
  bool may_affect(const ir::Graph& graph) const {
    return model_holds.is_empty() || graph.model_may_hold(model_holds);
  }
  /// Whether the fault affects `node`, one of `operations`.
  bool affects(const ir::Node& node) const { return may_affect(node.graph()) && is_affected(node); }
};

/// For rows of models with a FakeQuantize alone: OpenVINO transforms quantised numbers in all graphs of such
/// a model, and in no other model.
inline constexpr ir::OperationSet kIfQuantized = {ops::FakeQuantize};

struct RowsOfStage {
  Stage stage;
  std::vector<LegalizationRow> rows;
};

/// Rows of one subject. Each workaround is a file of passes/workarounds.
struct Workaround {
  std::string_view summary;
  std::vector<RowsOfStage> stages;  ///< in the order of the stages
  std::string_view name = {};       ///< that of the file: workarounds() sets it
};

/// All workarounds, in alphabetical order. The result does not depend on the order.
std::span<const Workaround> workarounds();

/// The workaround called `name`; null if no workaround has this name.
const Workaround* find_workaround(std::string_view name);

/// The faults of the rows up to stage `last`.
target::FaultSet faults_of(const Workaround& workaround, Stage last = Stage::kernels);
/// The same for all workarounds.
target::FaultSet faults_up_to(Stage last);

/// The row of a fault. `kIsAffected(node)` is true, not null or not empty if the fault affects the node.
/// `kRewrite(builder, node)` returns the value that replaces output 0 of the node, or changes the graph
/// itself. The parameter of both may be a view of the operation.
template <auto kIsAffected, auto kRewrite>
LegalizationRow row(Fault fault, const ir::OperationSet& operations,
                    const ir::OperationSet& model_holds = {}) {
  const auto rewrite = [](ir::Builder& builder, ir::Node& node) {
    if constexpr (std::is_void_v<decltype(kRewrite(builder, node))>)
      kRewrite(builder, node);
    else
      ir::replace_all_uses(node.value(), kRewrite(builder, node));
  };
  const auto is_affected = [](const ir::Node& node) { return static_cast<bool>(kIsAffected(node)); };
  return {fault, operations, is_affected, rewrite, model_holds};
}

/// A rewrite: the uses of output 0 get a copy that OpenVINO does not remove, so that it cannot fuse them with
/// the node.
void separate_from_uses(ir::Builder& builder, ir::Node& node);
/// A rewrite: input 0 becomes such a copy of its value.
void separate_from_input(ir::Builder& builder, ir::Node& node);

/// A rewrite: exchanges inputs 0 and 1.
void swap_operands(ir::Builder& builder, ir::Node& node);

/// The operations with the trait `is_arithmetic`.
ir::OperationSet arithmetic_operations();

}  // namespace onnx2ir::passes
