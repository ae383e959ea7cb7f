// Workaround for stale_loop_outputs: the CPU plugin describes the memory of outputs of a Loop anew in each
// run. Primitives of oneDNN keep the old description if the shape is the same as before, and so an address
// that is out of date when the memory has been moved for larger values. Among these primitives are the
// conversions of layout and precision that the plugin inserts before any operation. Here operations read a
// copy of the output: a VariadicSplit, whose kernel takes the address in each run, has one layout and is not
// fused with its readers. Its mark keeps the conversion to bf16 behind it. A reader is safe if it is a Result
// or ShapeOf, or if it is marked and a Split, Slice or Tile whose extent is computed, as the guards of
// guard_zero_iterations are: one of constant extent may be replaced by operations without the mark.
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "ir/inference.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/selection.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

constexpr std::array<std::int64_t, 2> kAllAndNone = {-1, 0};

/// How much of the output `use` takes, or how often; null if it is no Split, Slice or Tile.
ir::Value extent_of(const ir::Use& use) {
  if (use.index != 0) return {};
  if (const auto split = ir::match<ir::VariadicSplitView>(*use.node)) return split->lengths();
  if (const auto slice = ir::match<ir::SliceView>(*use.node)) return slice->stop();
  const auto tile = ir::match<ir::TileView>(*use.node);
  return tile ? tile->repeats() : ir::Value{};
}

/// Whether the use reads the address in each run: a copy of copy_outputs(), or a part of computed extent.
bool reads_address(const ir::Use& use) {
  const ir::Value extent = extent_of(use);
  if (!extent) return false;
  if (const auto known = ir::exact_values(extent))
    return use.node->is(ops::VariadicSplit) && std::ranges::equal(*known, kAllAndNone);
  return !ir::is_computed_from_constants(extent);
}

/// Whether the plugin may convert the elements to bf16 for `node` unless it is marked.
bool may_be_converted(const ir::Node& node) {
  return ir::is_floating(node.output(0).type) && !node.marks.contains(ir::Mark::precise);
}

/// Whether the use reads the address of the output in each run, without a conversion before it, or only the
/// shape.
bool is_safe(const ir::Use& use) {
  return use.node->is_one_of({ops::Result, ops::ShapeOf}) ||
         (reads_address(use) && !may_be_converted(*use.node));
}

bool may_be_stale(const ir::Output& output) {
  return !output.shape.is_static() && output.shape.has_rank() && output.type != ir::ElementType::string &&
         !std::ranges::all_of(output.uses, is_safe);
}

void keep_precision(ir::Node& node) {
  if (ir::is_floating(node.output(0).type)) node.marks.add(ir::Mark::precise);
}

bool is_affected(const ir::Node& loop) {
  return std::ranges::any_of(loop.outputs(), may_be_stale);
}

/// The first of two parts; the other one has no elements.
ir::Value copy_by_split(ir::Builder& builder, ir::Value value) {
  return builder.node(ops::VariadicSplit, {value, builder.integer(0), builder.integers(kAllAndNone)}, {}, 2)
      .value(0);
}

void copy_outputs(ir::Builder& builder, ir::Node& loop) {
  for (std::size_t i = 0; i < loop.outputs().size(); ++i) {
    const ir::Value output = loop.value(i);
    if (!may_be_stale(output.output())) continue;
    std::vector<ir::Use> readers;
    for (const ir::Use& use : output.output().uses) {
      if (reads_address(use)) keep_precision(*use.node);
      if (!is_safe(use)) readers.push_back(use);
    }
    if (readers.empty()) continue;
    const ir::Value copy = copy_by_split(builder, output);
    keep_precision(*copy.node);
    ir::move_uses(readers, output, copy);
  }
}

}  // namespace

Workaround copy_loop_outputs() {
  return {.stage = Stage::kernels,
          .summary = "Copies outputs of Loops of a dynamic size for operations that keep addresses",
          .rows = {row<is_affected, copy_outputs>(Fault::stale_loop_outputs, {ops::Loop})}};
}

}  // namespace onnx2ir::passes
