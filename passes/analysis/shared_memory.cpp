#include "passes/analysis/shared_memory.hpp"

#include <algorithm>
#include <unordered_set>

#include "base/small_vector.hpp"
#include "ir/operation_set.hpp"
#include "ir/views/joining.hpp"
#include "passes/analysis/axes.hpp"

namespace onnx2ir::passes {
namespace {

/// Operations that may be computed in the memory of input 0, also if input 0 is the Parameter itself.
constexpr ir::OperationSet kInPlace{
    ops::MVN,           ops::NormalizeL2, ops::ScatterElementsUpdate, ops::ScatterNDUpdate,
    ops::ScatterUpdate, ops::SoftMax};
/// Operations whose result may share memory with input 0, also because OpenVINO removes them if they do not
/// change it.
constexpr ir::OperationSet kViews{ops::Broadcast, ops::Concat,    ops::Convert,      ops::Identity, ops::Pad,
                                  ops::Reshape,   ops::Slice,     ops::Split,        ops::Squeeze,  ops::Tile,
                                  ops::Transpose, ops::Unsqueeze, ops::VariadicSplit};
/// Operations that OpenVINO writes as a Reshape to a scalar if their result is one.
constexpr ir::OperationSet kScalars{ops::Gather, ops::Reshape, ops::Squeeze};
/// Operations that OpenVINO moves before a Reshape to a scalar. It reshapes their other input then.
constexpr ir::OperationSet kMovedBeforeReshape{ops::Add, ops::Multiply};

/// Whether `node` is a Concat whose parts are computed in the memory of its result, one after the other.
bool joins_in_place(const ir::Node& node) {
  const auto concat = ir::match<ir::ConcatView>(node);
  if (!concat || !node.output(0).shape.is_static()) return false;
  return std::ranges::all_of(node.output(0).shape.dimensions().first(joined_axis(*concat)),
                             [](const ir::Dimension& size) { return size == ir::Dimension(1); });
}

bool is_view(const ir::Use& use) {
  return (use.index == 0 && use.node->is_one_of(kViews)) || joins_in_place(*use.node);
}

/// Whether `use`, of a scalar Parameter, becomes one of a Reshape of the scalar.
bool becomes_use_of_reshape(const ir::Use& use) {
  if (!use.node->is_one_of(kMovedBeforeReshape)) return false;
  const ir::Value other = use.node->input(1 - use.index);
  return other.shape().is_scalar() && other.node->is_one_of(kScalars);
}

/// Whether `use`, of a value in the memory of a Parameter, may update the elements in place.
bool updates_elements(const ir::Use& use) {
  if (use.node->is_one_of(kInPlace)) return use.index == 0;
  const ir::Value value = use.node->input(use.index);
  const ir::Traits& traits = use.node->op().traits;
  if (use.node->is(ops::Result) || (!traits.keeps_shape && !traits.broadcasts)) return false;
  if (value.node->is(ops::Parameter)) return value.shape().is_scalar() && becomes_use_of_reshape(use);
  return !value.node->is_one_of(kViews) || value.node->op().traits.reshapes || joins_in_place(*value.node);
}

/// Whether `is_found` holds for `first`, or for a use of a result behind uses that `is_followed` holds for.
/// Returns `otherwise` if it is not found within the first uses: a body may have thousands of states that all
/// lead to the same operations.
template <typename Found, typename Followed>
bool leads_to(const ir::Use& first, bool otherwise, Found is_found, Followed is_followed) {
  constexpr int kMostUses = 256;
  std::unordered_set<const ir::Node*> followed;
  base::SmallVector<ir::Use, 8> open = {first};
  for (int visited = 0; !open.empty(); ++visited) {
    if (visited == kMostUses) return otherwise;
    const ir::Use use = open.back();
    open.pop_back();
    if (is_found(use)) return true;
    if (!is_followed(use) || !followed.insert(use.node).second) continue;
    for (const ir::Output& output : use.node->outputs()) open.append(output.uses.begin(), output.uses.end());
  }
  return false;
}

}  // namespace

bool leads_to_update(const ir::Use& use) {
  return leads_to(use, true, updates_elements, is_view);
}

bool leads_to_other_state(const ir::Use& use, const NextValues& next_values, const ir::Carried& state) {
  const auto is_own = [&](const ir::Use& at) { return at.node == state.result; };
  const auto is_other = [&](const ir::Use& at) { return !is_own(at) && next_values.contains(at.node); };
  const auto may_share_memory = [](const ir::Use& at) { return is_view(at) || updates_elements(at); };
  const auto shares_memory = [](const ir::Use& at) {
    return is_view(at) || (at.index == 0 && at.node->is_one_of(kInPlace));
  };
  return leads_to(use, true, is_other, may_share_memory) && !leads_to(use, false, is_own, shares_memory);
}

}  // namespace onnx2ir::passes
