// Workarounds for wrong fusions of convolutions with the operations before and after them. In most cases an
// opaque copy of a result separates the operation from those that read it.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "ir/inference.hpp"
#include "ir/size_rules.hpp"
#include "ir/views/groups.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/reshaping.hpp"
#include "ir/views/selection.hpp"
#include "ir/views/spatial.hpp"
#include "ir/views/unary.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether the value is a convolution, possibly with arithmetic with constants.
bool is_convolved(ir::Value value) {
  constexpr int kMostNodes = 4;
  const auto source = [](const ir::Node& node) {
    return node.op().traits.is_arithmetic ? variable_operand(node) : ir::Value{};
  };
  return find_before(*value.node, kConvolutions, source, kMostNodes) != nullptr;
}

/// Whether an activation is not monotone: the maximum of its results is not the result of the maximum.
bool is_not_monotone(const ir::Node& node) {
  return node.is_one_of({ops::Abs, ops::Gelu, ops::Swish, ops::HSwish, ops::Mish, ops::PReLU}) ||
         (node.is(ops::Elu) && ir::EluView(node).alpha() < 0);
}

/// Fault::activation_before_pool. OpenVINO may fuse operations that read the pool twice, such as x *
/// Sigmoid(x).
bool precedes_activation(ir::MaxPoolView pool) {
  if (!is_convolved(pool.data())) return false;
  const auto& uses = pool.output(0).uses;
  if (uses.size() > 1) {
    return std::ranges::all_of(uses, [](const ir::Use& use) { return is_elementwise(*use.node); });
  }
  return std::ranges::any_of(chain_after(pool),
                             [](const ir::Node* reader) { return is_not_monotone(*reader); });
}

/// Whether a sum of dynamic shape may have another shape than its operands.
bool may_broadcast(ir::Value left, ir::Value right) {
  const ir::PartialShape& a = left.shape();
  const ir::PartialShape& b = right.shape();
  if (!a.has_rank() || !b.has_rank() || (a.is_static() && b.is_static())) return false;
  if (a.rank() != b.rank()) return true;
  for (std::size_t axis = 0; axis < a.rank(); ++axis) {
    if (a[axis].is_static() || b[axis].is_static()) {
      if (a[axis] != b[axis]) return true;
    } else if ((a[axis].admits(1) || b[axis].admits(1)) && !ir::have_equal_sizes(left, axis, right, axis)) {
      return true;
    }
  }
  return false;
}

/// Fault::convolution_sum_shape.
bool precedes_broadcast_sum(const ir::Node& node) {
  const std::vector<const ir::Node*> chain = chain_after(node);
  const auto is_sum = [](const ir::Node* reader) {
    return reader->is(ops::Add) && !constant_operand(*reader);
  };
  const auto sum = std::ranges::find_if(chain, is_sum);
  return sum != chain.end() && may_broadcast((*sum)->input(0), (*sum)->input(1));
}

/// Fault::channels_from_factor.
bool makes_channels(const ir::Node& node) {
  const ir::Value constant = constant_operand(node);
  const ir::Node* const reader = only_reader(node);
  if (!constant || reader == nullptr || !reader->is_one_of(kProducts)) return false;
  if (reader->is(ops::MatMul) || reader->input(0).node != &node) return false;
  const ir::PartialShape& data = variable_operand(node).shape();
  const ir::PartialShape& result = node.output(0).shape;
  if (!data.has_rank() || !result.has_rank() || data.rank() < 2) return true;
  return data.rank() != result.rank() || result[1] != data[1];
}

/// Fault::factor_along_kernel.
bool scales_along_kernel(const ir::Node& node) {
  const ir::Value constant = constant_operand(node);
  const ir::Node* const reader = only_reader(node);
  const ir::PartialShape& shape = node.output(0).shape;
  if (!constant || reader == nullptr || !shape.has_rank()) return false;
  if (!reader->is_one_of(kConvolutions)) return false;
  const std::vector<std::size_t> axes = axes_of(constant, shape.rank());
  return !axes.empty() && axes.back() > 1;
}

