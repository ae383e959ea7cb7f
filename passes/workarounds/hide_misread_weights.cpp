// Workarounds for quantised weights, which the CPU plugin keeps compressed, with scales or zero points that
// it misreads, ignores or merges.
#include <algorithm>
#include <optional>

#include "ir/views/elementwise.hpp"
#include "ir/views/groups.hpp"
#include "ir/views/reshaping.hpp"
#include "ir/views/selection.hpp"
#include "ir/views/spatial.hpp"
#include "ir/views/unary.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/analysis/discontinuities.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

/// Fault::reassociated_zero_point. The CPU plugin computes (x - zero point) * scale as
/// x * scale - zero point * scale. At the zero point the result is not exactly 0, and a comparison or a
/// quotient may depend on that.
bool must_be_zero_exactly(ir::MultiplyView multiply) {
  const auto numbers = converted_integers(multiply.a());
  return numbers && numbers->zero_point && numbers->integers.node->constant() == nullptr &&
         must_have_exact_zero(multiply);
}

/// A Clamp without effect between the two operations keeps the plugin from fusing them. It also keeps it from
/// computing with integers, so it is emitted nowhere else.
ir::Value clamp_difference(ir::Builder& builder, ir::MultiplyView multiply) {
  return ir::clone_with_input(builder, multiply, ir::MultiplyView::Input::a,
                              clamp_without_effect(builder, multiply.a()));
}

/// Fault::quantized_transposed_filters. The integer kernel of a transposed convolution ignores the zero point
/// of its filters. A copy of the input keeps OpenVINO from computing with integers. Filters of u8 have no
/// zero point any more (make_weights_signed).
bool ignores_zero_point(ir::ConvolutionBackpropDataView convolution) {
  if (!holds_integers(convolution.data())) return false;
  const auto filters = dequantized_weights(convolution.filters());
  return filters && filters->zero_point;
}

/// Whether a scale or zero point of `sizes` is the same along `axis` of data of rank `rank`.
bool is_constant_along(const ir::Integers& sizes, std::size_t rank, std::size_t axis) {
  const std::size_t missing = rank - sizes.size();
  return axis < missing || sizes[axis - missing] == 1;
}

/// The axis of `data` along which scales and zero points must be constant; no value if the plugin does not
/// support the form.
std::optional<std::size_t> axis_of_blocks(const WeightsOfProduct& found, const ir::Integers& data) {
  const std::size_t inner = axis_of_inputs(found);
  if (found.reshape == nullptr) return inner;
  const auto joined = found.reshape->output(0).shape.sizes();
  if (!joined || joined->size() != 2 || data.size() != 3) return std::nullopt;
  // [outputs, blocks, block], or [blocks, block, outputs]. The plugin ignores dimensions of size 1.
  const std::int64_t outputs = found.is_transposed ? data.front() : data.back();
  if (outputs == 1 || data[inner] == 1 || (*joined)[found.is_transposed ? 0 : 1] != outputs)
    return std::nullopt;
  return inner;
}

bool is_misread(const WeightsOfProduct& found) {
  const auto data = found.weights.data.shape().sizes();
  if (!data || data->size() < 2) return true;
  const auto axis = axis_of_blocks(found, *data);
  const auto fits = [&](ir::Value parameter) {
    const auto sizes = parameter.shape().sizes();
    return sizes && sizes->size() <= data->size() && is_constant_along(*sizes, data->size(), *axis);
  };
  return !axis || !fits(found.weights.scale) || (found.weights.zero_point && !fits(found.weights.zero_point));
}

/// Fault::misread_weight_scales. The CPU plugin applies the scales of compressed weights in the product. It
/// assumes one scale per output, or one per output and block of inputs. With other scales it computes wrong
/// numbers or does not compile the model.
bool has_misread_weights(const ir::Node& product) {
  const auto found = weights_of(product);
  return found && is_misread(*found);
}

