// Workaround for concat_reduction: OpenVINO replaces ReduceMax or ReduceMin along the axis of a Concat of two
// tensors by Maximum or Minimum of the two, even if they have several elements along that axis. Here one
// tensor is repeated in the Concat. That does not change the maximum or minimum, and OpenVINO does not
// replace a Concat of three tensors.
#include <algorithm>
#include <array>

#include "ir/shape_tools.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/run_time_values.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

constexpr ir::OperationSet kReductions = {ops::ReduceMax, ops::ReduceMin};

/// Whether the reduction is along the axis of `concat` alone.
bool reduces_axis_of(const ir::Node& reduction, const ir::Node& concat) {
  const auto axes = ir::exact_values(reduction.input(1));
  const ir::PartialShape& shape = concat.output(0).shape;
  if (!axes || axes->size() != 1 || !shape.has_rank()) return !axes;
  const auto rank = static_cast<std::int64_t>(shape.rank());
  return (axes->front() + rank) % rank == (concat.integer("axis") + rank) % rank;
}

/// Whether the replacement by Maximum or Minimum is right: both tensors have one element along the axis.
bool has_single_elements(const ir::Node& concat) {
  const auto axis = concat.integer("axis");
  return std::ranges::all_of(concat.inputs(), [&](ir::Value part) {
    if (!part.shape().has_rank()) return false;
    const auto rank = static_cast<std::int64_t>(part.shape().rank());
    return part.shape()[static_cast<std::size_t>((axis + rank) % rank)] == ir::Dimension(1);
  });
}

/// The same for a Concat whose result an Unsqueeze reshapes: OpenVINO moves the Reduce before it first.
bool is_unsqueezed_concat(const ir::Node& reduction) {
  const ir::Node& unsqueeze = *reduction.input(0).node;
  if (!unsqueeze.is(ops::Unsqueeze)) return false;
  const ir::Node& concat = *unsqueeze.input(0).node;
  return concat.is(ops::Concat) && concat.inputs().size() == 2 && !has_single_elements(concat);
}

ir::Value separate_unsqueezed(ir::Builder& builder, const ir::Node& reduction) {
  const ir::Node& unsqueeze = *reduction.input(0).node;
  const ir::Value joined = opaque_copy(builder, unsqueeze.input(0));
  const ir::Value wide = builder.op(ops::Unsqueeze, {joined, unsqueeze.input(1)});
  return builder.clone(reduction, std::array{wide, reduction.input(1)}).value();
}

bool is_affected(const ir::Node& reduction) {
  const ir::Node& concat = *reduction.input(0).node;
  return concat.is(ops::Concat) && concat.inputs().size() == 2 && reduces_axis_of(reduction, concat) &&
         !has_single_elements(concat);
}

ir::Value separate(ir::Builder& builder, const ir::Node& reduction) {
  const ir::Node& concat = *reduction.input(0).node;
  const ir::Value first = concat.input(0);
  const ir::Value last = concat.input(1);
  // The constant is likely the smaller one.
  const ir::Value twice = first.node->constant() != nullptr ? first : last;
  const ir::Value joined = ir::concat(builder, {first, last, twice}, concat.integer("axis"));
  return builder.op(reduction.op().id, {joined, reduction.input(1)},
                    {{"keep_dims", reduction.boolean("keep_dims")}});
}

}  // namespace

Workaround separate_concat_reductions() {
  return {.name = "separate_concat_reductions",
          .stage = Stage::kernels,
          .summary = "Keeps OpenVINO from replacing the maximum of a Concat by Maximum of its parts",
          .rows = {LegalizationRow{Fault::concat_reduction, kReductions, is_affected, replace<separate>},
                   LegalizationRow{Fault::concat_reduction, kReductions, is_unsqueezed_concat,
                                   replace<separate_unsqueezed>}}};
}

}  // namespace onnx2ir::passes
