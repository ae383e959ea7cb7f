// Replaces operations that move elements and that the CPU plugin computes wrongly. An operation that moves
// strings is applied to the positions of the strings instead, and a Gather then takes the strings from these
// positions.
#include <algorithm>
#include <span>
#include <vector>

#include "ir/element_type.hpp"
#include "ir/inference.hpp"
#include "ir/views/groups.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/reshaping.hpp"
#include "ir/views/selection.hpp"
#include "ir/views/string.hpp"
#include "ir/views/unary.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

using ir::ElementType;

bool is_empty_gather(ir::GatherView gather) {
  const ir::PartialShape& indices = gather.indices().shape();
  return indices.element_count() == 0 && indices.rank() == 1 && ir::exact_values(gather.axis()) &&
         gather.batch_dims() == 0;
}

/// A Gather without indices becomes a Slice from 0 to 0, or a constant: a Slice of strings would become a
/// Gather again.
ir::Value slice_empty(ir::Builder& builder, ir::GatherView gather) {
  const ir::Output& result = gather.output(0);
  if (const auto sizes = result.shape.sizes(); sizes && result.type == ir::ElementType::string)
    return ir::emit_empty_constant(builder, result.type, sizes->unchecked());
  const auto axis = ir::exact_values(gather.axis());
  const ir::Value zero = builder.integers({0});
  return builder.op(ops::Slice, {gather.data(), zero, zero, builder.integers({1}), builder.integers(*axis)});
}

bool pads_with_dynamic_value(ir::PadView pad) {
  return pad.pad_mode() == "constant" && pad.value().node->constant() == nullptr;
}

/// Whether a Gather counts the axis that an Unsqueeze has added from the same end: OpenVINO compares the two
/// numbers.
bool is_gathered_unsqueeze(ir::GatherView gather) {
  const auto unsqueeze = ir::match<ir::UnsqueezeView>(gather.data());
  if (!unsqueeze || !gather.data().shape().has_rank() || gather.indices().shape().is_scalar()) return false;
  const auto axis = ir::exact_values(gather.axis());
  return axis && axis->size() == 1 && ir::exact_values(unsqueeze->axes()) == *axis;
}

/// The same Gather with the axis counted from the other end.
ir::Value count_axis_from_other_end(ir::Builder& builder, ir::GatherView gather) {
  const std::int64_t axis = ir::exact_values(gather.axis())->front();
  const auto rank = static_cast<std::int64_t>(gather.data().shape().rank());
  const ir::Value other = builder.integer(axis < 0 ? axis + rank : axis - rank);
  return ir::clone_with_input(builder, gather, ir::GatherView::Input::axis, other);
}

/// Pads with zeros, and selects the pad value where a tensor of ones, padded in the same way, is zero.
ir::Value pad_with_dynamic_value(ir::Builder& builder, ir::PadView pad) {
  const ir::Value value = pad.value();
  const auto emit_padded = [&](ir::Value data) {
    return builder.op(ops::Pad, {data, pad.begins(), pad.ends(), builder.number_like(0, data)},
                      {{"pad_mode", "constant"}});
  };
  const ir::Value one = builder.number(1, ElementType::f32);
  const ir::Value ones = ir::broadcast_to(builder, one, ir::shape_of(builder, pad.data()));
  return builder.op(ops::Select,
                    {builder.op(ops::Equal, {emit_padded(ones), one}), emit_padded(pad.data()), value});
}

/// The largest rank of which the CPU plugin computes all Tiles rightly.
constexpr std::size_t kMaxTiledRank = 3;