/// Whether the Concat joins one Convolution of each part of the Split along the channels.
bool joins_all_parts(ir::ConcatView concat, ir::AnySplitView split) {
  const auto parts = concat.parts();
  if (joined_axis(concat) != 1 || parts.size() != split.node().outputs().size()) return false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto convolution = ir::match<ir::ConvolutionView>(parts[i]);
    if (!convolution || convolution->data().node != &split.node() || convolution->data().index != i)
      return false;
  }
  return true;
}

/// Fault::split_convolution_concat.
bool is_joined_with_others(ir::ConvolutionView convolution) {
  const auto split = ir::match<ir::AnySplitView>(convolution.data());
  if (!split) return false;
  if (split->data().node->outputs().size() > 1) return true;
  return std::ranges::any_of(convolution.output(0).uses, [&](const ir::Use& use) {
    const auto concat = ir::match<ir::ConcatView>(*use.node);
    return concat && !joins_all_parts(*concat, *split);
  });
}

/// The constant shape operands of the Reshapes of `filters`.
std::vector<ir::Integers> reshape_patterns(ir::Value filters) {
  std::vector<ir::Integers> shapes;
  for (const ir::Use& use : filters.output().uses) {
    const auto reshape = ir::match<ir::ReshapeView>(*use.node);
    if (!reshape || use.index != ir::ReshapeView::Input::data) continue;
    if (const auto shape = ir::exact_values(reshape->shape())) shapes.push_back(*shape);
  }
  return shapes;
}

/// The sizes with -1 for one of them, so that no other Reshape of `filters` has this shape operand; empty if
/// all are taken.
ir::Integers unused_shape(ir::Value filters, const ir::Integers& sizes) {
  const std::vector<ir::Integers> taken = reshape_patterns(filters);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    ir::Integers shape = sizes;
    shape[i] = -1;
    if (std::ranges::find(taken, shape) == taken.end()) return shape;
  }
  return {};
}

/// Fault::scaled_group_filters. OpenVINO moves a constant factor after a GroupConvolution into its filters.
/// If a Reshape gives the filters their groups, OpenVINO changes the input of the Reshape, although other
/// operations read it, too.
bool shares_filters(ir::GroupConvolutionView convolution) {
  const ir::Value grouped = convolution.filters();
  if (!grouped.node->is(ops::Reshape) || grouped.output().uses.size() < 2 ||
      ir::is_computed_from_constants(grouped))
    return false;
  const auto sizes = grouped.shape().sizes();
  return sizes && std::ranges::find(*sizes, 0) == sizes->end();
}

/// Gives the GroupConvolution a Reshape of its own. The Reshapes differ in their shape operands, because
/// OpenVINO merges equal ones.
void reshape_own_filters(ir::Builder&, ir::Node& convolution) {
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

/// The rank of the smallest image, [batch, channels, size].
constexpr std::size_t kImageRank = 3;

/// Whether `order` is a permutation and not its own inverse.
bool is_misread_order(const std::vector<std::size_t>& order) {
  std::vector<bool> is_there(order.size());
  for (const std::size_t place : order) is_there[place] = true;
  if (std::ranges::find(is_there, false) != is_there.end()) return false;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[order[i]] != i) return true;
  }
  return false;
}

