// Fourier transforms: DFT, STFT. The last dimension of a signal holds real numbers (size 1) or complex ones
// (2).
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/numeric.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// `x` as pairs: real numbers get an imaginary part of 0.
Value as_complex(NodeContext& node, Value x, std::int64_t rank) {
  const ir::Dimension last = x.shape()[static_cast<std::size_t>(rank - 1)];
  if (last == ir::Dimension(2)) return x;
  if (!last.admits(1)) node.fail("the last dimension must be 1 or 2");
  // Of a size that is not known the padded pair is cut off again.
  std::vector<std::int64_t> ends(static_cast<std::size_t>(rank), 0);
  const Value none = node.integers(ends);
  ends.back() = 1;
  const Value padded = node.op("Pad", {x, none, node.integers(ends), node.number_like(0, x)},
                               {{"pad_mode", std::string("constant")}});
  if (last.is_static()) return padded;
  return slice(node, padded, node.integers({0}), node.integers({2}), rank - 1);
}

/// All frequencies of real numbers: the upper half mirrors the lower one, conjugated. Null when the number of
/// frequencies is not known.
Value transform_of_reals(NodeContext& node, std::span<const Value> inputs, std::int64_t rank) {
  const auto axis = node.known_integers(inputs[1]);
  if (!axis) return {};
  const auto place = static_cast<std::size_t>(axis->front());
  std::int64_t count = inputs[0].shape()[place].size();
  if (inputs.size() > 2) {
    const auto length = node.known_integers(inputs[2]);
    count = length ? length->front() : -1;
  }
  if (count < 1) return {};
  const Value lower = node.op("RDFT", inputs);
  std::vector<std::int64_t> mirrored;
  for (std::int64_t i = count / 2 + 1; i < count; ++i) mirrored.push_back(count - i);
  if (mirrored.empty()) return lower;
  constexpr double kConjugate[] = {1, -1};
  constexpr std::int64_t kPair[] = {2};
  const Value upper = node.op("Multiply", {gather(node, lower, node.integers(mirrored), axis->front()),
                                           node.numbers(kConjugate, kPair, lower.type())});
  return concat(node, {lower, upper}, node.axis(axis->front(), rank));
}

/// `axis` counts the last dimension in when it is negative.
Values transform(NodeContext& node, Value axis) {
  const Value x = node.input(0);
  const std::int64_t rank = node.rank(x);
  const bool onesided = node.integer("onesided", 0) != 0;
  const bool inverse = node.integer("inverse", 0) != 0;
  Values inputs(2);
  inputs[1] = axis;
  if (const Value length = node.optional_input(1)) {
    inputs.push_back(as_list(node, scalar(node, length, "dft_length")));
  }
  const auto emit = [&](std::string_view op, Value data) {
    inputs[0] = data;
    return node.op(op, inputs);
  };
  const ir::Dimension last = x.shape()[static_cast<std::size_t>(rank - 1)];
  if (!onesided && !inverse && last == ir::Dimension(1)) {
    inputs[0] = squeeze(node, x, {rank - 1});
    if (const Value all = transform_of_reals(node, inputs, rank)) return {all};
  }
  if (!onesided) return {emit(inverse ? "IDFT" : "DFT", as_complex(node, x, rank))};
  if (!node.known_integers(axis) && x.shape().is_static()) {
    node.fail("the axis must be known when the model is converted: the runtime dies of any other");
  }
  if (inverse) {
    if (!last.admits(2)) node.fail("an inverse one-sided transform takes complex numbers");
    return {unsqueeze(node, emit("IRDFT", x), {rank - 1})};
  }
  if (!last.admits(1)) node.fail("a one-sided transform takes real numbers");
  return {emit("RDFT", squeeze(node, x, {rank - 1}))};
}

/// DFT 17: the axis is an attribute.
Values dft_17(NodeContext& node) {
  const std::int64_t rank = node.rank(node.input(0));
  return transform(node, node.integers({node.axis(node.integer("axis", 1), rank)}));
}

/// DFT 20: the axis is an optional input, -2 by default.
Values dft_20(NodeContext& node) {
  const std::int64_t rank = node.rank(node.input(0));
  const Value axis = node.optional_input(2);
  if (!axis) return transform(node, node.integers({node.axis(-2, rank)}));
  return transform(node,
                   node.op("FloorMod", {as_list(node, scalar(node, axis, "the axis")), node.integer(rank)}));
}

/// STFT 17: real signals, one side of the frequencies.
Values stft_17(NodeContext& node) {
  const Value input = node.input(0);
  const std::int64_t rank = node.rank(input);
  if (node.integer("onesided", 1) == 0)
    node.fail("OpenVINO transforms frames to one side of the frequencies only");
  if (rank == 3 && !input.shape()[2].admits(1)) node.fail("OpenVINO transforms frames of real signals only");
  if (rank != 2 && rank != 3) node.fail("the signal must be a batch of vectors");
  const Value signal = rank == 3 ? squeeze(node, input, {2}) : input;
  const Value step = scalar(node, convert(node, node.input(1), ElementType::i64), "frame_step");
  Value window = node.optional_input(2);
  Value size = node.optional_input(3);
  if (!size && !window) node.fail("neither the window nor the frame length is given");
  size =
      size ? scalar(node, convert(node, size, ElementType::i64), "frame_length") : size_of(node, window, 0);
  if (!window) {
    window = broadcast_to(node, node.number_like(1, signal), unsqueeze(node, size, {0}));
  }
  return {node.op("STFT", {signal, window, size, step}, {{"transpose_frames", false}})};
}

}  // namespace

std::vector<TranslatorRow> signal_translators() {
  return {
      {"DFT", 17, dft_17},
      {"DFT", 20, dft_20},
      {"STFT", 17, stft_17, "real signals, one side of the frequencies"},
  };
}

}  // namespace onnx2ir::frontend
