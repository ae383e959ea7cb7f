// Operations along the time axis of sequences: recurrent cells, and Fourier transforms, whose complex numbers
// are pairs in the last dimension.
#include "ir/checked_arithmetic.hpp"
#include "ir/inference.hpp"
#include "ir/ops/families.hpp"
#include "ir/ops/known_elements.hpp"
#include "ir/views/groups.hpp"
#include "ir/views/signal.hpp"

namespace onnx2ir::ir {
namespace {

/// Checks W, R and B, inputs `first` to `first` + 2, against X, the directions and the hidden size. The
/// number of gates is not checked, because B differs between operations (in GRU it has more rows).
void check_weights(const Node& node, std::size_t first, std::int64_t directions, Dimension hidden) {
  const ElementType type = node.input(0).type();
  for (std::size_t i = first; i < first + 3; ++i) {
    require(node.input(i).type() == type, "the weights of a sequence must have the type of its input");
  }
  const PartialShape& x = node.input(0).shape();
  const PartialShape& w = node.input(first).shape();
  const PartialShape& r = node.input(first + 1).shape();
  const auto check = [&](const PartialShape& weights, Dimension columns, const char* name) {
    if (!weights.has_rank()) return;
    const bool fits =
        weights[0].admits(directions) && (columns.is_dynamic() || weights[2].admits(columns.size()));
    if (!fits) {
      invalid(std::string(name) + " of shape " + to_string(weights) + " does not fit " +
              std::to_string(directions) + " directions and " + to_string(columns) + " columns");
    }
  };
  check(w, dimension_along(x, 2), "W");
  check(r, hidden, "R");
  if (w.has_rank() && r.has_rank()) {
    require(intersect(w[1], r[1]).has_value(), "W and R differ in their number of rows");
  }
}

/// Inputs: X [batch, steps, input], `states` initial states [batch, directions, hidden], lengths [batch], W,
/// R, B. Outputs: Y [batch, directions, steps, hidden], then the final states.
template <std::size_t states>
void infer_sequence(Node& node) {
  const ElementType type = same_type(node, 0, states + 1);
  require(is_integral(node.input(states + 1).type()), "the sequence lengths must be integers");
  const PartialShape& x = node.input(0).shape();
  const std::int64_t directions = node.text("direction") == "bidirectional" ? 2 : 1;
  const Dimension hidden = node.integer("hidden_size");
  Dimension batch = dimension_along(x, 0);
  for (std::size_t i = 1; i <= states; ++i) {
    const PartialShape& state = node.input(i).shape();
    batch =
        common_dimension(batch, dimension_along(state, 0), "input and initial state differ in batch size");
  }
  const PartialShape& lengths = node.input(states + 1).shape();
  batch =
      common_dimension(batch, dimension_along(lengths, 0), "input and sequence lengths differ in batch size");
  check_weights(node, states + 2, directions, hidden);
  set_output(node, 0, type, PartialShape{batch, directions, dimension_along(x, 1), hidden});
  for (std::size_t i = 1; i <= states; ++i)
    set_output(node, i, type, PartialShape{batch, directions, hidden});
}

/// The requested length for the axis at `index` of the list; no value if the length of the data is used.
std::optional<Dimension> requested_length(AnyTransformView transform, std::size_t index) {
  if (!transform.signal_size()) return std::nullopt;
  const auto lengths = known_integers(transform, AnyTransformView::Input::signal_size);
  if (!lengths || index >= lengths->size()) return Dimension();
  const ValueRange length = (*lengths)[index];
  if (!length.is_exact()) return Dimension();
  if (length.min == -1) return std::nullopt;
  return Dimension(length.min);
}

/// Gives the axes the lengths that are requested.
void set_lengths(AnyTransformView transform, const std::vector<std::size_t>& axes, PartialShape& shape) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (const auto length = requested_length(transform, i)) shape[axes[i]] = *length;
  }
}

/// DFT and IDFT, from complex numbers to complex ones; RDFT, from real ones, and IRDFT, to real ones, of
/// which the complex side has (length of the last axis) / 2 + 1 frequencies.
void infer_transform(Node& node) {
  const AnyTransformView transform = node;
  PartialShape shape = transform.data().shape();
  if (!shape.has_rank()) return set_output(node, 0, transform.data().type(), shape);
  const bool is_from_real = node.is(ops::RDFT);
  const bool is_to_real = node.is(ops::IRDFT);
  const bool is_complex = !is_from_real && !is_to_real;
  Dimension pair = 2;
  if (!is_from_real) {
    require(shape.rank() >= 2, "a Fourier transform needs an axis and pairs of numbers");
    pair = shape[shape.rank() - 1];
    require(is_to_real || pair.admits(2), "the last dimension must hold pairs of numbers");
    shape.mutable_dimensions().pop_back();
  }
  if (const auto axes = known_axes(transform.axes(), shape.rank()); axes && (is_complex || !axes->empty())) {
    set_lengths(transform, *axes, shape);
    if (!is_complex) {
      Dimension& last = shape[axes->back()];
      if (is_from_real) {
        last = last.is_static() ? Dimension(last.size() / 2 + 1) : Dimension();
      } else if (!requested_length(transform, axes->size() - 1)) {
        last = last.is_static() ? Dimension(checked_multiply(2, last.size() - 1)) : Dimension();
      }
    }
  } else if (!is_complex || transform.signal_size()) {
    shape = shape.without_sizes();
  }
  if (!is_to_real) shape.mutable_dimensions().push_back(pair);
  set_output(node, 0, transform.data().type(), std::move(shape));
}

/// Inputs: signal [batch, length] or [length], window, frame size, frame step. Output: [batch, frames,
/// frequencies, 2], with `transpose_frames` [batch, frequencies, frames, 2].
void infer_short_time_transform(Node& node) {
  const STFTView transform = node;
  const PartialShape& signal = transform.data().shape();
  const auto type = transform.data().type();
  if (!signal.has_rank()) return set_output(node, 0, type, PartialShape{-1, -1, -1, 2});
  require(signal.rank() == 1 || signal.rank() == 2, "the signal must be a vector or a batch of vectors");
  const auto size = exact_values(transform.frame_size());
  const auto step = exact_values(transform.frame_step());
  require((!size || size->size() == 1) && (!step || step->size() == 1),
          "frame size and step are one number each");
  const Dimension& length = signal[signal.rank() - 1];
  Dimension frames;
  if (size && step && length.is_static()) {
    require(step->front() > 0 && size->front() > 0 && size->front() <= length.size(),
            "frames must fit the signal");
    frames = (length.size() - size->front()) / step->front() + 1;
  }
  Dimensions result;
  if (signal.rank() == 2) result.push_back(signal[0]);
  const Dimension frequencies = size && step ? Dimension(size->front() / 2 + 1) : Dimension();
  const bool is_transposed = transform.transpose_frames();
  result.push_back(is_transposed ? frequencies : frames);
  result.push_back(is_transposed ? frames : frequencies);
  result.push_back(2);
  set_output(node, 0, type, PartialShape(std::move(result)));
}

}  // namespace

std::vector<OpFunction> sequences_functions() {
  return {
      {ops::LSTMSequence, infer_sequence<2>},
      {{ops::GRUSequence, ops::RNNSequence}, infer_sequence<1>},
      {{ops::DFT, ops::IDFT, ops::RDFT, ops::IRDFT}, infer_transform},
      {ops::STFT, infer_short_time_transform},
  };
}

}  // namespace onnx2ir::ir
