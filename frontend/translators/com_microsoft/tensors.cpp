// Tensor operators that ONNX has in another version or with other inputs.
#include <algorithm>

#include "frontend/translators/com_microsoft/delegate.hpp"
#include "frontend/translators/com_microsoft/operands.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/operands.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// Range: the step is 1 by default.
Values range(NodeContext& node) {
  using Input = inputs::microsoft::Range;
  const Value step = node.optional_input(Input::delta);
  return translate_as(node, "Range", 11,
                      {node.operand(Input::start), node.operand(Input::limit),
                       step ? step : node.number_like(1, node.input(Input::start))});
}

/// Pad: the pads may be a matrix of one row.
Values pad(NodeContext& node) {
  Operands inputs = node.operands();
  using Input = inputs::Pad;
  inputs[Input::pads] = reshape(node, node.input(Input::pads), {node.rank(node.input(Input::data)) * 2});
  return translate_as(node, "Pad", 11, inputs);
}

/// ExpandDims at an axis that is known at run time.
Value insert_axis(NodeContext& node, Value x, Value axis, std::int64_t rank) {
  const Value given = require_scalar(node, convert(node, axis, ElementType::i64), "the axis");
  const Value is_negative = node.op(ops::Less, {given, node.integer(0)});
  const Value from_front =
      node.op(ops::Select, {is_negative, node.op(ops::Add, {given, node.integer(rank + 1)}), given});
  const Value own = emit_axes_between(node, 0, rank + 1);
  // Each axis of the result has the size of an axis of `x`; the new one has the 1 that follows these sizes.
  const Value is_later = convert(node, node.op(ops::Greater, {own, from_front}), ElementType::i64);
  const Value is_new = node.op(ops::Equal, {own, from_front});
  const Value source = node.op(ops::Subtract, {own, is_later});
  const Value places = node.op(ops::Select, {is_new, node.integer(rank), source});
  const Value sizes = concat(node, {shape_of(node, x), node.integers({1})});
  return reshape(node, x, gather(node, sizes, places));
}

/// ExpandDims: Unsqueeze of one axis, which is an input.
Values expand_dims(NodeContext& node) {
  const Value x = node.input(0);
  const std::int64_t rank = node.rank(x);
  const auto axis = node.known_integers(node.input(1));
  if (!axis) return {insert_axis(node, x, node.input(1), rank)};
  if (axis->size() != 1) node.fail("the axis must be one number");
  return {unsqueeze(node, x, {node.axis(axis->front(), rank + 1)})};
}

Values inverse(NodeContext& node) {
  return {node.op(ops::Inverse, {node.input(0)}, {{"adjoint", false}})};
}

/// SampleOp, an example operator, returns its input.
Values sample(NodeContext& node) {
  return {node.input(0)};
}

/// UnfoldTensor: windows along an axis; their elements become a new last axis.
Values unfold(NodeContext& node) {
  const Value x = node.input(0);
  const std::int64_t rank = node.rank(x);
  const std::int64_t axis = node.axis(node.integer_attribute("dim", -1), rank);
  const std::int64_t size = node.positive_attribute("size");
  const std::int64_t step = node.positive_attribute("step", 1);
  const Value room = node.op(ops::Subtract, {size_of(node, x, axis), node.integer(size - step)});
  const Value count = divide(node, room, node.integer(step));
  const Value begins = node.op(ops::Multiply, {emit_range(node, count), node.integer(step)});
  const Value places =
      node.op(ops::Add, {unsqueeze(node, begins, {1}), emit_range(node, node.integer(size))});
  std::vector<std::int64_t> order = numbers_between(0, rank + 1);
  std::rotate(order.begin() + axis + 1, order.begin() + axis + 2, order.end());
  return {transpose(node, gather(node, x, places, axis), order)};
}

/// CDist: the distance between each row of A and each row of B.
Values distances(NodeContext& node) {
  const std::string metric = node.text_attribute("metric", "sqeuclidean");
  if (metric != "sqeuclidean" && metric != "euclidean") node.fail("metric '" + metric + "' does not exist");
  const Value squares = emit_squared_distances(node, node.input(0), node.input(1));
  return {metric == "euclidean" ? node.op(ops::Sqrt, {squares}) : squares};
}

