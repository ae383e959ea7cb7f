// Stacks the rows of a loop along their first axis, and transposes the stack, if an axis before the one of
// the stack may have the size 0. The CPU plugin divides by the number of elements of these axes, which ends
// the process (empty_stacked_rows).
#include <algorithm>
#include <cstdint>

#include "ir/inference.hpp"
#include "ir/shape_tools.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// The axis along which the rows of `scan` are stacked if an axis before it may be empty, otherwise 0.
std::int64_t axis_after_empty_one(const ir::Scan& scan) {
  const ir::PartialShape& row = scan.result->output(0).shape;
  if (!row.has_rank()) return 0;
  const auto axis = static_cast<std::int64_t>(ir::normalize_axis(scan.axis, row.rank()));
  const bool may_be_empty =
      std::any_of(row.begin(), row.begin() + axis, [](const ir::Dimension& size) { return size.admits(0); });
  return may_be_empty ? axis : 0;
}

bool stack_first(ir::LoopView loop, ir::Scan& scan) {
  const std::int64_t axis = axis_after_empty_one(scan);
  if (axis == 0) return false;
  ir::Builder inside(*loop.body().graph);
  scan.result->set_input(0, ir::move_axis(inside, scan.result->input(0), axis, 0));
  ir::infer(*scan.result);
  scan.axis = 0;
  ir::infer(loop.node());
  const ir::Value stack = loop.output(scan);
  ir::Builder outside = ir::builder_beside(loop.node());
  const ir::Value moved = ir::move_axis(outside, stack, 0, axis);
  ir::replace_uses_except(stack, moved, *moved.node);
  return true;
}

}  // namespace

bool stack_empty_rows_first(ir::Model& model, PassContext&) {
  return edit_each(loops_of(model), [](ir::LoopView loop) {
    bool modified = false;
    for (ir::Scan& scan : loop.scans()) modified = stack_first(loop, scan) || modified;
    return modified;
  });
}

}  // namespace onnx2ir::passes
