// Workarounds for memory that the CPU plugin shares between values, or describes anew in each run. It writes
// a part of a Concat into the memory of the result, and the data of a Reshape into that of a model output. A
// Transpose of such a value for a convolution needs no copy; the convolution then reads the wrong memory.
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ir/views/joining.hpp"
#include "ir/views/reshaping.hpp"
#include "ir/views/selection.hpp"
#include "ir/views/spatial.hpp"
#include "ir/views/unary.hpp"
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
  const auto is_part = [](const ir::Use& use) {
    const auto concat = ir::match<ir::ConcatView>(*use.node);
    return concat && joins_ranges(*concat);
  };
  return std::ranges::any_of(first_readers(output), [&](const ir::Use& use) {
    return is_part(use) || (use.node->op().traits.reshapes && use.index == 0 &&
                            std::ranges::any_of(use.node->output(0).uses, is_part));
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
  const auto is_shared = [](ir::Value read) { return read.output().uses.size() > 1; };
  bool is_any_shared = is_shared(value);
  const ir::Value source = follow(value, [&](ir::Value copy) {
    const auto identity = ir::match<ir::IdentityView>(copy);
    is_any_shared = is_any_shared || (identity && is_shared(identity->data()));
    return identity ? identity->data() : ir::Value{};
  });
  return is_any_shared && source.node->is(ops::Concat);
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
/// shape. A marked Split, Slice or Tile is safe if its extent is computed, as those of guard_zero_iterations
/// are: one of constant extent may be replaced by operations without the mark.
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

/// Fault::stale_loop_outputs. The CPU plugin describes the memory of outputs of a Loop anew in each run.
/// Primitives of oneDNN keep the old description if the shape is the same as before, and so an address that
/// is out of date when the memory has been moved for larger values. Among these primitives are the
/// conversions of layout and precision that the plugin inserts before any operation.
bool has_stale_output(const ir::Node& loop) {
  return std::ranges::any_of(loop.outputs(), may_be_stale);
}

/// The first part of a VariadicSplit, whose other part has no elements. Its kernel takes the address in each
/// run, has one layout and is not fused with its readers. Its mark keeps the conversion to bf16 behind it.
ir::Value copy_by_split(ir::Builder& builder, ir::Value value) {
  return builder.node(ops::VariadicSplit, {value, builder.integer(0), builder.integers(kAllAndNone)}, {}, 2)
      .value(0);
}

void copy_outputs(ir::Builder& builder, ir::Node& loop) {
  for (const ir::Value output : loop.values()) {
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

Workaround separate_shared_memory() {
  return {
      .summary =
          "Copies values whose memory the CPU plugin overwrites or moves while other operations still "
          "read it",
      .stages = {
          {Stage::kernels,
           {row<reads_shared_concatenation, negate_below_zero>(Fault::abs_in_place, {ops::Abs}),
            row<convolves_part, separate_from_input>(Fault::convolved_concat_part, {ops::Convolution}),
            row<has_stale_output, copy_outputs>(Fault::stale_loop_outputs, {ops::Loop}),
            row<transposes_part, separate_from_input>(Fault::transposed_concat_part, {ops::Transpose}),
            row<transposes_result, separate_from_input>(Fault::transposed_model_output, {ops::Transpose})}}}};
}

}  // namespace onnx2ir::passes
