// MelWeightMatrix: the weights that convert a spectrogram to a mel spectrogram.
#include <cmath>

#include "base/portable_math.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/operands.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"
#include "ir/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// The parameters of a mel spectrogram.
struct MelBands {
  double bins;
  double dft_length;
  double sample_rate;
  double lower;  ///< hertz
  double upper;
};

/// The frequencies, as bins of the transform, at which triangles begin, peak and end.
std::vector<double> compute_mel_edges(const MelBands& bands) {
  const auto mel = [](double hertz) { return 2595 * base::decimal_logarithm(1 + hertz / 700); };
  const double step = (mel(bands.upper) - mel(bands.lower)) / (bands.bins + 2);
  std::vector<double> edges(static_cast<std::size_t>(bands.bins) + 2);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const double hertz =
        700 * (base::power(10.0, (mel(bands.lower) + static_cast<double>(i) * step) / 2595) - 1);
    edges[i] = std::floor((bands.dft_length + 1) * hertz / bands.sample_rate);
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
  Value edges;
  if (known.size() == 5 && known[0] >= 0 && known[0] <= kMaxBins) {
    const auto values = compute_mel_edges(MelBands{known[0], known[1], known[2], known[3], known[4]});
    edges = node.numbers(values, ElementType::f32);
  } else {
    edges = compute_mel_edges(node);
  }
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

std::vector<TranslatorRow> mel_weight_translators() {
  return {{"MelWeightMatrix", 17, mel_weight_matrix_17}};
}

}  // namespace onnx2ir::frontend
