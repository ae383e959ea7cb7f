// Copies values that are the same in all iterations of a loop if the body may update them. The CPU plugin
// computes some operations in place (updated_invariants): later iterations would read what earlier ones have
// written into a captured value, or into a state that never changes. tests/faults/loops.py lists the cases.
#include <algorithm>
#include <iterator>
#include <vector>

#include "ir/operation_set.hpp"
#include "passes/passes.hpp"
#include "passes/support/run_time_values.hpp"

namespace onnx2ir::passes {
namespace {

/// Operations that are computed in place of input 0 whatever it is.
constexpr ir::OperationSet kInPlace{ops::ScatterUpdate, ops::ScatterElementsUpdate, ops::ScatterNDUpdate,
                                    ops::SoftMax};
/// Operations whose result may share memory with input 0, also because OpenVINO removes them if they do not
/// change it.
constexpr ir::OperationSet kViews{ops::Broadcast, ops::Concat,    ops::Convert,      ops::Identity, ops::Pad,
                                  ops::Reshape,   ops::Slice,     ops::Split,        ops::Squeeze,  ops::Tile,
                                  ops::Transpose, ops::Unsqueeze, ops::VariadicSplit};
/// Operations that OpenVINO writes as a Reshape to a scalar if their result is one.
constexpr ir::OperationSet kScalars{ops::Gather, ops::Reshape, ops::Squeeze};
/// Operations that OpenVINO moves before a Reshape to a scalar. It reshapes their other input then.
constexpr ir::OperationSet kMovedBeforeReshape{ops::Add, ops::Multiply};

/// Whether `use`, of an invariant scalar, becomes one of a Reshape of the scalar.
bool becomes_use_of_reshape(const ir::Use& use) {
  if (!use.node->is_one_of(kMovedBeforeReshape)) return false;
  const ir::Value other = use.node->input(1 - use.index);
  return other.shape().is_scalar() && other.node->is_one_of(kScalars);
}

/// Whether `use`, of an invariant or of a view of one, may update its elements in place.
bool updates_elements(const ir::Use& use) {
  const ir::Value value = use.node->input(use.index);
  if (use.node->is_one_of(kInPlace)) return use.index == 0;
  const ir::Traits& traits = use.node->op().traits;
  if (use.node->is(ops::Result) || (!traits.keeps_shape && !traits.broadcasts)) return false;
  if (value.node->is(ops::Parameter)) return value.shape().is_scalar() && becomes_use_of_reshape(use);
  return value.node->op().traits.reshapes;
}

/// Whether `use`, of an invariant, leads through views to an operation that may update it.
bool leads_to_update(const ir::Use& first) {
  std::vector<ir::Use> open = {first};
  while (!open.empty()) {
    const ir::Use use = open.back();
    open.pop_back();
    if (updates_elements(use)) return true;
    if (use.index != 0 || !use.node->is_one_of(kViews)) continue;
    for (const ir::Output& view : use.node->outputs())
      open.insert(open.end(), view.uses.begin(), view.uses.end());
  }
  return false;
}

/// The Parameters of the body that have the same value in all iterations.
std::vector<ir::Node*> invariant_parameters(const ir::LoopView& loop) {
  std::vector<ir::Node*> found;
  for (const ir::Invariant& invariant : loop.body().invariants) found.push_back(invariant.parameter);
  for (const ir::Carried& state : loop.states()) {
    if (state.result->input(0).node == state.parameter) found.push_back(state.parameter);
  }
  return found;
}

bool copy_if_updated(ir::Graph& body, ir::Node& parameter) {
  const ir::Value value = parameter.value();
  if (value.type() == ir::ElementType::string) return false;
  std::vector<ir::Use> updates;
  std::ranges::copy_if(value.output().uses, std::back_inserter(updates), leads_to_update);
  if (updates.empty()) return false;
  ir::Builder builder(body);
  builder.set_name(parameter.name);
  const ir::Value copy = copy_opaquely(builder, value);
  for (const ir::Use& use : updates) use.node->set_input(use.index, copy);
  return true;
}

}  // namespace

bool copy_updated_invariants(ir::Model& model, PassContext&) {
  bool modified = false;
  for (const ir::LoopView loop : loops_of(model)) {
    const auto iterations = loop.iterations();
    if (iterations && *iterations <= 1) continue;
    for (ir::Node* const parameter : invariant_parameters(loop))
      modified = copy_if_updated(loop.graph(), *parameter) || modified;
  }
  return modified;
}

}  // namespace onnx2ir::passes
