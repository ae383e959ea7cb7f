// Workarounds for constants that OpenVINO or the CPU plugin changes, and for operations on constants that
// OpenVINO neither folds nor computes correctly.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "ir/views/linear_algebra.hpp"
#include "ir/views/selection.hpp"
#include "ir/views/unary.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/analysis/foldable.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/support/select_values.hpp"

namespace onnx2ir::passes {
namespace {

/// Input 0, which most operations read their data from; null without inputs.
ir::Value data_of(const ir::Node& node) {
  return node.inputs().empty() ? ir::Value{} : node.input(0);
}

/// Fault::constant_times_weights.
bool multiplies_constant(ir::MatMulView product) {
  if (!ir::is_computed_from_constants(product.a())) return false;
  const auto weights = weights_of(product);
  return weights && weights->is_transposed;
}

bool is_left_for_run_time(ir::Value value) {
  return may_stay_unfolded(value) || computes_weights(*value.node);
}

/// Fault::transposed_constant_data.
bool transposes_constant(ir::MatMulView product) {
  return product.node().is_computed_from_constants() &&
         (product.transpose_a() || find_before(*product.a().node, {ops::Transpose}, data_of) != nullptr) &&
         (is_left_for_run_time(product.a()) || is_left_for_run_time(product.b()));
}

/// Whether `node` subtracts a zero point from bytes.
bool subtracts_from_bytes(const ir::Node& node) {
  const auto numbers = converted_integers(node);
  return numbers && numbers->zero_point && numbers->integers.type() == ir::ElementType::u8;
}

/// Fault::quantized_constant_data.
bool convolves_constant(const ir::Node& convolution) {
  const ir::Value data = convolution.input(0);
  const ir::Value filters = convolution.input(1);
  return ir::is_computed_from_constants(data) &&
         (holds_integers(filters) || holds_integers(before_conversions(filters))) &&
         find_before(*data.node, subtracts_from_bytes, data_of) != nullptr;
}

/// Fault::constant_string_pack.
bool packs_constants(const ir::Node& pack) {
  return pack.is_computed_from_constants();
}

/// Copies input 0 in each inference, so that OpenVINO cannot know that it is a constant.
void hide_data(ir::Builder& builder, ir::Node& node) {
  node.set_input(0, hide_value(builder, emit_run_time_truth(builder), node.input(0)));
}

/// The Convert from f16 to f32 that the Gather reads, if its input is a constant. Otherwise no value.
std::optional<ir::ConvertView> widened_table(ir::GatherView gather) {
  const auto convert = ir::match<ir::ConvertView>(gather.data());
  const bool is_table = convert && convert->data().node->constant() != nullptr &&
                        convert->data().type() == ir::ElementType::f16 &&
                        convert->output(0).type == ir::ElementType::f32;
  return is_table ? convert : std::nullopt;
}

/// Fault::shared_half_table. If a Gather reads an f16 constant through a Convert to f32, OpenVINO changes the
/// constant to f32, but not the other operations that read it.
bool reads_shared_table(ir::GatherView gather) {
  const auto table = widened_table(gather);
  return table && std::ranges::any_of(table->data().output().uses,
                                      [](const ir::Use& use) { return !use.node->is(ops::Convert); });
}

/// The Convert reads a copy of the constant, which shares its bytes.
void copy_table(ir::Builder& builder, ir::Node& gather) {
  const ir::ConvertView convert = *widened_table(gather);
  const ir::Value own = builder.clone(*convert.data().node).value();
  gather.set_input(ir::GatherView::Input::data, ir::clone_with_input(builder, convert, 0, own));
}

/// Whether `use` of a constant of one element is the same if the constant is a scalar: arithmetic with a
/// tensor that has as many axes.
bool can_be_scalar(const ir::Use& use, std::size_t rank) {
  if (!use.node->op().traits.is_arithmetic) return false;
  const ir::Value data = variable_operand(*use.node);
  return data && data.shape().has_rank() && data.shape().rank() >= rank;
}

/// Whether a reader of the constant needs its axes, or there are too many readers to know.
bool may_need_axes(ir::Value constant) {
  constexpr std::size_t kMostUses = 64;
  const auto& uses = constant.output().uses;
  const std::size_t rank = constant.shape().rank();
  return uses.size() > kMostUses ||
         std::ranges::any_of(uses, [&](const ir::Use& use) { return !can_be_scalar(use, rank); });
}

/// Whether the constant `input` of `node` is shared with readers that need its axes, and OpenVINO may move
/// `node` up: other elementwise operations, and operations that move elements, are passed.
bool is_shared_operand(const ir::Node& node, ir::Value input) {
  constexpr int kMostNodes = 16;
  if (input.node->constant() == nullptr || input.shape().rank() == 0 || input.shape().element_count() != 1)
    return false;
  const std::size_t rank = input.shape().rank();
  const ir::Value data = variable_operand(node);
  if (!data || !data.shape().has_rank() || data.shape().rank() < rank) return false;
  const auto is_left = [](const ir::Node& at) { return moves_elements(at); };
  const auto source = [](const ir::Node& at) {
    return is_elementwise(at) ? variable_operand(at) : ir::Value{};
  };
  return find_before(*data.node, is_left, source, kMostNodes) != nullptr && may_need_axes(input);
}

/// Fault::reshape_size_operand. OpenVINO moves arithmetic with a constant of one element before a Reshape, an
/// Unsqueeze or the like, and makes the constant a scalar, also for its other readers: the shape of the
/// Reshape, or a part of a Concat, becomes invalid. A scalar of its own for the arithmetic stays as it is.
bool has_shared_operand(const ir::Node& node) {
  return std::ranges::any_of(node.inputs(), [&](ir::Value input) { return is_shared_operand(node, input); });
}

void use_scalar(ir::Builder& builder, ir::Node& node) {
  for (std::size_t index = 0; index < node.inputs().size(); ++index) {
    const ir::Value input = node.input(index);
    if (is_shared_operand(node, input))
      node.set_input(index, builder.constant(input.type(), {}, *input.node->constant()));
  }
}

/// Arithmetic for which the order of the operands does not matter.
constexpr ir::OperationSet kCommutative{ops::Add, ops::Maximum, ops::Minimum, ops::Multiply,
                                        ops::SquaredDifference};

bool can_be_mended(const ir::Node& node) {
  return node.is_one_of(kCommutative) || can_be_selected(node.input(0).type());
}

/// Fault::updated_constants. The CPU plugin computes an operation on constants that OpenVINO does not fold in
/// the first inference only, and writes the result of arithmetic into the memory of its first operand: the
/// next inference then reads the result of the previous one.
bool may_update_operand(const ir::Node& node) {
  return !ir::is_computed_from_constants(node.input(1)) && can_be_mended(node) &&
         may_stay_unfolded(node.input(0));
}

/// Makes the value the second operand. Arithmetic for which the order matters reads a copy that is made in
/// each inference.
void read_as_second(ir::Builder& builder, ir::Node& node) {
  if (node.is_one_of(kCommutative)) return swap_operands(builder, node);
  hide_data(builder, node);
}

// Larger constants are weights and masks, in which the largest finite number serves as well.
constexpr std::int64_t kMaxElements = 1 << 16;

bool has_infinity(ir::Value constant) {
  const auto count = constant.shape().element_count();
  const auto numbers = count && *count <= kMaxElements ? ir::exact_numbers(constant) : std::nullopt;
  return numbers && std::ranges::any_of(*numbers, [](double number) { return std::isinf(number); });
}

/// Whether OpenVINO folds a value into a bf16 constant with infinities.
bool is_infinite_bf16_constant(ir::Value value) {
  if (value.type() != ir::ElementType::bf16) return false;
  static constexpr ir::OperationSet kFolded = {ops::Reshape, ops::Unsqueeze, ops::Squeeze, ops::Broadcast,
                                               ops::Convert};
  const ir::Value source = follow(value, [](ir::Value folded) {
    return folded.node->is_one_of(kFolded) ? folded.node->input(0) : ir::Value{};
  });
  return source.node->is(ops::Const) && ir::is_floating(source.type()) && has_infinity(source);
}

/// Fault::bf16_constant_infinity. Without bf16 instructions the CPU plugin computes bf16 in f32, and changes
/// infinities in bf16 constants to the largest finite numbers. Elementwise operations in f32 keep infinities.
bool reads_infinity(const ir::Node& node) {
  return std::ranges::any_of(node.inputs(), is_infinite_bf16_constant);
}

ir::Value compute_in_f32(ir::Builder& builder, const ir::Node& node) {
  return compute_in(builder, node, ir::ElementType::bf16, ir::ElementType::f32);
}

}  // namespace

Workaround legalize_constants() {
  return {
      .summary =
          "Copies or hides constants that OpenVINO would change for one of their uses, or neither folds nor "
          "computes correctly, and computes with infinities of bf16 in f32",
      .stages = {
          {Stage::operations,
           {row<packs_constants, hide_data>(Fault::constant_string_pack, {ops::StringTensorPack}),
            row<multiplies_constant, hide_data>(Fault::constant_times_weights, {ops::MatMul}),
            row<convolves_constant, hide_data>(Fault::quantized_constant_data, kConvolutions, kIfQuantized),
            row<transposes_constant, hide_data>(Fault::transposed_constant_data, {ops::MatMul})}},
          {Stage::kernels,
           {row<reads_infinity, compute_in_f32>(
                Fault::bf16_constant_infinity,
                {ops::Add, ops::Subtract, ops::Multiply, ops::Divide, ops::Maximum, ops::Minimum, ops::Equal,
                 ops::NotEqual, ops::Less, ops::LessEqual, ops::Greater, ops::GreaterEqual, ops::Select}),
            row<has_shared_operand, use_scalar>(Fault::reshape_size_operand, arithmetic_operations()),
            row<reads_shared_table, copy_table>(Fault::shared_half_table, {ops::Gather}),
            row<may_update_operand, read_as_second>(Fault::updated_constants, arithmetic_operations())}}}};
}

}  // namespace onnx2ir::passes