/// WordConvEmbedding: embeds each word [characters] as the maxima of a convolution over its characters.
Values embed_words(NodeContext& node) {
  using Input = inputs::microsoft::WordConvEmbedding;
  const Value words = node.input(Input::Sequence);
  const Value filters = node.input(Input::W);
  if (node.rank(words) != 2) node.fail("the words must be a matrix of characters");
  if (node.rank(filters) != 4 || filters.shape()[2].is_dynamic())
    node.fail("the size of the window must be known when the model is converted");
  const std::int64_t window = filters.shape()[2].size();
  const Value count = node.op(ops::Subtract, {size_of(node, words, 1), node.integer(window - 1)});
  const Value begins = emit_range(node, count);
  const Value places =
      node.op(ops::Add, {unsqueeze(node, begins, {1}), emit_range(node, node.integer(window))});
  const Value windows = gather(node, gather(node, node.input(Input::C), words), places, 1);
  const Value rows = reshape_keeping(
      node, windows,
      concat(node,
             {node.integers({0, 0}), node.op(ops::Multiply, {dimension_of(node, node.input(Input::C), 1),
                                                             node.integers({window})})}));
  const Value matrix =
      reshape(node, filters, concat(node, {dimension_of(node, filters, 0), node.integers({-1})}));
  const Value sums = mat_mul(node, rows, matrix, {.b = true});
  const Value values = node.op(ops::Tanh, {node.op(ops::Add, {sums, node.input(Input::B)})});
  // Characters are positive. A window that extends beyond the end of a word counts only if the word is
  // shorter than the window.
  const Value is_character = node.op(ops::Greater, {words, node.number_like(0, words)});
  const Value length =
      reduce_keep_dims(node, ops::ReduceSum, convert(node, is_character, ElementType::i64), {1});
  const Value used =
      node.op(ops::Maximum, {node.op(ops::Subtract, {length, node.integer(window - 1)}), node.integer(1)});
  const Value is_used = unsqueeze(node, node.op(ops::Less, {begins, used}), {2});
  const Value shown = node.op(ops::Select, {is_used, values, node.number_like(-2, values)});
  return {reduce(node, ops::ReduceMax, shown, {1})};
}

constexpr std::string_view kAttentionInCell =
    "everything: the cell of the LSTM has an attention, for which OpenVINO has no operation";
constexpr std::string_view kPath =
    "everything: the length of the path is known only when it has been traced back";
constexpr std::string_view kKernelLayout =
    "everything: the weights are in a layout of onnxruntime's kernels; use MatMulNBits";
constexpr std::string_view kWideHash = "everything: hashes of 64 bits, which the CPU plugin computes with 32";
constexpr std::string_view kSparse = "everything: attention in sparse blocks; use GroupQueryAttention";

/// An operator that is not supported at all: its limit gives the reason.
template <const std::string_view& kReason>
Values left_out(NodeContext& node) {
  constexpr std::string_view kAll = "everything: ";
  node.fail(std::string(node.op_type()) + " is not converted: " + std::string(kReason.substr(kAll.size())));
}

}  // namespace

std::vector<TranslatorRow> microsoft_tensor_translators() {
  return {
      {"GatherND", 1, same_as<"GatherND", 11>},
      {"GridSample", 1, same_as<"GridSample", 16>},
      {"Trilu", 1, same_as<"Trilu", 14>},
      {"Range", 1, range},
      {"Pad", 1, pad},
      {"ExpandDims", 1, expand_dims},
      {"Inverse", 1, inverse},
      {"SampleOp", 1, sample},
      {"UnfoldTensor", 1, unfold},
      {"CDist", 1, distances},
      {"WordConvEmbedding", 1, embed_words, {}, "char_embedding_size conv_window_size embedding_size"},
      {"AttnLSTM", 1, left_out<kAttentionInCell>, kAttentionInCell},
      {"DynamicTimeWarping", 1, left_out<kPath>, kPath},
      {"MatMulFpQ4", 1, left_out<kKernelLayout>, kKernelLayout},
      {"NGramHashMapping", 1, left_out<kWideHash>, kWideHash},
      {"VarlenNGramHashMapping", 1, left_out<kWideHash>, kWideHash},
      {"SparseAttention", 1, left_out<kSparse>, kSparse},
  };
}

}  // namespace onnx2ir::frontend