/// Fault::permuted_channels. OpenVINO permutes the filters of a convolution instead of its channels, but in
/// the inverse order. It also looks for the permutation before elementwise operations.
bool permutes_channels(ir::GatherView gather) {
  const auto axis = ir::exact_values(gather.axis());
  const ir::PartialShape& data = gather.data().shape();
  const auto count = gather.indices().shape().element_count();
  if (!axis || axis->size() != 1 || !data.has_rank() || data.rank() < kImageRank ||
      gather.batch_dims() != 0 || !gather.indices().shape().has_rank(1) || !count ||
      !data[ir::normalize_axis(axis->front(), data.rank())].admits(*count))
    return false;
  const auto indices = ir::exact_values(gather.indices());
  if (!indices) return false;
  std::vector<std::size_t> order;
  for (const std::int64_t index : *indices) {
    const auto place = ir::position_in(index, indices->size());
    if (!place) return false;
    order.push_back(*place);
  }
  return is_misread_order(order);
}

/// OpenVINO does not recognise indices of two dimensions.
ir::Value gather_by_table(ir::Builder& builder, ir::GatherView gather) {
  const ir::Value table = ir::unsqueeze(builder, gather.indices(), {0});
  const ir::Value rows = ir::clone_with_input(builder, gather, ir::GatherView::Input::indices, table);
  const std::size_t rank = gather.data().shape().rank();
  const std::size_t axis = ir::normalize_axis(ir::exact_values(gather.axis())->front(), rank);
  return ir::squeeze(builder, rows, {static_cast<std::int64_t>(axis)});
}

/// Fault::permuted_channels: a Split whose parts are joined in another order.
bool has_permuted_parts(ir::SplitView split) {
  const ir::Node& node = split;
  const auto axis = ir::exact_values(split.axis());
  const ir::PartialShape& data = split.data().shape();
  if (node.output(0).uses.empty() || !axis || axis->size() != 1 || !data.has_rank() ||
      data.rank() < kImageRank)
    return false;
  const ir::Node& reader = *node.output(0).uses[0].node;
  if (!data[ir::normalize_axis(axis->front(), data.rank())].is_static() || !reader.is(ops::Concat) ||
      reader.inputs().size() != node.outputs().size())
    return false;
  std::vector<std::size_t> order;
  for (const ir::Value part : reader.inputs()) {
    if (part.node != &node) return false;
    order.push_back(part.index);
  }
  return is_misread_order(order);
}

/// OpenVINO does not recognise a VariadicSplit.
void split_by_lengths(ir::Builder& builder, ir::Node& node) {
  const ir::SplitView split = node;
  const ir::PartialShape& data = split.data().shape();
  const std::int64_t size =
      data[ir::normalize_axis(ir::exact_values(split.axis())->front(), data.rank())].size();
  const std::size_t count = node.outputs().size();
  const ir::Value lengths =
      builder.integers(std::vector<std::int64_t>(count, size / static_cast<std::int64_t>(count)));
  ir::Node& parts = builder.node(ops::VariadicSplit, {split.data(), split.axis(), lengths}, {}, count);
  ir::replace_all_uses(node, parts.values());
}

}  // namespace

Workaround separate_fused_convolutions() {
  return {
      .summary = "Keeps operations apart from convolutions that OpenVINO would fuse wrongly",
      .stages = {
          {Stage::kernels,
           {separating_row<precedes_activation>(Fault::activation_before_pool, {ops::MaxPool}),
            separating_row<makes_channels>(Fault::channels_from_factor, kFactors),
            separating_row<precedes_broadcast_sum>(Fault::convolution_sum_shape, kConvolutions),
            separating_row<scales_along_kernel>(Fault::factor_along_kernel, kFactors),
            row<permutes_channels, gather_by_table>(Fault::permuted_channels, {ops::Gather}, kConvolutions),
            row<has_permuted_parts, split_by_lengths>(Fault::permuted_channels, {ops::Split}, kConvolutions),
            row<shares_filters, reshape_own_filters>(Fault::scaled_group_filters, {ops::GroupConvolution}),
            separating_row<precedes_factor>(Fault::scaled_shared_filters, kConvolutions),
            separating_row<is_joined_with_others>(Fault::split_convolution_concat, {ops::Convolution})}}}};
}

}  // namespace onnx2ir::passes
