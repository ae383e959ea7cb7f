// Workaround for unsqueezed_reduction: OpenVINO moves a Reduce before the Unsqueeze of its data. It then
// counts negative axes from the end of a shape that has fewer of them, and puts the new axis in the wrong
// place if the Reduce keeps its axes. Here such a Reduce counts its axes from the front, and an Unsqueeze
// restores them.
#include <algorithm>

#include "ir/views/elementwise.hpp"
#include "ir/views/groups.hpp"
#include "ir/views/reshaping.hpp"
#include "passes/analysis/axes.hpp"
#include "passes/analysis/bounded_search.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether the value is another one with additional axes of size 1.
bool is_unsqueezed(ir::Value value) {
  if (value.node->is(ops::Unsqueeze)) return true;
  const auto reshape = ir::match<ir::ReshapeView>(value);
  if (!reshape) return false;
  const ir::PartialShape& before = reshape->data().shape();
  const ir::PartialShape& after = value.shape();
  if (!before.has_rank() || before.rank() >= after.rank()) return false;
  const auto ones = [](const ir::PartialShape& shape) { return std::ranges::count(shape, ir::Dimension(1)); };
  return ones(after) > ones(before);
}

/// Whether the value is that of a Reduce, or will be: OpenVINO merges factors, and removes them if their
/// product is 1.
bool is_reduced(ir::Value value) {
  const auto without_factor = [](ir::Value product) {
    const auto multiply = ir::match<ir::MultiplyView>(product);
    if (!multiply) return ir::Value{};
    const bool is_factor_first = multiply->a().node->is(ops::Const);
    const ir::Value factor = is_factor_first ? multiply->a() : multiply->b();
    const bool is_scaled = factor.node->is(ops::Const) && factor.shape().is_scalar();
    return is_scaled ? (is_factor_first ? multiply->b() : multiply->a()) : ir::Value{};
  };
  const ir::Value unscaled = follow(value, without_factor);
  return unscaled && unscaled.node->is_one_of(kReductions);
}

bool is_affected(ir::ReductionView reduction) {
  const ir::Value data = reduction.data();
  const bool follows_reduction = is_reduced(data);
  if (!data.shape().has_rank() || (!follows_reduction && !is_unsqueezed(data))) return false;
  const auto axes = ir::exact_values(reduction.axes());
  if (!axes || axes->empty()) return false;
  return (reduction.keep_dims() && !follows_reduction) ||
         std::ranges::any_of(*axes, [](std::int64_t axis) { return axis < 0; });
}

ir::Value separate(ir::Builder& builder, ir::ReductionView reduction) {
  const ir::Value data = reduction.data();
  const auto axes = sorted_axes(reduction.axes(), data.shape().rank());
  const ir::Value list = builder.integers(*axes, reduction.axes().type());
  if (is_reduced(data)) return ir::clone_with_input(builder, reduction, ir::ReductionView::Input::axes, list);
  const ir::Value reduced = builder.op(reduction.node().op().id, {data, list}, {{"keep_dims", false}});
  return reduction.keep_dims() ? ir::unsqueeze(builder, reduced, axes->unchecked()) : reduced;
}

/// Fault::reshaped_reduction: the data are a Reshape that adds axes of size 1 and splits or joins others,
/// possibly with an Unsqueeze, which OpenVINO makes part of the Reshape.
bool reduces_reshaped(ir::ReductionView reduction) {
  const ir::Value data = reduction.data();
  const auto unsqueeze = ir::match<ir::UnsqueezeView>(data);
  return is_unsqueezed(data) && (unsqueeze ? unsqueeze->data() : data).node->is(ops::Reshape);
}

}  // namespace

Workaround separate_unsqueezed_reductions() {
  return {.stage = Stage::operations,
          .summary = "Counts axes of Reduces after an Unsqueeze from the front, and removes the axes",
          .rows = {row<reduces_reshaped, separate_from_input>(Fault::reshaped_reduction, kReductions,
                                                              {ops::Reshape}),
                   row<is_affected, separate>(Fault::unsqueezed_reduction, kReductions)}};
}

}  // namespace onnx2ir::passes
