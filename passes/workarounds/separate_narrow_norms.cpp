// Workaround for narrow_rms_normalization: the kernel of x / sqrt(mean(x^2) + e) * scale ends the process if
// it normalises fewer numbers than a vector register holds. An opaque copy of the squares keeps OpenVINO from
// using it.
#include "ir/views/elementwise.hpp"
#include "ir/views/groups.hpp"
#include "passes/analysis/axes.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

/// The numbers of type f32 in a register of 512 bits.
constexpr std::int64_t kVector = 16;

bool is_square(const ir::Node& node) {
  if (const auto power = ir::match<ir::PowerView>(node)) return ir::exact_number(power->exponent()) == 2.0;
  return node.is(ops::Multiply) && node.input(0) == node.input(1);
}

bool is_affected(ir::ReductionView mean) {
  const ir::PartialShape& shape = mean.data().shape();
  if (!shape.has_rank() || shape.rank() == 0 || !mean.keep_dims() || !is_square(*mean.data().node))
    return false;
  const std::size_t last = shape.rank() - 1;
  return sorted_axes(mean.axes(), shape.rank()) == ir::Integers{static_cast<std::int64_t>(last)} &&
         shape[last].min < kVector;
}

}  // namespace

Workaround separate_narrow_norms() {
  return {
      .stage = Stage::kernels,
      .summary = "Keeps the squares of RMS normalisations of few numbers apart from their mean",
      .rows = {row<is_affected, separate_from_input>(Fault::narrow_rms_normalization, {ops::ReduceMean})}};
}

}  // namespace onnx2ir::passes
