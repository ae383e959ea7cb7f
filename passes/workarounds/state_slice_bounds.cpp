// Workaround for static_slice: if all sizes of a Slice are static, the CPU plugin expects constant bounds.
// OpenVINO infers a static size from computed bounds if the axis has one element and all of the possible
// starts select it, as in x[n::-1] for n >= 0. Here such bounds are constants.
#include <optional>

#include "ir/inference.hpp"
#include "ir/views/selection.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

/// The end of a Slice backwards of an axis of one element.
constexpr std::int64_t kBeforeOnlyElement = -2;

struct Bounds {
  ir::Integers starts;
  ir::Integers stops;
};

bool is_computed(ir::Value bound) {
  return bound.node->constant() == nullptr;
}

/// Constant bounds that select the same elements; no value if the elements are not known.
std::optional<Bounds> constant_bounds(ir::SliceView slice) {
  const ir::PartialShape& from = slice.data().shape();
  const ir::PartialShape& to = slice.output(0).shape;
  const auto axes = ir::exact_values(slice.axes());
  const auto steps = ir::exact_values(slice.step());
  const auto starts = ir::known_values(slice.start());
  const auto stops = ir::known_values(slice.stop());
  if (!axes || !steps || !starts || !stops) return std::nullopt;
  Bounds bounds;
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const std::size_t axis = ir::normalize_axis((*axes)[i], from.rank());
    if ((*starts)[i].is_exact() && (*stops)[i].is_exact()) {
      bounds.starts.push_back((*starts)[i].min);
      bounds.stops.push_back((*stops)[i].min);
    } else if (from[axis] == ir::Dimension(1) && to[axis] == ir::Dimension(1)) {
      bounds.starts.push_back(0);
      bounds.stops.push_back((*steps)[i] > 0 ? 1 : kBeforeOnlyElement);
    } else {
      return std::nullopt;
    }
  }
  return bounds;
}

bool is_affected(ir::SliceView slice) {
  return slice.data().shape().is_static() && slice.output(0).shape.is_static() &&
         (is_computed(slice.start()) || is_computed(slice.stop())) && constant_bounds(slice);
}

void state_bounds(ir::Builder& builder, ir::Node& slice) {
  const Bounds bounds = *constant_bounds(slice);
  const ir::ElementType type = slice.input(ir::SliceView::Input::start).type();
  slice.set_input(ir::SliceView::Input::start, builder.integers(bounds.starts, type));
  slice.set_input(ir::SliceView::Input::stop, builder.integers(bounds.stops, type));
}

}  // namespace

Workaround state_slice_bounds() {
  return {.stage = Stage::imported,
          .summary = "Gives Slices of a static size constant bounds",
          .rows = {row<is_affected, state_bounds>(Fault::static_slice, {ops::Slice})}};
}

}  // namespace onnx2ir::passes
