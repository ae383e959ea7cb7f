// Workarounds for quantised weights, which the CPU plugin keeps compressed, with scales or zero points that
// it misreads.
#include "ir/views/elementwise.hpp"
#include "ir/views/reshaping.hpp"
#include "ir/views/selection.hpp"
#include "ir/views/unary.hpp"
#include "passes/analysis/bounded_search.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/workarounds/separation.hpp"

namespace onnx2ir::passes {
namespace {

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

}  // namespace

Workaround hide_misread_weights() {
  return {.stage = Stage::kernels,
          .summary =
              "Hides quantised weights from the CPU plugin if it would misread their scales, and widens zero "
              "points of 4 bits",
          .rows = {
              row<gathers_blocks, gather_computed_rows>(Fault::gathered_blocks, {ops::Gather}),

              row<has_misread_weights, hide_weights>(Fault::misread_weight_scales, {ops::MatMul}),
              row<has_4_bit_zero_point, widen_zero_point>(Fault::signed_4_bit_zero_points, {ops::Subtract})}};
}

}  // namespace onnx2ir::passes
