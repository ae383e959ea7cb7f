// DynamicQuantizeLSTM: an LSTM whose weights [D, I, 4H] are integers. With --quantization fast a large one is
// a Loop whose products have compressed weights: the runtime multiplies integers there, which takes half of
// the time of its LSTM in f32. In a small one, the other operations of a step take longer than that saves.

#include "frontend/graph/graph_translator.hpp"
#include "frontend/translators/com_microsoft/operands.hpp"
#include "frontend/translators/com_microsoft/quantized.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/quantized_numbers.hpp"
#include "frontend/translators/onnx/recurrent.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"
#include "target/quantized_products.hpp"

namespace onnx2ir::frontend {
namespace {

using Input = inputs::microsoft::DynamicQuantizeLSTM;

/// The weights of all directions: integers [D, inputs, outputs], the others [D] or [D, outputs].
using StackedWeights = QuantizedMatrix;

/// W^T or R^T of LSTM: f32 [D, outputs, inputs].
Value dequantize_weights(NodeContext& node, const StackedWeights& weights) {
  const auto by_direction = [&](Value value) {
    const Value number = convert(node, value, ElementType::f32);
    if (node.rank(number) == 0) return number;
    const std::vector<std::int64_t> axes =
        node.rank(number) == 1 ? std::vector<std::int64_t>{1, 2} : std::vector<std::int64_t>{1};
    return unsqueeze(node, number, axes);
  };
  const Value x = convert(node, weights.integers, ElementType::f32);
  const Value centred = node.op(ops::Subtract, {x, by_direction(weights.zero_point)});
  const Value numbers = node.op(ops::Multiply, {centred, by_direction(weights.scale)});
  return transpose(node, numbers, {0, 2, 1});
}

/// Part `index` of a constant [parts, ...], as a constant of its own that shares its memory.
Value take_part(Builder& builder, Value constant, std::int64_t index) {
  const auto sizes = *constant.shape().sizes();
  const ir::ConstantData& data = *constant.node->constant();
  const std::uint64_t size = data.size() / static_cast<std::uint64_t>(sizes.front());
  return builder.constant(constant.type(), std::span(sizes).subspan(1),
                          data.part(static_cast<std::uint64_t>(index) * size, size));
}

QuantizedMatrix take_matrix(Builder& builder, const StackedWeights& weights, std::int64_t direction) {
  return {take_part(builder, weights.integers, direction), take_part(builder, weights.scale, direction),
          take_part(builder, weights.zero_point, direction)};
}

/// Whether the weights are constants of the shapes that the operator defines, for `directions` directions.
bool is_stacked(const StackedWeights& weights, std::int64_t directions) {
  const auto sizes = weights.integers.shape().sizes();
  const auto is_parameter = [&](Value value) {
    const auto shape = value.shape().sizes();
    if (value.node->constant() == nullptr || !shape || shape->empty() || shape->front() != directions)
      return false;
    return shape->size() == 1 || (shape->size() == 2 && shape->back() == sizes->back());
  };
  return sizes && sizes->size() == 3 && sizes->front() == directions &&
         weights.integers.node->constant() != nullptr && is_parameter(weights.scale) &&
         is_parameter(weights.zero_point);
}

/// Whether a Loop with products of integers is faster than LSTMSequence in f32. With 192 hidden numbers it
/// takes 1.2 to 1.5 of the time; with 256, 0.8 for a batch of 8 and up to 1.2 for one sequence; with 320, 0.7
/// and 0.8.
bool is_faster_in_loop(Value x, std::int64_t hidden) {
  constexpr std::int64_t kMinHidden = 256;
  const ir::PartialShape& shape = x.shape();
  const bool is_one_sequence = shape.has_rank() && shape.rank() == 3 && shape[1] == ir::Dimension(1);
  return is_one_sequence ? hidden > kMinHidden : hidden >= kMinHidden;
}

QuantizedProducts make_quantized_products(NodeContext& node, const StackedWeights& w,
                                          const StackedWeights& r) {
  const std::int64_t directions = node.text_attribute("direction", "forward") == "bidirectional" ? 2 : 1;
  if (!has_integer_kernels(node,
                           {Input::W_scale, Input::W_zero_point, Input::R_scale, Input::R_zero_point}) ||
      !is_stacked(w, directions) || !is_stacked(r, directions))
    return {};
  const std::int64_t hidden = (*r.integers.shape().sizes())[1];
  if (!target::has_full_groups(hidden) || !is_faster_in_loop(node.input(Input::X), hidden)) return {};
  const auto by = [](const StackedWeights& weights) {
    return [weights](Builder& builder, Value numbers, std::int64_t direction) {
      return multiply_by_weights(builder, numbers, take_matrix(builder, weights, direction), true);
    };
  };
  return {by(w), by(r)};
}

Values dynamic_quantize_lstm(NodeContext& node) {
  const StackedWeights w{node.input(Input::W), node.input(Input::W_scale), node.input(Input::W_zero_point)};
  const StackedWeights r{node.input(Input::R), node.input(Input::R_scale), node.input(Input::R_zero_point)};
  const QuantizedProducts products = make_quantized_products(node, w, r);
  Operands inputs{node.operand(Input::X), dequantize_weights(node, w), dequantize_weights(node, r)};
  for (std::size_t i = Input::B; i <= Input::P; ++i) inputs.push_back(node.operand(i));
  NodeContext lstm(node.translator(), node.proto(), 7, inputs);
  Values outputs = translate_lstm(lstm, products);
  node.add_reads_of(lstm);
  return outputs;
}

}  // namespace

std::vector<TranslatorRow> microsoft_quantized_lstm_translators() {
  return {{"DynamicQuantizeLSTM", 1, dynamic_quantize_lstm}};
}

}  // namespace onnx2ir::frontend
