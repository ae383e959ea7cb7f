// Workarounds for fusions of OpenVINO that are wrong: convolutions with the operations before and after
// them. An opaque copy of the result of a row's operation keeps it apart from the operations that read it.
#include <algorithm>
#include <vector>

#include "ir/size_rules.hpp"
#include "ir/views/spatial.hpp"
#include "ir/views/unary.hpp"
#include "passes/analysis/bounded_search.hpp"
#include "passes/analysis/fused_chain.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/workarounds/separation.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether the value is a convolution, possibly with arithmetic with constants.
bool is_convolved(ir::Value value) {
  constexpr int kMostNodes = 4;
  const auto source = [](const ir::Node& node) {
    return node.op().traits.is_arithmetic ? variable_operand(node) : ir::Value{};
  };
  return find_before(*value.node, kConvolutions, source, kMostNodes) != nullptr;
}

/// Whether an activation is not monotone: the maximum of its results is not the result of the maximum.
bool is_not_monotone(const ir::Node& node) {
  return node.is_one_of({ops::Abs, ops::Gelu, ops::Swish, ops::HSwish, ops::Mish, ops::PReLU}) ||
         (node.is(ops::Elu) && ir::EluView(node).alpha() < 0);
}

/// Fault::activation_before_pool. OpenVINO may fuse operations that read the pool twice, such as x *
/// Sigmoid(x).
bool precedes_activation(ir::MaxPoolView pool) {
  if (!is_convolved(pool.data())) return false;
  const auto& uses = pool.output(0).uses;
  if (uses.size() > 1) {
    return std::ranges::all_of(uses, [](const ir::Use& use) { return is_elementwise(*use.node); });
  }
  return std::ranges::any_of(chain_after(pool),
                             [](const ir::Node* reader) { return is_not_monotone(*reader); });
}

/// Whether a sum of dynamic shape may have another shape than its operands.
bool may_broadcast(ir::Value left, ir::Value right) {
  const ir::PartialShape& a = left.shape();
  const ir::PartialShape& b = right.shape();
  if (!a.has_rank() || !b.has_rank() || (a.is_static() && b.is_static())) return false;
  if (a.rank() != b.rank()) return true;
  for (std::size_t axis = 0; axis < a.rank(); ++axis) {
    if (a[axis].is_static() || b[axis].is_static()) {
      if (a[axis] != b[axis]) return true;
    } else if ((a[axis].admits(1) || b[axis].admits(1)) && !ir::have_equal_sizes(left, axis, right, axis)) {
      return true;
    }
  }
  return false;
}

/// Fault::convolution_sum_shape.
bool precedes_broadcast_sum(const ir::Node& node) {
  const std::vector<const ir::Node*> chain = chain_after(node);
  const auto is_sum = [](const ir::Node* reader) {
    return reader->is(ops::Add) && !constant_operand(*reader);
  };
  const auto sum = std::ranges::find_if(chain, is_sum);
  return sum != chain.end() && may_broadcast((*sum)->input(0), (*sum)->input(1));
}

/// Fault::channels_from_factor.
bool makes_channels(const ir::Node& node) {
  const ir::Value constant = constant_operand(node);
  const ir::Node* const reader = only_reader(node);
  if (!constant || reader == nullptr || !reader->is_one_of(kProducts)) return false;
  if (reader->is(ops::MatMul) || reader->input(0).node != &node) return false;
  const ir::PartialShape& data = (node.input(0) == constant ? node.input(1) : node.input(0)).shape();
  const ir::PartialShape& result = node.output(0).shape;
  if (!data.has_rank() || !result.has_rank() || data.rank() < 2) return true;
  return data.rank() != result.rank() || result[1] != data[1];
}

/// Fault::factor_along_kernel.
bool scales_along_kernel(const ir::Node& node) {
  const ir::Value constant = constant_operand(node);
  const ir::Node* const reader = only_reader(node);
  const ir::PartialShape& shape = node.output(0).shape;
  if (!constant || reader == nullptr || !shape.has_rank()) return false;
  if (!reader->is_one_of(kConvolutions)) return false;
  const std::vector<std::size_t> axes = axes_of(constant, shape.rank());
  return !axes.empty() && axes.back() > 1;
}

}  // namespace

Workaround separate_fused_convolutions() {
  return {.stage = Stage::kernels,
          .summary = "Keeps operations apart from convolutions that OpenVINO would fuse wrongly",
          .rows = {separating_row<precedes_activation>(Fault::activation_before_pool, {ops::MaxPool}),
                   separating_row<makes_channels>(Fault::channels_from_factor, kFactors),
                   separating_row<precedes_broadcast_sum>(Fault::convolution_sum_shape, kConvolutions),
                   separating_row<scales_along_kernel>(Fault::factor_along_kernel, kFactors)}};
}

}  // namespace onnx2ir::passes
