// Workarounds for values that the CPU plugin writes into the memory of another one: a part of a Concat into
// that of the result, a tensor with a Reshape into that of a model output, an Abs into that of its operand.
// If such a value is also transposed from channels last for a convolution, which needs no copy, the
// convolution reads other memory.
#include <algorithm>
#include <span>
#include <vector>

#include "ir/views/joining.hpp"
#include "ir/views/reshaping.hpp"
#include "ir/views/selection.hpp"
#include "ir/views/spatial.hpp"
#include "ir/views/unary.hpp"
#include "passes/analysis/axes.hpp"
#include "passes/analysis/fused_chain.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

/// The first readers: values with many readers cost no more than others.
std::span<const ir::Use> first_readers(const ir::Output& output) {
  constexpr std::size_t kMostReaders = 64;
  const std::span<const ir::Use> uses(output.uses.begin(), output.uses.end());
  return uses.first(std::min(uses.size(), kMostReaders));
}

/// Operations that the plugin computes with the channels last.
constexpr ir::OperationSet kWithChannels = {ops::Convolution,      ops::ConvolutionBackpropData,
                                            ops::GroupConvolution, ops::GroupConvolutionBackpropData,
                                            ops::Interpolate,      ops::MaxPool,
                                            ops::AvgPool};

/// Whether the last axis becomes axis 1.
bool moves_channels_first(ir::TransposeView transpose) {
  const auto order = ir::exact_values(transpose.order());
  if (!order || order->size() < 3) return false;
  for (std::size_t i = 0; i < order->size(); ++i) {
    const std::size_t source = i == 0 ? 0 : i == 1 ? order->size() - 1 : i - 1;
    if ((*order)[i] != static_cast<std::int64_t>(source)) return false;
  }
  return true;
}

/// Whether a part is a whole range of the memory of the result.
bool joins_ranges(ir::ConcatView concat) {
  const ir::PartialShape& shape = concat.output(0).shape;
  if (!shape.has_rank()) return true;
  return std::ranges::all_of(shape.dimensions().first(joined_axis(concat)),
                             [](const ir::Dimension& size) { return size == ir::Dimension(1); });
}

/// Whether a Concat reads the output, or a Reshape of it.
bool is_joined(const ir::Output& output) {
  return std::ranges::any_of(first_readers(output), [](const ir::Use& use) {
    if (const auto concat = ir::match<ir::ConcatView>(*use.node)) return joins_ranges(*concat);
    return use.node->op().traits.reshapes && use.index == 0 &&
           std::ranges::any_of(use.node->output(0).uses, [](const ir::Use& reshaped) {
             const auto concat = ir::match<ir::ConcatView>(*reshaped.node);
             return concat && joins_ranges(*concat);
           });
  });
}

/// Whether a model output is a Reshape of `output`, possibly of several ones; `transpose` is not counted.
bool is_reshaped_result(const ir::Output& output, const ir::Node& transpose) {
  constexpr std::size_t kMostReshapes = 16;
  std::vector<const ir::Output*> values = {&output};
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (const ir::Use& use : first_readers(*values[i])) {
      if (i > 0 && use.node->is(ops::Result)) return true;
      if (use.node == &transpose) continue;
      const auto moved = ir::match<ir::TransposeView>(*use.node);
      // OpenVINO replaces a Transpose that moves only axes of size 1 by a Reshape.
      const bool is_reshape = moved ? moves_only_unit_axes(*moved) : use.node->op().traits.reshapes;
      if (is_reshape && use.index == 0 && values.size() <= kMostReshapes)
        values.push_back(&use.node->output(0));
    }
  }
  return false;
}

/// Whether `transpose` gives channels to an operation that may read them where `data` has them.
bool gives_channels(ir::TransposeView transpose) {
  if (!transpose.output(0).shape.is_static() || !moves_channels_first(transpose)) return false;
  return is_read_by(transpose, kWithChannels);
}

/// Fault::transposed_concat_part.
bool transposes_part(ir::TransposeView transpose) {
  return gives_channels(transpose) && is_joined(transpose.data().output());
}

/// Fault::transposed_model_output.
bool transposes_result(ir::TransposeView transpose) {
  return gives_channels(transpose) && !transpose.data().node->is_one_of({ops::Const, ops::Parameter}) &&
         is_reshaped_result(transpose.data().output(), transpose.node());
}

/// Fault::convolved_concat_part: a Concat joins the data of a Convolution of one channel and what an
/// elementwise operation has computed them from.
bool convolves_part(ir::ConvolutionView convolution) {
  const ir::Output& data = convolution.data().output();
  const ir::PartialShape& shape = data.shape;
  const ir::Node& source = *convolution.data().node;
  if (!shape.has_rank() || shape[1] != ir::Dimension(1) || !is_elementwise(source)) return false;
  const ir::Value operand = variable_operand(source);
  const auto joins_operand = [&](const ir::Use& use) {
    constexpr std::size_t kMostParts = 64;
    const ir::Node& concat = *use.node;
    return concat.is(ops::Concat) && concat.inputs().size() <= kMostParts &&
           std::ranges::find(concat.inputs(), operand) != concat.inputs().end();
  };
  return operand && std::ranges::any_of(first_readers(data), joins_operand);
}

bool is_shared_concatenation(ir::Value value) {
  if (!value.shape().has_rank(1)) return false;
  bool is_shared = false;
  while (true) {
    is_shared = is_shared || value.node->output(value.index).uses.size() > 1;
    const auto identity = ir::match<ir::IdentityView>(value);
    if (!identity) break;
    value = identity->data();
  }
  return is_shared && value.node->is(ops::Concat);
}

/// Fault::abs_in_place. The CPU plugin computes Abs of a concatenated vector in place even if the vector has
/// other uses, which then read the absolute values (other ranks and other operations are computed correctly).
bool reads_shared_concatenation(ir::AbsView abs) {
  return is_shared_concatenation(abs.data());
}

ir::Value negate_below_zero(ir::Builder& builder, ir::AbsView abs) {
  const ir::Value value = abs.data();
  return builder.op(ops::Maximum,
                    {value, builder.op(ops::Multiply, {value, builder.number_like(-1, value)})});
}

}  // namespace

Workaround separate_shared_memory() {
  return {
      .stage = Stage::kernels,
      .summary =
          "Keeps operations apart that would read memory into which the CPU plugin has written another value",
      .rows = {
          row<reads_shared_concatenation, negate_below_zero>(Fault::abs_in_place, {ops::Abs}),
          row<convolves_part, separate_from_input>(Fault::convolved_concat_part, {ops::Convolution}),
          row<transposes_part, separate_from_input>(Fault::transposed_concat_part, {ops::Transpose}),
          row<transposes_result, separate_from_input>(Fault::transposed_model_output, {ops::Transpose})}};
}

}  // namespace onnx2ir::passes
