#include "ir/element_moves.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "ir/inference.hpp"
#include "ir/known_values.hpp"
#include "ir/size_rules.hpp"
#include "ir/views/groups.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/reshaping.hpp"
#include "ir/views/selection.hpp"

namespace onnx2ir::ir {
namespace {

using Positions = std::optional<std::vector<std::int64_t>>;

/// Strides of a C-ordered tensor. Its number of elements fits 64 bits and is not 0.
Integers strides_of(const Integers& sizes) {
  Integers strides(sizes.size(), 1);
  for (std::size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * sizes[i];
  return strides;
}

/// `source` maps the coordinates of an element to its position.
template <typename Source>
std::vector<std::int64_t> positions(const Integers& sizes, std::int64_t count, Source source) {
  std::vector<std::int64_t> result;
  result.reserve(static_cast<std::size_t>(count));
  Integers at(sizes.size(), 0);
  for (std::int64_t i = 0; i < count; ++i) {
    result.push_back(source(at));
    for (std::size_t axis = at.size(); axis-- > 0;) {
      if (++at[axis] < sizes[axis]) break;
      at[axis] = 0;
    }
  }
  return result;
}

/// What is static of a node that moves elements.
struct Move {
  Integers from;  ///< sizes of input 0
  Integers to;    ///< sizes of the output
  std::int64_t count = 0;
  std::optional<Integers> (*exact)(Value value) = nullptr;
};

/// A step along an axis of the output is a step of `by` elements in input 0.
Positions strided(const Move& move, std::int64_t first, const Integers& by) {
  return positions(move.to, move.count, [&](const Integers& at) {
    std::int64_t position = first;
    for (std::size_t i = 0; i < at.size(); ++i) position += at[i] * by[i];
    return position;
  });
}

Positions transposed(const Node& node, const Move& move) {
  const auto order = exact_order(node);
  if (!order) return std::nullopt;
  const Integers strides = strides_of(move.from);
  Integers by;
  for (const std::int64_t axis : *order) by.push_back(strides[static_cast<std::size_t>(axis)]);
  return strided(move, 0, by);
}

Positions sliced(SliceView slice, const Move& move) {
  const auto starts = move.exact(slice.start());
  const auto stops = move.exact(slice.stop());
  const auto steps = move.exact(slice.step());
  const auto axes = exact_values(slice.axes());
  if (!starts || !stops || !steps || !axes) return std::nullopt;
  const std::size_t count = axes->size();
  if (starts->size() != count || stops->size() != count || steps->size() != count) return std::nullopt;
  const Integers strides = strides_of(move.from);
  Integers by = strides;
  std::int64_t first = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t axis = normalize_axis((*axes)[i], move.from.size());
    const std::int64_t size = move.from[axis];
    // With a larger step, there is one element.
    by[axis] *= std::clamp((*steps)[i], -size, size);
    first += slice_axis((*starts)[i], (*stops)[i], (*steps)[i], size).start * strides[axis];
  }
  return strided(move, first, by);
}

Positions gathered(GatherView gather, const Move& move) {
  const auto axis_value = known_scalar(gather.axis());
  const auto chosen = move.exact(gather.indices());
  const auto chosen_sizes = gather.indices().shape().sizes();
  if (!axis_value || !chosen || !chosen_sizes || gather.batch_dims() != 0) return std::nullopt;
  const std::size_t axis = normalize_axis(*axis_value, move.from.size());
  const std::size_t rank = chosen_sizes->size();
  const Integers strides = strides_of(move.from);
  const Integers chosen_strides = strides_of(*chosen_sizes);
  const std::int64_t size = move.from[axis];
  return positions(move.to, move.count, [&](const Integers& at) -> std::int64_t {
    std::int64_t position = 0;
    std::int64_t which = 0;
    for (std::size_t i = 0; i < axis; ++i) position += at[i] * strides[i];
    for (std::size_t i = 0; i < rank; ++i) which += at[axis + i] * chosen_strides[i];
    for (std::size_t i = axis + 1; i < move.from.size(); ++i) position += at[i + rank - 1] * strides[i];
    std::int64_t index = (*chosen)[static_cast<std::size_t>(which)];
    if (index < 0) index += size;
    return index < 0 || index >= size ? -1 : position + index * strides[axis];
  });
}

/// The output is the next part of input 0 after those of earlier outputs.
Positions split(AnySplitView parts, std::size_t output, const Move& move) {
  const auto axis_value = known_scalar(parts.axis());
  if (!axis_value) return std::nullopt;
  const std::size_t axis = normalize_axis(*axis_value, move.from.size());
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < output; ++i) {
    const Dimension length = parts.output(i).shape[axis];
    if (length.is_dynamic()) return std::nullopt;
    begin += length.size();
  }
  if (begin + move.to[axis] > move.from[axis]) return std::nullopt;
  const Integers strides = strides_of(move.from);
  return strided(move, begin * strides[axis], strides);
}

}  // namespace

