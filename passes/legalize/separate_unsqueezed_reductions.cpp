// Workaround for unsqueezed_reduction: OpenVINO moves a Reduce before the Unsqueeze of its data. It then
// counts negative axes from the end of a shape that has fewer of them, and puts the new axis in the wrong
// place if the Reduce keeps its axes. Here such a Reduce counts its axes from the front, and an Unsqueeze
// restores them.
#include <algorithm>
#include <array>
#include <vector>

#include "ir/inference.hpp"
#include "ir/shape_tools.hpp"
#include "passes/passes.hpp"
#include "passes/rewrite.hpp"

namespace onnx2ir::passes {
namespace {

constexpr ir::OperationSet kReductions = {ops::ReduceL1,        ops::ReduceL2,   ops::ReduceLogicalAnd,
                                          ops::ReduceLogicalOr, ops::ReduceMax,  ops::ReduceMean,
                                          ops::ReduceMin,       ops::ReduceProd, ops::ReduceSum};

/// Whether the value is another one with additional axes of size 1.
bool is_unsqueezed(ir::Value value) {
  if (value.node->is(ops::Unsqueeze)) return true;
  if (!value.node->is(ops::Reshape)) return false;
  const ir::PartialShape& before = value.node->input(0).shape();
  const ir::PartialShape& after = value.shape();
  if (!before.has_rank() || before.rank() >= after.rank()) return false;
  const auto ones = [](const ir::PartialShape& shape) { return std::ranges::count(shape, ir::Dimension(1)); };
  return ones(after) > ones(before);
}

ir::Value separated(ir::Builder& builder, const ir::Node& reduction) {
  const ir::Value data = reduction.input(0);
  auto axes = ir::exact_values(reduction.input(1));
  const bool follows_reduction = data.node->is_one_of(kReductions);
  if (!axes || axes->empty() || !data.shape().has_rank() || (!is_unsqueezed(data) && !follows_reduction))
    return {};
  const bool keeps_axes = reduction.boolean("keep_dims");
  if ((!keeps_axes || follows_reduction) &&
      std::ranges::all_of(*axes, [](std::int64_t axis) { return axis >= 0; }))
    return {};
  std::vector<std::int64_t> places;
  for (const std::int64_t axis : *axes) {
    places.push_back(static_cast<std::int64_t>(ir::normalize_axis(axis, data.shape().rank())));
  }
  std::ranges::sort(places);
  const ir::Value list = builder.integers(places, reduction.input(1).type());
  if (follows_reduction) return builder.op(reduction.op().id, {data, list}, {{"keep_dims", keeps_axes}});
  const ir::Value reduced = builder.op(reduction.op().id, {data, list}, {{"keep_dims", false}});
  return keeps_axes ? ir::unsqueeze(builder, reduced, places) : reduced;
}

}  // namespace

bool separate_unsqueezed_reductions(ir::Model& model, PassContext&) {
  return rewrite_values(model, kReductions, separated);
}

}  // namespace onnx2ir::passes
