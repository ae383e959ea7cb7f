// Workaround for scaled_group_filters: OpenVINO moves a constant factor after a GroupConvolution into its
// filters. If a Reshape gives the filters their groups, OpenVINO changes the input of the Reshape, although
// other operations read it, too. Here each GroupConvolution gets a Reshape of its own. They differ in the
// sizes that they state, because OpenVINO merges equal ones.
#include <algorithm>
#include <vector>

#include "passes/constant_values.hpp"
#include "passes/graph_walk.hpp"
#include "passes/passes.hpp"
#include "passes/run_time_values.hpp"

namespace onnx2ir::passes {
namespace {

using Sizes = std::vector<std::int64_t>;

/// The Reshapes of `filters`, by the shapes that they state.
std::vector<Sizes> stated_shapes(ir::Value filters) {
  std::vector<Sizes> shapes;
  for (const ir::Use& use : filters.output().uses) {
    if (!use.node->is(ops::Reshape) || use.index != 0) continue;
    if (const auto shape = ir::exact_values(use.node->input(1))) shapes.push_back(*shape);
  }
  return shapes;
}

/// The sizes with -1 for one of them, as no other Reshape of `filters` states them; empty if all are taken.
Sizes unused_shape(ir::Value filters, const Sizes& sizes) {
  const std::vector<Sizes> taken = stated_shapes(filters);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    Sizes shape = sizes;
    shape[i] = -1;
    if (std::ranges::find(taken, shape) == taken.end()) return shape;
  }
  return {};
}

bool separate(ir::Builder& builder, ir::Node& convolution) {
  const ir::Value grouped = convolution.input(1);
  const ir::Node& reshape = *grouped.node;
  if (!reshape.is(ops::Reshape) || grouped.output().uses.size() < 2 || is_folded(grouped)) return false;
  const auto sizes = grouped.shape().sizes();
  if (!sizes || std::ranges::find(*sizes, 0) != sizes->end()) return false;
  builder.set_name(reshape.name);
  const Sizes shape = unused_shape(reshape.input(0), *sizes);
  convolution.set_input(1, shape.empty()
                               ? opaque_copy(builder, grouped)
                               : builder.op(ops::Reshape, {reshape.input(0), builder.integers(shape)},
                                            {{"special_zero", false}}));
  return true;
}

}  // namespace

bool separate_group_filters(ir::Model& model, PassContext&) {
  bool modified = false;
  for (ir::Graph* graph : graphs_of(model)) {
    if (!graph->may_hold({ops::GroupConvolution})) continue;
    ir::Builder builder(*graph);
    const std::size_t count = graph->nodes().size();
    for (std::size_t i = 0; i < count; ++i) {
      ir::Node& node = *graph->nodes()[i];
      if (node.is(ops::GroupConvolution)) modified = separate(builder, node) || modified;
    }
  }
  return modified;
}

}  // namespace onnx2ir::passes