SliceOfAxis slice_axis(std::int64_t start, std::int64_t stop, std::int64_t step, std::int64_t size) {
  const std::int64_t least = step > 0 ? 0 : -1;
  const std::int64_t most = step > 0 ? size : size - 1;
  const auto clamp = [&](std::int64_t position) {
    // A position that is far outside stays outside after `size` is added.
    if (position < 0) position += size;
    return std::clamp(position, least, most);
  };
  start = clamp(start);
  stop = clamp(stop);
  const std::int64_t distance = step > 0 ? stop - start : start - stop;
  constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();  // beyond each size
  const std::int64_t stride = step > 0 ? step : step < -kFar ? kFar : -step;
  return {start, distance <= 0 ? 0 : (distance - 1) / stride + 1};
}

std::vector<std::int64_t> repeated_positions(const Integers& from, const Integers& to, std::int64_t count) {
  if (count == 0) return {};
  const Integers strides = strides_of(from);
  const std::size_t skip = to.size() - from.size();
  return positions(to, count, [&](const Integers& at) {
    std::int64_t position = 0;
    for (std::size_t i = 0; i < from.size(); ++i) position += at[skip + i] % from[i] * strides[i];
    return position;
  });
}

Positions moved_from(const Node& node, std::size_t output, std::optional<Integers> (*exact)(Value value)) {
  if (!node.is_one_of(kElementMoves)) return std::nullopt;
  const auto count = node.output(output).shape.element_count();
  const auto from_count = node.input(0).shape().element_count();
  auto from = node.input(0).shape().sizes();
  auto to = node.output(output).shape.sizes();
  if (!count || *count > kMaxKnownElements || !from || !to) return std::nullopt;
  if (*count == 0) return std::vector<std::int64_t>{};
  if (from_count == 0) return std::nullopt;  // all indices are out of range
  if (from_count == std::numeric_limits<std::int64_t>::max()) return std::nullopt;  // positions do not fit
  const Move move{*std::move(from), *std::move(to), *count, exact};
  if (node.is(ops::Transpose)) return transposed(node, move);
  if (const auto slice = match<SliceView>(node)) return sliced(*slice, move);
  if (const auto gather = match<GatherView>(node)) return gathered(*gather, move);
  if (const auto parts = match<AnySplitView>(node)) return split(*parts, output, move);
  if (node.is_one_of({ops::Broadcast, ops::Tile})) return repeated_positions(move.from, move.to, move.count);
  return strided(move, 0, strides_of(move.to));
}

std::optional<std::vector<std::size_t>> updated_positions(const Node& scatter, std::size_t size) {
  const AnyScatterView view = scatter;
  const auto elements_update = match<ScatterElementsUpdateView>(scatter);
  const bool is_assignment = !elements_update || elements_update->reduction() == "none";
  const auto indices =
      is_assignment && view.data().shape().has_rank(1) ? exact_values(view.indices()) : std::nullopt;
  if (!indices) return std::nullopt;
  std::vector<std::size_t> positions;
  for (const std::int64_t index : *indices) {
    const auto position = position_in(index, size);
    if (!position) return std::nullopt;
    positions.push_back(*position);
  }
  return positions;
}

}  // namespace onnx2ir::ir
