// Workaround for skipped_gather: OpenVINO removes a Gather of the only element of the first axis before a
// Transpose and a Reshape, and gives the Transpose one more dimension, although it may have other uses. Here
// a Squeeze takes the place of the Gather; OpenVINO leaves it.
#include "ir/views/reshaping.hpp"
#include "ir/views/selection.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

bool takes_only_element(ir::GatherView gather) {
  const ir::PartialShape& shape = gather.data().shape();
  if (!shape.has_rank() || shape.rank() == 0 || shape[0] != ir::Dimension(1)) return false;
  return gather.indices().shape().is_scalar() && ir::known_scalar(gather.indices()) == 0 &&
         ir::known_scalar(gather.axis()) == 0;
}

bool is_affected(ir::TransposeView transpose) {
  const auto gather = ir::match<ir::GatherView>(transpose.data());
  return gather && transpose.output(0).uses.size() > 1 && takes_only_element(*gather) &&
         gather->data().type() != ir::ElementType::string;
}

ir::Value squeeze_gather(ir::Builder& builder, ir::TransposeView transpose) {
  const ir::GatherView gather = *transpose.data().node;
  const ir::Value only = builder.op(ops::Squeeze, {gather.data(), builder.integers({0})});
  return builder.op(ops::Transpose, {only, transpose.order()});
}

}  // namespace

Workaround squeeze_unit_gathers() {
  return {.stage = Stage::kernels,
          .summary = "Replaces the Gather of an only element before a shared Transpose by a Squeeze",
          .rows = {row<is_affected, squeeze_gather>(Fault::skipped_gather, {ops::Transpose})}};
}

}  // namespace onnx2ir::passes
