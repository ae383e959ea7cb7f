// Workaround for pads_of_open_count: OpenVINO cannot read a Pad whose lists of pads have a dynamic length.
// Here they get the length that they must have: the rank of the data.
#include "ir/views/joining.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

bool is_affected(ir::PadView pad) {
  return pad.data().shape().has_rank() &&
         (!pad.begins().shape().is_static() || !pad.ends().shape().is_static());
}

void set_lengths(ir::Builder& builder, ir::Node& node) {
  const auto rank = static_cast<std::int64_t>(ir::PadView(node).data().shape().rank());
  for (const std::uint32_t input : {ir::PadView::Input::begins, ir::PadView::Input::ends})
    node.set_input(input, ir::reshape(builder, node.input(input), builder.integers({rank})));
}

}  // namespace

Workaround count_pads() {
  return {.stage = Stage::operations,
          .summary = "Gives the lists of pads their length",
          .rows = {row<is_affected, set_lengths>(Fault::pads_of_open_count, {ops::Pad})}};
}

}  // namespace onnx2ir::passes
