// Workaround for scaled_group_filters: OpenVINO moves a constant factor after a GroupConvolution into its
// filters. If a Reshape gives the filters their groups, OpenVINO changes the input of the Reshape, although
// other operations read it, too. Here each GroupConvolution gets a Reshape of its own. They differ in the
// sizes that they state, because OpenVINO merges equal ones. The factor after a Convolution with dequantised
// filters that others read is kept apart from it: scaled_shared_filters.
#include <algorithm>
#include <vector>

#include "ir/views/groups.hpp"
#include "ir/views/reshaping.hpp"
#include "ir/views/spatial.hpp"
#include "passes/analysis/fused_chain.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/support/run_time_values.hpp"
#include "passes/workarounds/separation.hpp"

namespace onnx2ir::passes {
namespace {

/// The Reshapes of `filters`, by the shapes that they state.
std::vector<ir::Integers> stated_shapes(ir::Value filters) {
  std::vector<ir::Integers> shapes;
  for (const ir::Use& use : filters.output().uses) {
    const auto reshape = ir::match<ir::ReshapeView>(*use.node);
    if (!reshape || use.index != ir::ReshapeView::Input::data) continue;
    if (const auto shape = ir::exact_values(reshape->shape())) shapes.push_back(*shape);
  }
  return shapes;
}

/// The sizes with -1 for one of them, as no other Reshape of `filters` states them; empty if all are taken.
ir::Integers unused_shape(ir::Value filters, const ir::Integers& sizes) {
  const std::vector<ir::Integers> taken = stated_shapes(filters);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    ir::Integers shape = sizes;
    shape[i] = -1;
    if (std::ranges::find(taken, shape) == taken.end()) return shape;
  }
  return {};
}

bool shares_filters(ir::GroupConvolutionView convolution) {
  const ir::Value grouped = convolution.filters();
  if (!grouped.node->is(ops::Reshape) || grouped.output().uses.size() < 2 ||
      ir::is_computed_from_constants(grouped))
    return false;
  const auto sizes = grouped.shape().sizes();
  return sizes && std::ranges::find(*sizes, 0) == sizes->end();
}

void separate(ir::Builder&, ir::Node& convolution) {
  const ir::Value grouped = ir::GroupConvolutionView(convolution).filters();
  const ir::ReshapeView reshape = *grouped.node;
  ir::Builder builder = ir::builder_beside(reshape);
  const ir::Integers shape = unused_shape(reshape.data(), *grouped.shape().sizes());
  convolution.set_input(ir::GroupConvolutionView::Input::filters,
                        shape.empty() ? copy_opaquely(builder, grouped)
                                      : builder.op(ops::Reshape, {reshape.data(), builder.integers(shape)},
                                                   {{"special_zero", false}}));
}

/// Fault::scaled_shared_filters: a factor, possibly after sums.
bool precedes_factor(ir::AnyConvolutionView convolution) {
  ir::Value filters = convolution.filters();
  if (const auto reshape = ir::match<ir::ReshapeView>(filters)) filters = reshape->data();
  if (!filters.node->is(ops::Multiply) || filters.output().uses.size() < 2) return false;
  for (const ir::Node* reader : chain_after(convolution)) {
    // OpenVINO makes a factor of -1 of what changes signs.
    if (scaled_operand(*reader) || may_change_signs(*reader)) return true;
    if (!reader->is_one_of(kSums)) return false;
  }
  return false;
}

}  // namespace

Workaround separate_group_filters() {
  return {.stage = Stage::kernels,
          .summary = "Keeps factors after a convolution out of filters that others read",
          .rows = {row<shares_filters, separate>(Fault::scaled_group_filters, {ops::GroupConvolution}),
                   separating_row<precedes_factor>(Fault::scaled_shared_filters, kConvolutions)}};
}

}  // namespace onnx2ir::passes
