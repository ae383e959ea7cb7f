// Workarounds for Gathers and reductions of quantised numbers with scales or zero points along an axis, which
// OpenVINO moves behind them although the axis is another one there, or none. An opaque copy of the numbers
// keeps them apart.
#include <algorithm>

#include "ir/graph.hpp"
#include "ir/views/selection.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/analysis/fused_chain.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/workarounds/separation.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether a graph may have a Gather or a reduction. Tested first, because all arithmetic is examined.
bool may_gather(const ir::Graph& graph) {
  static const ir::OperationSet kOperations = [] {
    ir::OperationSet operations =
        operations_with([](const ir::Traits& traits) { return traits.is_reduction; });
    operations.add(ops::Gather);
    return operations;
  }();
  return graph.may_hold(kOperations);
}

/// Whether `node` is a Gather that changes the rank.
bool changes_rank(const ir::Node& node) {
  const auto gather = ir::match<ir::GatherView>(node);
  return gather && (!gather->indices().shape().has_rank() || gather->indices().shape().rank() != 1);
}

/// Fault::quantized_scalar_gather. Parts of a Concat can have several scales.
bool precedes_scalar_gather(const ir::Node& node) {
  if (!may_gather(node.graph())) return false;
  const bool is_concat = node.is(ops::Concat);
  const bool has_scales =
      is_concat ? std::ranges::any_of(node.inputs(), [](ir::Value part) { return holds_integers(part); })
                : !scaled_axes(node).empty() && integers_of(node) != nullptr;
  return has_scales && std::ranges::any_of(readers_past_moves(node), [&](const ir::Node* reader) {
           return changes_rank(*reader) || (!is_concat && reader->op().traits.is_reduction);
         });
}

/// Fault::quantized_gather_of_part: a Gather behind an operation that moves the zero points.
bool precedes_gather_of_part(const ir::Node& node) {
  if (!node.graph().may_hold({ops::Gather}) || scaled_axes(node).empty() || integers_of(node) == nullptr)
    return false;
  return std::ranges::any_of(readers_past_moves(node), [&](const ir::Node* reader) {
    return reader->is(ops::Gather) && reader->input(0).node != &node;
  });
}

ir::OperationSet joining_arithmetic_and_quantization() {
  ir::OperationSet operations =
      operations_with([](const ir::Traits& traits) { return traits.is_arithmetic; });
  operations.add(ops::FakeQuantize);
  operations.add(ops::Concat);
  return operations;
}

}  // namespace

Workaround separate_quantized_gathers() {
  return {.name = "separate_quantized_gathers",
          .stage = Stage::kernels,
          .summary = "Keeps Gathers and reductions apart from quantised numbers with several scales",
          .rows = {LegalizationRow{Fault::quantized_gather_of_part,
                                   {ops::Add, ops::Subtract, ops::FakeQuantize},
                                   must_be_separated_if_quantized<precedes_gather_of_part>,
                                   separate_from_uses},
                   LegalizationRow{Fault::quantized_scalar_gather, joining_arithmetic_and_quantization(),
                                   must_be_separated<precedes_scalar_gather>, separate_from_uses}}};
}

}  // namespace onnx2ir::passes