/// A Clamp without effect keeps the plugin from recognising such weights; it then computes them at compile
/// time.
void hide_weights(ir::Builder&, ir::Node& node) {
  const auto found = weights_of(node);
  ir::Node& scaling = *found->weights.product;
  ir::Builder builder = ir::builder_beside(scaling);
  const ir::Value hidden = clamp_without_effect(builder, found->weights.widened);
  scaling.set_input(scaling.input(0) == found->weights.widened ? 0 : 1, hidden);
}

/// Fault::gathered_blocks. The CPU plugin keeps a table compressed whose rows are gathered, and takes the
/// blocks of it for its rows if they are blocks of rows.
bool gathers_blocks(ir::GatherView gather) {
  constexpr std::size_t kRank = 3;  // [blocks, rows of a block, columns]
  const auto reshape = ir::match<ir::ReshapeView>(before_conversions(gather.data()));
  const auto found = reshape ? dequantized_weights(reshape->data()) : std::nullopt;
  if (!found || !found->data.shape().has_rank(kRank) || !found->scale.shape().has_rank(kRank)) return false;
  return found->scale.shape()[kRank - 1] != ir::Dimension(1);
}

ir::Value gather_computed_rows(ir::Builder& builder, ir::GatherView gather) {
  return ir::clone_with_input(builder, gather, ir::GatherView::Input::data,
                              clamp_without_effect(builder, gather.data()));
}

/// Fault::signed_4_bit_zero_points. Some releases read zero points of type i4 as unsigned. As i8 they are
/// read correctly; there are few, so the cost is small.
bool has_4_bit_zero_point(ir::SubtractView subtract) {
  const auto numbers = ir::match<ir::ConvertView>(subtract.a());
  const auto zero_point = ir::match<ir::ConvertView>(subtract.b());
  if (!numbers || !zero_point) return false;
  const ir::Value small = zero_point->data();
  return small.node->constant() != nullptr && small.type() == ir::ElementType::i4 &&
         numbers->data().node->constant() != nullptr;
}

ir::Value widen_zero_point(ir::Builder& builder, ir::SubtractView subtract) {
  using enum ir::ElementType;
  const ir::Value zero_point = subtract.b();
  const ir::Value small = ir::ConvertView(*zero_point.node).data();
  const auto sizes = small.shape().sizes();
  const auto values = ir::exact_values(small);
  const ir::Value wide = builder.constant(i8, *sizes, ir::encode_integers(*values, i8));
  const ir::Value widened = ir::convert(builder, wide, zero_point.type());
  return ir::clone_with_input(builder, subtract, ir::SubtractView::Input::b, widened);
}

/// Whether `reads` holds for a use of constant integers that `convert` converts to floats, also after
/// operations on constants that a Clamp does not hide.
template <typename Reads>
bool converts_weights(ir::ConvertView convert, Reads reads) {
  constexpr std::size_t kMostNodes = 64;
  const ir::Value integers = convert.data();
  if (integers.node->constant() == nullptr || !ir::is_integral(integers.type()) ||
      !ir::is_floating(convert.output(0).type))
    return false;
  return any_after(convert, kMostNodes, [&](const ir::Use& use) {
    if (reads(use)) return Search::found;
    const auto clamp = ir::match<ir::ClampView>(*use.node);
    const bool is_hidden = clamp && has_no_effect(*clamp);
    return use.node->is_computed_from_constants() && !is_hidden ? Search::follow : Search::skip;
  });
}

/// Fault::quantized_recurrent_weights. OpenVINO computes recurrent operations with the integers of their
/// weights if their data or initial state are quantised. It rounds the states of all steps, too, and requires
/// weights that it has folded.
bool converts_recurrent_weights(ir::ConvertView convert) {
  return convert.node().graph().may_hold(kSequences) && converts_weights(convert, [&](const ir::Use& use) {
           return use.node->is_one_of(kSequences) && use.index > ir::AnyRecurrentView::Input::hidden_state;
         });
}

