// Counts the axes of Slices from the front. OpenVINO merges a Slice of a Slice if their lists of axes have
// nothing in common, and does not notice that -1 and 1 can be the same axis (merged_slice_axes).
#include <algorithm>
#include <array>

#include "ir/inference.hpp"
#include "passes/passes.hpp"
#include "passes/rewrite.hpp"

namespace onnx2ir::passes {
namespace {

constexpr std::size_t kAxes = 4;

ir::Value counted_from_front(ir::Builder& builder, const ir::Node& slice) {
  const ir::PartialShape& shape = slice.input(0).shape();
  auto axes = ir::exact_values(slice.input(kAxes));
  if (!axes || !shape.has_rank()) return {};
  if (std::ranges::all_of(*axes, [](std::int64_t axis) { return axis >= 0; })) return {};
  for (std::int64_t& axis : *axes) axis = static_cast<std::int64_t>(ir::normalize_axis(axis, shape.rank()));
  const ir::Value list = builder.integers(*axes, slice.input(kAxes).type());
  return builder
      .clone(slice, std::array{slice.input(0), slice.input(1), slice.input(2), slice.input(3), list})
      .value();
}

}  // namespace

bool count_slice_axes_from_front(ir::Model& model, PassContext&) {
  return rewrite_values(model, {ops::Slice}, counted_from_front);
}

}  // namespace onnx2ir::passes