/// `x` with `axes` repeated: Reshape [a, b] to [a, 1, b], Broadcast to [a, q, b], Reshape to [a, q * b].
/// `repeats`: i64, one for each axis.
ir::Value repeat_axes(ir::Builder& builder, ir::Value x, ir::Value repeats,
                      std::span<const std::size_t> axes) {
  const std::size_t rank = x.shape().rank();
  const ir::Value sizes = ir::shape_of(builder, x);
  // Each shape below is a selection of these numbers.
  const ir::Value numbers = ir::concat(builder, {sizes, repeats, builder.integers({1})});
  const auto one = static_cast<std::int64_t>(2 * rank);
  std::vector<std::int64_t> separate;
  std::vector<std::int64_t> repeated;
  std::vector<std::int64_t> factors;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const auto size = static_cast<std::int64_t>(axis);
    const auto count = static_cast<std::int64_t>(rank + axis);
    const bool is_repeated = std::ranges::find(axes, axis) != axes.end();
    if (is_repeated) {
      separate.push_back(one);
      repeated.push_back(count);
    }
    separate.push_back(size);
    repeated.push_back(size);
    factors.push_back(is_repeated ? count : one);
  }
  const auto select = [&](const std::vector<std::int64_t>& indices) {
    return ir::gather(builder, numbers, builder.integers(indices), 0);
  };
  const ir::Value spread = builder.op(
      ops::Broadcast, {ir::reshape(builder, x, select(separate)), select(repeated)}, {{"mode", "numpy"}});
  return ir::reshape(builder, spread, builder.op(ops::Multiply, {sizes, select(factors)}));
}

/// Replaces a Tile by Broadcasts. The GPU plugin has none of rank 8, so each repeats as many axes as fit into
/// rank 6.
ir::Value broadcast_tile(ir::Builder& builder, ir::TileView tile) {
  constexpr std::size_t kMaxRank = 6;
  const std::size_t rank = tile.output(0).shape.rank();
  const auto known_repeats = ir::exact_values(tile.repeats());
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (!known_repeats || (*known_repeats)[axis] != 1) axes.push_back(axis);
  }
  const ir::Value repeats = ir::convert(builder, tile.repeats(), ElementType::i64);
  const std::size_t at_once = rank < kMaxRank ? kMaxRank - rank : 1;
  ir::Value tiled = tile.data();
  for (std::size_t first = 0; first < axes.size(); first += at_once) {
    const std::size_t count = std::min(at_once, axes.size() - first);
    tiled = repeat_axes(builder, tiled, repeats, std::span(axes).subspan(first, count));
  }
  return reshape_to_static_sizes(builder, tiled, tile.output(0).shape);
}

bool is_dynamic_tile(ir::TileView tile) {
  const std::size_t rank = tile.output(0).shape.rank();
  const auto count = static_cast<std::int64_t>(rank);
  return rank > kMaxTiledRank && !ir::exact_values(tile.repeats()) && tile.data().shape().rank() == rank &&
         tile.repeats().shape().element_count() == count;
}

/// A Tile that repeats the second axis, of size 1, of a tensor of dynamic shape. Whether it is wrong also
/// depends on the other repeats, and on whether the input is a Tile.
bool is_tile_of_one_channel(ir::TileView tile) {
  const ir::PartialShape& shape = tile.data().shape();
  const auto repeats = ir::exact_values(tile.repeats());
  return shape.has_rank() && shape.rank() > kMaxTiledRank && !shape.is_static() && repeats &&
         repeats->size() == shape.rank() && shape[1] == ir::Dimension(1) && (*repeats)[1] != 1;
}

/// Only a Reshape to a scalar that depends on a MatMul or an attention has the fault, but through any
/// operations (Softmax and Gather are among them). Integer products compile.
bool is_scalar_reshape(ir::ReshapeView reshape) {
  const ir::PartialShape& shape = reshape.data().shape();
  return shape.has_rank() && shape.rank() > 0 && ir::is_floating(reshape.output(0).type) &&
         reshape.output(0).shape.is_scalar();
}

/// A Reshape of floating-point numbers to a scalar becomes a Squeeze of all axes.
ir::Value squeeze_to_scalar(ir::Builder& builder, ir::ReshapeView reshape) {
  // 2024.6 does not write the result of a Squeeze of a Transpose to a scalar.
  const ir::Value source = follow(reshape.data(), [](ir::Value value) {
    const auto transpose = ir::match<ir::TransposeView>(value);
    return transpose ? transpose->data() : ir::Value{};
  });
  return ir::squeeze(builder, source, all_axes(reshape.data().shape().rank()));
}

