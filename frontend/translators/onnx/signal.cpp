// DFT and STFT, and MelWeightMatrix, the weights that convert a spectrogram to a mel spectrogram. The last
// dimension of a signal holds real numbers (size 1) or complex ones (size 2).
#include <cmath>
#include <numbers>

#include "base/portable_math.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/operands.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"
#include "ir/checked_arithmetic.hpp"

namespace onnx2ir::frontend {
namespace {

/// `x`, but f64 as f32: OpenVINO's transforms take no f64.
Value convert_to_single_precision(NodeContext& node, Value x) {
  return x.type() == ElementType::f64 ? convert(node, x, ElementType::f32) : x;
}

/// `x` as complex pairs: real numbers get an imaginary part of 0.
Value convert_to_complex(NodeContext& node, Value x, std::int64_t rank) {
  const ir::Dimension last = x.shape()[static_cast<std::size_t>(rank - 1)];
  if (last == ir::Dimension(2)) return x;
  if (!last.admits(1)) node.fail("the last dimension must be 1 or 2");
  // If the size is dynamic, pads and then truncates to a pair.
  std::vector<std::int64_t> ends(static_cast<std::size_t>(rank), 0);
  const Value none = node.integers(ends);
  ends.back() = 1;
  const Value padded = pad_with(node, x, none, node.integers(ends));
  if (last.is_static()) return padded;
  return slice(node, padded, 0, 2, rank - 1);
}

/// `x` with `length` (i64 [1]) values along `axis`: truncated, or padded with zeros.
Value set_size(NodeContext& node, Value x, std::int64_t axis, Value length) {
  const Value size = dimension_of(node, x, axis);
  const Value missing = node.op(ops::Maximum, {node.op(ops::Subtract, {length, size}), node.integers({0})});
  if (node.known_integers(missing) != ir::Integers{0}) {
    const std::vector<std::int64_t> none(static_cast<std::size_t>(node.rank(x)), 0);
    const auto next = static_cast<std::size_t>(axis) + 1;
    const Value ends = concat(node, {node.integers(std::span(none).first(next - 1)), missing,
                                     node.integers(std::span(none).subspan(next))});
    x = pad_with(node, x, node.integers(none), ends);
  }
  const auto requested = node.known_integers(length);
  if (requested && x.shape()[static_cast<std::size_t>(axis)] == ir::Dimension(requested->front())) return x;
  return slice(node, x, node.integers({0}), length, axis);
}

/// All frequencies of real numbers: the upper half is the conjugated mirror image of the lower half. Null if
/// the number of frequencies is dynamic.
Value transform_of_reals(NodeContext& node, Value x, std::int64_t axis) {
  const std::int64_t count = x.shape()[static_cast<std::size_t>(axis)].size();
  if (count < 1) return {};
  ir::checked_count(count);
  const Value lower = node.op(ops::RDFT, {x, node.integers({axis})});
  std::vector<std::int64_t> mirrored;
  for (std::int64_t i = count / 2 + 1; i < count; ++i) mirrored.push_back(count - i);
  if (mirrored.empty()) return lower;
  constexpr double kConjugate[] = {1, -1};
  const Value upper = node.op(ops::Multiply, {gather(node, lower, node.integers(mirrored), axis),
                                              node.numbers(kConjugate, lower.type())});
  return concat(node, {lower, upper}, axis);
}

/// The order of axes that swaps `axis`, which is known only at run time, with the last axis of the signal.
Value swap_axes(NodeContext& node, Value axis, std::int64_t rank) {
  const Value all = emit_axes_between(node, 0, rank);
  const Value last = node.integers({rank - 2});
  const Value of_others = node.op(ops::Select, {node.op(ops::Equal, {all, last}), axis, all});
  return node.op(ops::Select, {node.op(ops::Equal, {all, axis}), last, of_others});
}

/// Inverse of the one-sided transform: real numbers along `axis` from their lower frequencies.
Value emit_real_signal(NodeContext& node, Value x, std::int64_t axis, Value length) {
  Values inputs{x, node.integers({axis})};
  if (length) {
    const Value half = divide(node, length, node.integers({2}));
    inputs[0] = set_size(node, x, axis, node.op(ops::Add, {half, node.integers({1})}));
    inputs.push_back(length);
  }
  return unsqueeze(node, node.op(ops::IRDFT, inputs), {node.rank(x) - 1});
}

Value transform(NodeContext& node, Value x, std::int64_t axis) {
  using Input = inputs::DFT;
  const std::int64_t rank = node.rank(x);
  if (axis == rank - 1) node.fail("the last dimension holds the parts of the numbers; it has no frequencies");
  const bool onesided = node.flag_attribute("onesided");
  const bool inverse = node.flag_attribute("inverse");
  Value length = node.optional_input(Input::dft_length);
  if (length) length = convert_to_list(node, require_scalar(node, length, "dft_length"));
  const ir::Dimension last = x.shape()[static_cast<std::size_t>(rank - 1)];
  if (onesided && inverse) {
    if (!last.admits(2)) node.fail("an inverse one-sided transform takes complex numbers");
    return emit_real_signal(node, x, axis, length);
  }
  if (length) x = set_size(node, x, axis, length);
  if (onesided) {
    if (!last.admits(1)) node.fail("a one-sided transform takes real numbers");
    return node.op(ops::RDFT, {squeeze(node, x, {rank - 1}), node.integers({axis})});
  }
  if (!inverse && last == ir::Dimension(1)) {
    if (const Value all = transform_of_reals(node, squeeze(node, x, {rank - 1}), axis)) return all;
  }
  return node.op(inverse ? ops::IDFT : ops::DFT, {convert_to_complex(node, x, rank), node.integers({axis})});
}

Value transform_along_input(NodeContext& node, Value x) {
  using Input = inputs::DFT;
  const std::int64_t rank = node.rank(x);
  if (!node.has_input(Input::axis)) return transform(node, x, node.axis(-2, rank));
  const Value axis = convert_to_list(node, require_scalar(node, node.input(Input::axis), "the axis"));
  if (const auto known = node.known_integers(axis)) {
    return transform(node, x, node.axis(known->front(), rank));
  }
  const Value order = swap_axes(node, node.op(ops::FloorMod, {axis, node.integer(rank)}), rank);
  const Value swapped = node.op(ops::Transpose, {x, order});
  return node.op(ops::Transpose, {transform(node, swapped, rank - 2), order});
}

/// DFT 17 (the axis as an attribute), 20 (as an optional input, -2 by default).
Values dft_17(NodeContext& node) {
  using Input = inputs::DFT;
  const Value x = convert_to_single_precision(node, node.input(Input::input));
  const Value result = node.opset() >= 20
                           ? transform_along_input(node, x)
                           : transform(node, x, node.axis(node.integer_attribute("axis", 1), node.rank(x)));
  return {convert(node, result, node.input(Input::input).type())};
}

/// The frames of a signal times the window: [B, F, N], or [B, F, N, 2] for complex numbers.
Value cut_frames(NodeContext& node, Value signal, Value window, Value size, Value step) {
  const Value room = node.op(ops::Subtract, {size_of(node, signal, 1), size});
  const Value steps = divide(node, room, step);
  const Value starts =
      node.op(ops::Multiply, {emit_range(node, node.op(ops::Add, {steps, node.integer(1)})), step});
  const Value indices = node.op(ops::Add, {unsqueeze(node, starts, {1}), emit_range(node, size)});
  const Value frames = mark_precise(gather(node, signal, indices, 1));
  const bool complex = node.rank(signal) == 3;
  return mark_precise(node.op(ops::Multiply, {frames, complex ? unsqueeze(node, window, {1}) : window}));
}

/// All frequencies of frames: OpenVINO's STFT returns only one side of the frequencies, and only for real
/// signals.
Value transform_frames(NodeContext& node, Value frames) {
  const bool complex = node.rank(frames) == 4;
  const Value numbers = complex ? frames : convert_to_complex(node, unsqueeze(node, frames, {3}), 4);
  return node.op(ops::DFT, {numbers, node.integers({2})});
}

/// The lower frequencies of frames [B, F, N] of `size` real numbers: f32 [B, F, size / 2 + 1, 2]. If the size
/// is not a power of two, this matrix product takes a sixth of the time of OpenVINO's RDFT, and less than a
/// hundredth of the time of its STFT.
Value multiply_by_waves(NodeContext& node, Value frames, std::int64_t size) {
  const std::int64_t count = size / 2 + 1;
  std::vector<double> angles;
  angles.reserve(ir::checked_count(size));
  for (std::int64_t i = 0; i < size; ++i) {
    const std::int64_t nearest = i <= size / 2 ? i : i - size;
    angles.push_back(-2 * std::numbers::pi * static_cast<double>(nearest) / static_cast<double>(size));
  }
  const Value angle = node.numbers(angles, ElementType::f32);
  const Value places = unsqueeze(node, emit_range(node, node.integer(size)), {1});
  const Value turns = node.op(ops::Multiply, {places, emit_range(node, node.integer(count))});
  const Value index = node.op(ops::FloorMod, {turns, node.integer(size)});
  const Value real = gather(node, node.op(ops::Cos, {angle}), index);
  const Value imaginary = gather(node, node.op(ops::Sin, {angle}), index);
  const Value pairs = concat(node, {unsqueeze(node, real, {2}), unsqueeze(node, imaginary, {2})}, 2);
  const Value waves = reshape(node, pairs, {size, 2 * count});
  const Value product = mark_precise(mat_mul(node, convert(node, frames, ElementType::f32), waves));
  return reshape_keeping(node, product, {0, 0, count, 2});
}

/// The one-sided transform of a real signal.
Value transform_one_side(NodeContext& node, Value signal, Value window, Value size, Value step) {
  // The matrix of a larger size takes more than 16 MiB.
  constexpr std::int64_t kMaxSize = 2048;
  const auto known = ir::known_scalar(size);
  const bool is_power_of_two = known && *known > 0 && (*known & (*known - 1)) == 0;
  if (known && *known > 0 && *known <= kMaxSize && !is_power_of_two)
    return multiply_by_waves(node, cut_frames(node, signal, window, size, step), *known);
  return node.op(ops::STFT, {signal, window, size, step}, {{"transpose_frames", false}});
}

/// STFT 17.
Values stft_17(NodeContext& node) {
  using Input = inputs::STFT;
  const Value input = convert_to_single_precision(node, node.input(Input::signal));
  const std::int64_t rank = node.rank(input);
  if (rank != 2 && rank != 3) node.fail("the signal must be a batch of vectors");
  const bool onesided = node.flag_attribute("onesided", true);
  const ir::Dimension parts = rank == 3 ? input.shape()[2] : ir::Dimension(1);
  const bool complex = parts == ir::Dimension(2);
  if (parts.is_dynamic() && !onesided) node.fail("whether the signal is real or complex is not known");
  if (complex && onesided) node.fail("a one-sided transform takes real numbers");
  if (!parts.admits(1) && !complex) node.fail("the last dimension must be 1 or 2");
  const Value signal = rank == 3 && !complex ? mark_precise(squeeze(node, input, {2})) : input;
  const Value step =
      require_scalar(node, convert(node, node.input(Input::frame_step), ElementType::i64), "frame_step");
  Value window = node.optional_input(Input::window);
  if (window) window = convert_to_single_precision(node, window);
  Value size = node.optional_input(Input::frame_length);
  if (!size && !window) node.fail("neither the window nor the frame length is given");
  size = size ? require_scalar(node, convert(node, size, ElementType::i64), "frame_length")
              : size_of(node, window, 0);
  if (!window) window = fill(node, 1, signal.type(), unsqueeze(node, size, {0}));
  const Value result = onesided ? transform_one_side(node, signal, window, size, step)
                                : transform_frames(node, cut_frames(node, signal, window, size, step));
  return {convert(node, result, node.input(Input::signal).type())};
}

/// The frequencies, as bins of the transform, at which triangles begin, peak and end.
std::vector<double> compute_mel_edges(const std::vector<double>& inputs) {
  using Input = inputs::MelWeightMatrix;
  const auto mel = [](double hertz) { return 2595 * base::decimal_logarithm(1 + hertz / 700); };
  const double lower = mel(inputs[Input::lower_edge_hertz]);
  const double bins = inputs[Input::num_mel_bins];
  const double step = (mel(inputs[Input::upper_edge_hertz]) - lower) / (bins + 2);
  std::vector<double> edges(static_cast<std::size_t>(bins) + 2);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const double hertz = 700 * (base::power(10.0, (lower + static_cast<double>(i) * step) / 2595) - 1);
    edges[i] = std::floor((inputs[Input::dft_length] + 1) * hertz / inputs[Input::sample_rate]);
  }
  return edges;
}

/// The same for parameters that are known only at run time: f32 [bins + 2].
Value compute_mel_edges(NodeContext& node) {
  using Input = inputs::MelWeightMatrix;
  const auto number = [&](double value) { return node.number(value, ElementType::f32); };
  const auto real = [&](std::size_t index) {
    return convert(node, require_scalar(node, node.input(index), "a parameter"), ElementType::f32);
  };
  const auto op = [&](ir::Op id, std::initializer_list<Value> inputs) { return node.op(id, inputs); };
  // In units of e-fold frequency: the constants of the mel scale cancel out.
  const auto mel = [&](Value hertz) {
    return node.op(ops::Log, {op(ops::Add, {divide(node, hertz, number(700)), number(1)})});
  };
  const Value lower = mel(real(Input::lower_edge_hertz));
  const Value count = op(ops::Add, {real(Input::num_mel_bins), number(2)});
  const Value step = divide(node, op(ops::Subtract, {mel(real(Input::upper_edge_hertz)), lower}), count);
  const Value index = emit_range(node, count, ElementType::f32);
  const Value mels = op(ops::Add, {op(ops::Multiply, {index, step}), lower});
  const Value hertz =
      op(ops::Multiply, {op(ops::Subtract, {node.op(ops::Exp, {mels}), number(1)}), number(700)});
  const Value scaled = op(ops::Multiply, {op(ops::Add, {real(Input::dft_length), number(1)}), hertz});
  return node.op(ops::Floor, {divide_exactly(node, scaled, real(Input::sample_rate))});
}

/// MelWeightMatrix 17: triangles over the frequencies of a one-sided transform, one per column.
Values mel_weight_matrix_17(NodeContext& node) {
  constexpr double kMaxBins = 1 << 16;
  std::vector<double> known;
  for (std::size_t i = 0; i < 5; ++i) {
    const auto value = node.known_numbers(node.input(i));
    if (value && value->size() == 1) known.push_back(value->front());
  }
  const bool is_known = known.size() == 5 && known[0] >= 0 && known[0] <= kMaxBins;
  const Value edges =
      is_known ? node.numbers(compute_mel_edges(known), ElementType::f32) : compute_mel_edges(node);
  const auto part = [&](std::int64_t first, std::int64_t end) { return slice(node, edges, first, end, 0); };
  const Value lower = part(0, -2);
  const Value peak = part(1, -1);
  const Value upper = part(2, kFarEnd);
  const Value length = require_scalar(node, convert(node, node.input(1), ElementType::i64), "dft_length");
  const Value half = divide(node, length, node.integer(2));
  const Value count = node.op(ops::Add, {half, node.integer(1)});
  const Value bins = convert(node, emit_range(node, count), ElementType::f32);
  const Value frequency = unsqueeze(node, bins, {1});
  const Value zero = node.number(0, ElementType::f32);
  const auto ratio = [&](Value a, Value b) {
    const Value divisor = node.op(ops::Maximum, {b, node.number(1, ElementType::f32)});
    return divide(node, a, divisor);
  };
  const auto difference = [&](Value a, Value b) { return node.op(ops::Subtract, {a, b}); };
  const auto both = [&](Value a, Value b) { return node.op(ops::LogicalAnd, {a, b}); };
  const Value is_behind_lower = node.op(ops::GreaterEqual, {frequency, lower});
  const Value rising = both(is_behind_lower, node.op(ops::Less, {frequency, peak}));
  const Value is_behind_peak = node.op(ops::Greater, {frequency, peak});
  const Value falling = both(is_behind_peak, node.op(ops::Less, {frequency, upper}));
  const Value distance = difference(upper, frequency);
  const Value fall = ratio(distance, difference(upper, peak));
  Value weights = node.op(ops::Select, {falling, fall, zero});
  const Value above_lower = difference(frequency, lower);
  const Value rise = ratio(above_lower, difference(peak, lower));
  weights = node.op(ops::Select, {rising, rise, weights});
  weights = node.op(ops::Select,
                    {node.op(ops::Equal, {frequency, peak}), node.number(1, ElementType::f32), weights});
  return {convert(node, weights, node.element_type_attribute("output_datatype", ElementType::f32))};
}

}  // namespace

std::vector<TranslatorRow> signal_translators() {
  return {
      {"DFT", 17, dft_17},
      {"STFT", 17, stft_17},
      {"MelWeightMatrix", 17, mel_weight_matrix_17},
  };
}

}  // namespace onnx2ir::frontend
