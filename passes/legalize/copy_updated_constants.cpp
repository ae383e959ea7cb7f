// Workaround for updated_constants: the CPU plugin computes an operation on constants that OpenVINO does not
// fold in the first inference only. Arithmetic may write its result into the memory that it reads: the next
// inference then reads the result of the previous one. Here arithmetic reads a copy that is made in each
// inference. In loops, copy_updated_invariants does this for each iteration.
#include <algorithm>
#include <unordered_set>
#include <vector>

#include "passes/analysis/shared_memory.hpp"
#include "passes/passes.hpp"
#include "passes/support/choose_boolean.hpp"
#include "passes/support/run_time_values.hpp"

namespace onnx2ir::passes {
namespace {

/// The operations that some release does not fold.
constexpr ir::OperationSet kNotFolded{ops::AdaptiveAvgPool,
                                      ops::AvgPool,
                                      ops::Convolution,
                                      ops::ConvolutionBackpropData,
                                      ops::DFT,
                                      ops::Einsum,
                                      ops::Elu,
                                      ops::GRUSequence,
                                      ops::GatherElements,
                                      ops::GatherND,
                                      ops::GridSample,
                                      ops::GroupConvolution,
                                      ops::GroupConvolutionBackpropData,
                                      ops::GroupNormalization,
                                      ops::HardSigmoid,
                                      ops::IDFT,
                                      ops::IRDFT,
                                      ops::Interpolate,
                                      ops::IsFinite,
                                      ops::IsInf,
                                      ops::IsNaN,
                                      ops::LRN,
                                      ops::LSTMSequence,
                                      ops::LogSoftmax,
                                      ops::Mod,
                                      ops::NormalizeL2,
                                      ops::RDFT,
                                      ops::RNNSequence,
                                      ops::ROIAlign,
                                      ops::ReverseSequence,
                                      ops::Roll,
                                      ops::ScaledDotProductAttention,
                                      ops::Selu,
                                      ops::SoftSign,
                                      ops::Unique};

using Nodes = std::unordered_set<const ir::Node*>;

/// The nodes of `graph` that the CPU plugin computes once.
Nodes nodes_computed_once(const ir::Graph& graph) {
  Nodes found;
  for (const auto& node : graph.nodes()) {
    if (!node->is_computed_from_constants() || node->constant() != nullptr) continue;
    const auto reads_found = [&](ir::Value input) { return found.contains(input.node); };
    if (node->is_one_of(kNotFolded) || std::ranges::any_of(node->inputs(), reads_found))
      found.insert(node.get());
  }
  return found;
}

/// Whether `use` may update the elements. A Select may only update its condition.
bool may_update(const ir::Use& use) {
  return !use.node->is(ops::Select) && (use.node->op().traits.has_bodies || leads_to_update(use));
}

/// `truth`: emitted for the first copy.
bool copy_for_updates(ir::Node& node, const Nodes& once, ir::Value& truth) {
  bool modified = false;
  for (std::size_t index = 0; index < node.outputs().size(); ++index) {
    const ir::Value value = node.value(index);
    if (!can_be_selected(value.type())) continue;
    std::vector<ir::Use> updates;
    std::ranges::copy_if(value.output().uses, std::back_inserter(updates),
                         [&](const ir::Use& use) { return !once.contains(use.node) && may_update(use); });
    if (updates.empty()) continue;
    ir::Builder builder = ir::builder_beside(node);
    if (!truth) truth = emit_run_time_truth(builder);
    ir::replace_uses(updates, value, hide_value(builder, truth, value));
    modified = true;
  }
  return modified;
}

bool run_on(ir::Graph& graph) {
  if (!graph.may_hold(kNotFolded)) return false;
  const Nodes once = nodes_computed_once(graph);
  ir::Value truth;
  return !once.empty() && edit_present_nodes(graph, [&](ir::Node& node) {
    return once.contains(&node) && copy_for_updates(node, once, truth);
  });
}

}  // namespace

bool copy_updated_constants(ir::Model& model, PassContext&) {
  return edit_each(graphs_of(model), [](ir::Graph* graph) { return run_on(*graph); });
}

}  // namespace onnx2ir::passes