/// What a Reduce reads, before Reduces of the same operation.
ir::Value source_of_total(ir::ReductionView total) {
  return follow(total.data(), [&](ir::Value value) {
    return value.node->is(total.node().op().id) ? ir::ReductionView(*value.node).data() : ir::Value{};
  });
}

const ir::Node& before_conversion(const ir::Node& node) {
  const auto convert = ir::match<ir::ConvertView>(node);
  return convert ? *convert->data().node : node;
}

/// Whether `reduction`, of another operation than the total, reads a Transpose of known order.
bool is_reduced_transpose(ir::ReductionView reduction) {
  const auto transpose = ir::match<ir::TransposeView>(reduction.data());
  return transpose && ir::exact_values(transpose->order()) && ir::exact_values(reduction.axes()) &&
         transpose->output(0).shape.has_rank();
}

/// Whether a Reduce to a scalar, also in several steps, reads a Transpose.
bool is_total_of_transpose(ir::ReductionView total) {
  if (!total.output(0).shape.is_scalar()) return false;
  const ir::Value source = source_of_total(total);
  if (source == total.data() && source.node->op().traits.is_reduction)
    return is_reduced_transpose(*source.node);
  return before_conversion(*source.node).is(ops::Transpose) && source.shape().has_rank();
}

/// Whether a Reduce leaves nothing but axes of size 1 that a Reshape adds to a Transpose. OpenVINO moves it
/// before the Reshape, where it gives a scalar.
bool is_total_of_unsqueezed_transpose(ir::ReductionView total) {
  constexpr int kMostReshapes = 8;
  const ir::PartialShape& result = total.output(0).shape;
  if (total.keep_dims() || result.is_scalar() || result.element_count() != 1) return false;
  const ir::Node* source = total.data().node;
  if (!source->op().traits.reshapes) return false;
  for (int count = 0; count < kMostReshapes && source->op().traits.reshapes; ++count)
    source = source->input(0).node;
  return before_conversion(*source).is(ops::Transpose);
}

/// Two different Reduces: the first one reduces other axes of what the Transpose reads.
ir::Value reduce_reduced_transpose(ir::Builder& builder, ir::ReductionView total,
                                   ir::ReductionView reduction) {
  const ir::TransposeView transpose = *reduction.data().node;
  const auto order = ir::exact_values(transpose.order());
  const auto axes = ir::exact_values(reduction.axes());
  std::vector<std::int64_t> moved;
  for (const std::int64_t axis : *axes) {
    moved.push_back((*order)[ir::normalize_axis(axis, transpose.output(0).shape.rank())]);
  }
  const ir::Value reduced = builder.op(reduction.node().op().id, {transpose.data(), builder.integers(moved)},
                                       {{"keep_dims", reduction.keep_dims()}});
  return ir::clone_with_input(builder, total, ir::ReductionView::Input::data, reduced);
}

/// A Reduce of a Transpose to a scalar does not need the Transpose.
ir::Value reduce_transpose(ir::Builder& builder, ir::ReductionView reduction) {
  const ir::Value source = source_of_total(reduction);
  if (source == reduction.data() && source.node->op().traits.is_reduction) {
    return reduce_reduced_transpose(builder, reduction, *source.node);
  }
  const ir::TransposeView transpose = before_conversion(*source.node);
  const ir::Value data = ir::convert(builder, transpose.data(), source.type());
  return ir::reduce(builder, reduction.node().op().id, data, all_axes(source.shape().rank()));
}

/// Whether a Reduce to a scalar reads a product after elementwise operations and other Reduces.
bool is_total_of_product(ir::ReductionView total) {
  constexpr int kMostNodes = 33;
  const ir::Output& result = total.output(0);
  if (!result.shape.is_scalar() || !ir::is_floating(result.type)) return false;
  const ir::Value reduced = source_of_total(total);
  if (!reduced.shape().has_rank()) return false;
  const auto source = [](const ir::Node& node) {
    return is_elementwise(node) || node.op().traits.is_reduction ? variable_operand(node) : ir::Value{};
  };
  const ir::Node* const product = find_before(*reduced.node, {ops::MatMul}, source, kMostNodes);
  return product != nullptr && product != reduced.node;
}

