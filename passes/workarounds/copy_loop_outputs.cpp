// Workaround for stale_loop_outputs: the CPU plugin describes the memory of outputs of a Loop anew in each
// run. Primitives of oneDNN keep the old description if the shape is the same as before, and so an address
// that is out of date when the memory has been moved for larger values. Among these primitives are the
// conversions of layout and precision that the plugin inserts before any operation. Here operations read a
// copy of the output: a VariadicSplit, whose kernel takes the address in each run, has one layout and is not
// fused with its readers. Its mark keeps the conversion to bf16 behind it. A VariadicSplit or Slice that
// reads the output needs the mark only.
#include <algorithm>
#include <vector>

#include "passes/legality/all_workarounds.hpp"
#include "passes/support/choose_boolean.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether the use takes parts of the output, as guard_zero_iterations does.
bool takes_parts(const ir::Use& use) {
  return use.index == 0 && use.node->is_one_of({ops::VariadicSplit, ops::Slice});
}

/// Whether the use reads the address of the output in each run, or only its shape.
bool is_safe(const ir::Use& use) {
  return use.node->is_one_of({ops::Result, ops::ShapeOf}) ||
         (takes_parts(use) && use.node->marks.contains(ir::Mark::precise));
}

bool may_be_stale(const ir::Output& output) {
  return !output.shape.is_static() && can_be_selected(output.type) &&
         !std::ranges::all_of(output.uses, is_safe);
}

bool is_affected(const ir::Node& loop) {
  return std::ranges::any_of(loop.outputs(), may_be_stale);
}

/// The first of two parts; the other one has no elements.
ir::Value copy_by_split(ir::Builder& builder, ir::Value value) {
  return builder.node(ops::VariadicSplit, {value, builder.integer(0), builder.integers({-1, 0})}, {}, 2)
      .value(0);
}

void copy_outputs(ir::Builder& builder, ir::Node& loop) {
  for (std::size_t i = 0; i < loop.outputs().size(); ++i) {
    const ir::Value output = loop.value(i);
    if (!may_be_stale(output.output())) continue;
    std::vector<ir::Use> readers;
    for (const ir::Use& use : output.output().uses) {
      if (takes_parts(use)) use.node->marks.add(ir::Mark::precise);
      if (!is_safe(use)) readers.push_back(use);
    }
    if (readers.empty()) continue;
    const ir::Value copy = copy_by_split(builder, output);
    copy.node->marks.add(ir::Mark::precise);
    for (const ir::Use& reader : readers) reader.node->set_input(reader.index, copy);
  }
}

}  // namespace

Workaround copy_loop_outputs() {
  return {.stage = Stage::kernels,
          .summary = "Copies outputs of Loops of a dynamic size for operations that keep addresses",
          .rows = {row<is_affected, copy_outputs>(Fault::stale_loop_outputs, {ops::Loop})}};
}

}  // namespace onnx2ir::passes