/// The Convolution of single pixels whose filters `use` is; no value for other uses.
std::optional<ir::ConvolutionView> pointwise_convolution(const ir::Use& use) {
  const auto convolution = ir::match<ir::ConvolutionView>(*use.node);
  if (!convolution || use.index != ir::ConvolutionView::Input::filters) return std::nullopt;
  const ir::PartialShape& filters = convolution->filters().shape();
  const bool is_pointwise =
      filters.has_rank() && std::all_of(filters.begin() + 2, filters.end(),
                                        [](const ir::Dimension& size) { return size == ir::Dimension(1); });
  return is_pointwise ? convolution : std::nullopt;
}

/// The Transpose that reads a convolution, possibly after a constant is added; no value if none does.
std::optional<ir::TransposeView> transpose_after(const ir::Node& node) {
  for (const ir::Use& use : node.output(0).uses) {
    if (const auto transpose = ir::match<ir::TransposeView>(*use.node)) return transpose;
    if (!use.node->is(ops::Add) || !constant_operand(*use.node)) continue;
    for (const ir::Use& later : use.node->output(0).uses) {
      if (const auto transpose = ir::match<ir::TransposeView>(*later.node)) return transpose;
    }
  }
  return std::nullopt;
}

bool moves_channels(const std::optional<ir::TransposeView>& transpose, const ir::Integers& order) {
  return !transpose || ir::exact_order(*transpose) == order;
}

/// Fault::transposed_pointwise_filters.
bool converts_transposed_filters(ir::ConvertView convert) {
  return convert.node().graph().may_hold({ops::Transpose}) &&
         converts_weights(convert, [](const ir::Use& use) {
           const auto convolution = pointwise_convolution(use);
           if (!convolution) return false;
           const auto before = ir::match<ir::TransposeView>(convolution->data());
           const auto after = transpose_after(*convolution);
           if (!before && !after) return false;
           const auto is_one = [](std::int64_t step) { return step == 1; };
           const auto is_none = [](std::int64_t pad) { return pad == 0; };
           return !moves_channels(before, {0, 3, 1, 2}) || !moves_channels(after, {0, 2, 3, 1}) ||
                  !std::ranges::all_of(convolution->strides(), is_one) ||
                  !std::ranges::all_of(convolution->pads_begin(), is_none) ||
                  !std::ranges::all_of(convolution->pads_end(), is_none);
         });
}

/// Fault::scaled_pointwise_filters.
bool converts_scaled_filters(ir::ConvertView convert) {
  return convert.data().type() == ir::ElementType::u4 && converts_weights(convert, [](const ir::Use& use) {
           const auto convolution = pointwise_convolution(use);
           return convolution && constant_step(*convolution->data().node).operand &&
                  convolution->data().node->is(ops::Multiply);
         });
}

void hide_integers(ir::Builder& builder, ir::Node& convert) {
  const ir::Value hidden = clamp_without_effect(builder, convert.value());
  ir::replace_uses_except(convert.value(), hidden, *hidden.node);
}

}  // namespace

Workaround hide_misread_weights() {
  return {
      .summary =
          "Hides quantised weights that the CPU plugin would misread, widens zero points of 4 bits, and "
          "keeps zero points apart from scales and transposed convolutions",
      .stages = {
          {Stage::operations,
           {row<ignores_zero_point, separate_from_input>(Fault::quantized_transposed_filters,
                                                         {ops::ConvolutionBackpropData}),
            row<must_be_zero_exactly, clamp_difference>(Fault::reassociated_zero_point, {ops::Multiply})}},
          {Stage::kernels,
           {row<gathers_blocks, gather_computed_rows>(Fault::gathered_blocks, {ops::Gather}),
            row<has_misread_weights, hide_weights>(Fault::misread_weight_scales, {ops::MatMul}),
            row<converts_recurrent_weights, hide_integers>(Fault::quantized_recurrent_weights, {ops::Convert},
                                                           kIfQuantized),
            row<converts_scaled_filters, hide_integers>(Fault::scaled_pointwise_filters, {ops::Convert}),
            row<has_4_bit_zero_point, widen_zero_point>(Fault::signed_4_bit_zero_points, {ops::Subtract}),
            row<converts_transposed_filters, hide_integers>(Fault::transposed_pointwise_filters,
                                                            {ops::Convert})}}}};
}

}  // namespace onnx2ir::passes