/// Keeps the axes, and removes them after the Reduce.
ir::Value reduce_product(ir::Builder& builder, ir::ReductionView total) {
  const ir::Value source = source_of_total(total);
  const std::vector<std::int64_t> axes = all_axes(source.shape().rank());
  return ir::squeeze(builder, ir::reduce_keep_dims(builder, total.node().op().id, source, axes), axes);
}

/// Whether the lists of pads have a dynamic length: OpenVINO cannot read such a Pad. The length must be the
/// rank of the data.
bool has_pads_of_open_count(ir::PadView pad) {
  return pad.data().shape().has_rank() &&
         (!pad.begins().shape().is_static() || !pad.ends().shape().is_static());
}

void set_lengths(ir::Builder& builder, ir::Node& node) {
  const auto rank = static_cast<std::int64_t>(ir::PadView(node).data().shape().rank());
  for (const std::uint32_t input : {ir::PadView::Input::begins, ir::PadView::Input::ends})
    node.set_input(input, ir::reshape(builder, node.input(input), builder.integers({rank})));
}

/// Whether axes count from the end: OpenVINO merges a Slice of a Slice if their lists of axes have nothing in
/// common, and does not notice that -1 and 1 can be the same axis.
bool has_negative_axes(ir::SliceView slice) {
  const auto axes = ir::exact_values(slice.axes());
  return axes && slice.data().shape().has_rank() &&
         std::ranges::any_of(*axes, [](std::int64_t axis) { return axis < 0; });
}

ir::Value count_from_front(ir::Builder& builder, ir::SliceView slice) {
  const std::size_t rank = slice.data().shape().rank();
  ir::Integers axes = *ir::exact_values(slice.axes());
  for (std::int64_t& axis : axes) axis = static_cast<std::int64_t>(ir::normalize_axis(axis, rank));
  const ir::Value list = builder.integers(axes, slice.axes().type());
  return ir::clone_with_input(builder, slice, ir::SliceView::Input::axes, list);
}

/// Whether a Gather is from batches of size 1, of static shape: it reads outside of its data. Without these
/// axes of the indices it is a Gather with no batches.
bool gathers_from_single_batches(ir::GatherView gather) {
  const auto sizes = gather.indices().shape().sizes();
  const std::int64_t batches = gather.batch_dims();
  return sizes && batches > 0 &&
         std::ranges::all_of(sizes->begin(), sizes->begin() + batches,
                             [](std::int64_t size) { return size == 1; });
}

ir::Value remove_batches(ir::Builder& builder, ir::GatherView gather) {
  const auto sizes = *gather.indices().shape().sizes();
  const std::vector<std::int64_t> shape(sizes.begin() + gather.batch_dims(), sizes.end());
  const ir::Value indices = ir::reshape(builder, gather.indices(), builder.integers(shape));
  return builder.op(ops::Gather, {gather.data(), indices, gather.axis()}, {{"batch_dims", 0}});
}

using Values = std::vector<ir::Value>;

bool holds_strings(ir::Value value) {
  return value && value.type() == ir::ElementType::string;
}

/// Fault::moved_strings and Fault::transposed_strings. The CPU plugin copies strings as if they were bytes,
/// or does not compile the operation.
bool moves_strings(const ir::Node& node) {
  return node.output(0).type == ir::ElementType::string;
}

/// The strings of all inputs of a node as one vector, and the node's inputs with their positions in it.
struct StringPositions {
  Values strings;
  Values inputs;
};

