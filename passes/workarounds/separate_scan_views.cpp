// Workaround for scan_output_views: if two views of a scan output of dynamic size have other readers, the CPU
// plugin copies the scan output for one of them, and that copy reads the memory of an earlier inference when
// later inputs are larger. Here all views but the first read a copy of the scan output.
#include <algorithm>

#include "ir/body.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

/// The operations whose result the CPU plugin keeps in the memory of input 0. A Transpose moves no elements
/// if it moves axes of size 1 only.
constexpr ir::OperationSet kViews = {ops::Reshape, ops::Squeeze, ops::Unsqueeze, ops::Transpose};

bool is_dynamic_scan(ir::Value value) {
  const ir::LoopBody* loop = value.node->loop();
  return loop != nullptr && !value.shape().is_static() &&
         std::ranges::find(loop->scans, value.index, &ir::Scan::output) != loop->scans.end();
}

/// Whether `view` is the first view among the uses of its input. Only looks at some of them: it is no fault
/// to copy for the first view, too.
bool is_first_view(const ir::Node& view) {
  constexpr std::size_t kMostUses = 64;
  const auto& uses = view.input(0).output().uses;
  for (std::size_t i = 0; i < std::min(uses.size(), kMostUses); ++i)
    if (uses[i].index == 0 && uses[i].node->is_one_of(kViews)) return uses[i].node == &view;
  return false;
}

bool is_later_view(const ir::Node& view) {
  return is_dynamic_scan(view.input(0)) && !is_first_view(view);
}

}  // namespace

Workaround separate_scan_views() {
  return {.stage = Stage::kernels,
          .summary = "Gives each view of a scan output but one a copy of it",
          .rows = {row<is_later_view, separate_from_input>(Fault::scan_output_views, kViews)}};
}

}  // namespace onnx2ir::passes
