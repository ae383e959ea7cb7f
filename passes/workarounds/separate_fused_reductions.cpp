// Workarounds for fusions of OpenVINO that are wrong: Reduces with the operations before and after them. An
// opaque copy of the result of a row's operation keeps it apart from the operations that read it.
#include <algorithm>
#include <optional>

#include "ir/views/groups.hpp"
#include "ir/views/reshaping.hpp"
#include "passes/analysis/axes.hpp"
#include "passes/analysis/bounded_search.hpp"
#include "passes/analysis/fused_chain.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/workarounds/separation.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether `node` is a Reduce that removes axes and keeps others of size 1.
bool is_unit_reduction(const ir::Node& node) {
  if (!node.op().traits.is_reduction || ir::ReductionView(node).keep_dims()) return false;
  const ir::PartialShape& shape = node.output(0).shape;
  return shape.rank() > 1 && shape.has(1);
}

/// Fault::transposed_unit_reduction: OpenVINO moves the Transpose after the Reduce, also after a
/// FakeQuantize.
bool precedes_unit_reduction(const ir::Node& node) {
  const auto& uses = node.output(0).uses;
  return std::ranges::any_of(uses, [&](const ir::Use& use) {
    const ir::Node* reader = use.node;
    if (reader->is(ops::FakeQuantize)) {
      reader = only_reader(*reader);
    } else if (uses.size() > 1) {
      return false;
    }
    return reader != nullptr && is_unit_reduction(*reader);
  });
}

/// Whether OpenVINO may remove the Reshape `node` after a Reduce that does not keep its axes. `reduced` is
/// the result of the Reduce. OpenVINO takes the Reshape for one that restores the axes if it has the rank of
/// the data, and all of its sizes but one are copied or are 1. The axes of the Reduce are not examined: they
/// are others once OpenVINO has moved the Reduce before an Unsqueeze, or merged it with a Reduce or
/// Transpose.
bool seems_to_restore_axes(const ir::PartialShape& reduced, const ir::Node& node) {
  const ir::PartialShape& result = node.output(0).shape;
  if (!result.has_rank() || result.rank() < 2 || result.rank() > reduced.rank() || result == reduced)
    return false;
  const std::ptrdiff_t units = std::ranges::count(reduced, ir::Dimension(1));
  if (result.rank() + static_cast<std::size_t>(units) < reduced.rank()) return false;
  const auto reshape = ir::match<ir::ReshapeView>(node);
  const auto wanted = reshape && reshape->special_zero() ? ir::exact_values(reshape->shape()) : std::nullopt;
  std::ptrdiff_t copied = std::ranges::count(result, ir::Dimension(1));
  if (wanted) copied += std::ranges::count(*wanted, 0);
  return copied + 1 >= static_cast<std::ptrdiff_t>(result.rank());
}

/// Whether `reduced` is read by a Transpose that may move axes of size 1 of it.
bool has_unit_transpose(const ir::Output& reduced) {
  return std::ranges::any_of(reduced.shape, [](const ir::Dimension& size) { return size.admits(1); }) &&
         is_read_by(reduced, {ops::Transpose});
}

/// Whether OpenVINO may merge `node` with a Reshape before or after it, or remove it: arithmetic with one
/// number that is 0 or 1, possibly only together with the next one.
bool may_join_reshapes(const ir::Node& node) {
  if (node.op().traits.reshapes || node.is(ops::Transpose)) return true;
  if (!node.is_one_of(kSumsAndFactors)) return false;
  const ir::Value constant = constant_operand(node);
  return constant && constant.shape().element_count() == 1;
}

/// Fault::transposed_unit_reduction. OpenVINO merges consecutive Reshapes, also those with several readers.
bool is_transposed_reduction(ir::ReductionView reduction) {
  constexpr std::size_t kMostNodes = 17;
  const ir::Output& reduced = reduction.output(0);
  if (reduction.keep_dims() || !reduced.shape.has_rank()) return false;
  if (has_unit_transpose(reduced)) return true;
  return any_after(reduction, kMostNodes, [&](const ir::Use& use) {
    if (!may_join_reshapes(*use.node)) return Search::skip;
    return seems_to_restore_axes(reduced.shape, *use.node) ? Search::found : Search::follow;
  });
}

/// Fault::dynamic_reduce_channels. The size 1, with which the constant widens the result, cannot be excluded.
bool precedes_channel_constant(ir::ReductionView reduction) {
  constexpr int kMostFused = 32;
  const ir::PartialShape& data = reduction.data().shape();
  const ir::PartialShape& reduced = reduction.output(0).shape;
  if (!data.has_rank() || data.rank() < 2 || data[1].is_static() || !data[1].admits(1)) return false;
  const auto axes = sorted_axes(reduction.axes(), data.rank());
  if (!axes || !reduced.has_rank()) return false;
  const auto is_reduced = [&](std::int64_t axis) { return std::ranges::count(*axes, axis) > 0; };
  if (is_reduced(1)) return false;
  const std::size_t channels = !reduction.keep_dims() && is_reduced(0) ? 0 : 1;
  const ir::Node* reader = fused_reader(reduction);
  for (int count = 0; count < kMostFused && reader != nullptr; ++count) {
    const ir::Value constant = constant_operand(*reader);
    // Another operand widens the result; nothing after it is fused.
    if (!constant && reader->inputs().size() > 1) return false;
    if (constant && std::ranges::count(axes_of(constant, reduced.rank()), channels) > 0) return true;
    reader = fused_reader(*reader);
  }
  return false;
}

}  // namespace

Workaround separate_fused_reductions() {
  return {
      .stage = Stage::kernels,
      .summary = "Keeps operations apart from Reduces that OpenVINO would fuse wrongly",
      .rows = {separating_row<precedes_channel_constant>(Fault::dynamic_reduce_channels, kReductions),
               separating_row<is_transposed_reduction>(Fault::transposed_unit_reduction, kReductions),
               separating_row<precedes_unit_reduction>(Fault::transposed_unit_reduction, {ops::Transpose})}};
}

}  // namespace onnx2ir::passes