StringPositions emit_positions(ir::Builder& builder, const ir::Node& node) {
  StringPositions result;
  ir::Value begin = builder.integer(0);
  for (const ir::Value input : node.inputs()) {
    if (!holds_strings(input)) {
      result.inputs.push_back(input);
      continue;
    }
    const ir::Value strings = ir::flatten(builder, input);
    const ir::Value end = builder.op(ops::Add, {begin, ir::size_of(builder, strings, 0)});
    const ir::Value positions =
        builder.op(ops::Range, {begin, end, builder.integer(1)}, {{"output_type", ir::ElementType::i64}});
    result.strings.push_back(strings);
    result.inputs.push_back(ir::reshape(builder, positions, ir::shape_of(builder, input)));
    begin = end;
  }
  return result;
}

void move_by_gather(ir::Builder& builder, ir::Node& node) {
  const StringPositions positions = emit_positions(builder, node);
  const ir::Value strings = ir::concat(builder, positions.strings);
  ir::Node& mover = builder.clone(node, positions.inputs);
  for (std::size_t i = 0; i < node.outputs().size(); ++i) {
    ir::replace_all_uses(node.value(i), ir::gather(builder, strings, mover.value(i)));
  }
}

/// Fault::empty_string_bytes. The CPU plugin does not run an operation with an empty input, although the
/// strings may all be empty.
bool may_have_no_bytes(ir::StringTensorPackView pack) {
  return pack.bytes().shape()[0].min == 0;
}

ir::Value pad_bytes(ir::Builder& builder, ir::StringTensorPackView pack) {
  const ir::Value bytes = pack.bytes();
  const ir::Value more = ir::concat(builder, {bytes, builder.integers({0}, ir::ElementType::u8)});
  return ir::clone_with_input(builder, pack, ir::StringTensorPackView::Input::bytes, more);
}

}  // namespace

Workaround legalize_data_movement() {
  return {
      .summary =
          "Replaces operations that move elements and that the CPU plugin computes wrongly, and moves "
          "strings by a Gather at positions that operations move",
      .stages = {
          {Stage::operations,
           {row<is_empty_gather, slice_empty>(Fault::empty_gather, {ops::Gather}),
            row<may_have_no_bytes, pad_bytes>(Fault::empty_string_bytes, {ops::StringTensorPack}),
            row<gathers_from_single_batches, remove_batches>(Fault::gather_of_one_batch, {ops::Gather}),
            row<is_gathered_unsqueeze, count_axis_from_other_end>(Fault::gathered_unsqueeze, {ops::Gather}),
            row<has_negative_axes, count_from_front>(Fault::merged_slice_axes, {ops::Slice}),
            row<moves_strings, move_by_gather>(
                Fault::moved_strings, {ops::Broadcast, ops::GatherElements, ops::GatherND, ops::Identity,
                                       ops::ReverseSequence, ops::ScatterElementsUpdate, ops::ScatterNDUpdate,
                                       ops::Select, ops::Slice, ops::Split, ops::Tile, ops::VariadicSplit}),
            row<pads_with_dynamic_value, pad_with_dynamic_value>(Fault::pad_value_dynamic, {ops::Pad}),
            row<has_pads_of_open_count, set_lengths>(Fault::pads_of_open_count, {ops::Pad}),
            row<is_scalar_reshape, squeeze_to_scalar>(Fault::scalar_reshape_of_product, {ops::Reshape}),
            row<is_dynamic_tile, broadcast_tile>(Fault::tile_dynamic_rank4, {ops::Tile}),
            row<is_tile_of_one_channel, broadcast_tile>(Fault::tile_of_one_channel, {ops::Tile}),
            row<is_total_of_product, reduce_product>(Fault::total_of_product, kNumericReductions,
                                                     {ops::MatMul}),
            row<is_total_of_transpose, reduce_transpose>(Fault::total_of_transpose, kNumericReductions,
                                                         {ops::Transpose}),
            row<is_total_of_unsqueezed_transpose, separate_from_input>(Fault::total_of_transpose,
                                                                       kNumericReductions, {ops::Transpose}),
            row<moves_strings, move_by_gather>(Fault::transposed_strings, {ops::Transpose})}}}};
}

}  // namespace onnx2ir::passes
