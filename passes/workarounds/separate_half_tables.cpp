// Workaround for shared_half_table: If a Gather reads an f16 constant through a Convert to f32, OpenVINO
// changes the constant to f32, but not the other operations that read it. Here the Convert reads a copy of
// the constant, which shares its bytes.
#include <algorithm>
#include <optional>

#include "ir/views/selection.hpp"
#include "ir/views/unary.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

/// The Convert from f16 to f32 that the Gather reads, if its input is a constant. Otherwise no value.
std::optional<ir::ConvertView> widened_table(ir::GatherView gather) {
  const auto convert = ir::match<ir::ConvertView>(gather.data());
  const bool is_table = convert && convert->data().node->constant() != nullptr &&
                        convert->data().type() == ir::ElementType::f16 &&
                        convert->output(0).type == ir::ElementType::f32;
  return is_table ? convert : std::nullopt;
}

bool reads_shared_table(ir::GatherView gather) {
  const auto table = widened_table(gather);
  return table && std::ranges::any_of(table->data().output().uses,
                                      [](const ir::Use& use) { return !use.node->is(ops::Convert); });
}

void separate(ir::Builder& builder, ir::Node& gather) {
  const ir::ConvertView convert = *widened_table(gather);
  const ir::Value own = builder.clone(*convert.data().node).value();
  gather.set_input(ir::GatherView::Input::data, ir::clone_with_input(builder, convert, 0, own));
}

}  // namespace

Workaround separate_half_tables() {
  return {.stage = Stage::kernels,
          .summary = "Gives Gathers from a constant of f16 in f32 a constant of their own",
          .rows = {row<reads_shared_table, separate>(Fault::shared_half_table, {ops::Gather})}};
}

}  // namespace onnx2ir::passes
