#include "ir/size_steps.hpp"

#include <algorithm>

#include "ir/inference.hpp"

namespace onnx2ir::ir {
namespace {

using Step = std::optional<Place>;

/// Normalises `position` in a list of `size` entries; a negative one counts from the end.
std::optional<std::size_t> position_in(std::int64_t position, std::size_t size) {
  if (position < 0) position += static_cast<std::int64_t>(size);
  if (position < 0 || static_cast<std::size_t>(position) >= size) return std::nullopt;
  return static_cast<std::size_t>(position);
}

/// The operand that determines this dimension of an elementwise result; no value if several may.
Step through_broadcast(const Node& node, std::size_t rank, std::size_t axis) {
  Step found;
  for (const Place& place : operand_dimensions(node, rank, axis)) {
    if (place.value.shape()[place.index] == Dimension(1)) continue;
    if (found) return std::nullopt;
    found = place;
  }
  return found;
}

Step through_product(const Node& node, std::size_t rank, std::size_t axis) {
  const PartialShape& left = node.input(0).shape();
  const PartialShape& right = node.input(1).shape();
  if (!left.has_rank() || left.rank() < 2 || !right.has_rank() || right.rank() < 2) return std::nullopt;
  if (axis + 1 == rank) return Place{node.input(1), right.rank() - (node.boolean("transpose_b") ? 2 : 1)};
  if (axis + 2 == rank) return Place{node.input(0), left.rank() - (node.boolean("transpose_a") ? 1 : 2)};
  return through_broadcast(node, rank, axis);
}

/// Whether `axis` is among the axes in input `index`; no value if they are dynamic.
std::optional<bool> is_listed(const Node& node, std::size_t index, std::size_t rank, std::size_t axis) {
  const auto axes = exact_values(node.input(index));
  if (!axes) return std::nullopt;
  return std::ranges::any_of(*axes, [&](std::int64_t listed) { return position_in(listed, rank) == axis; });
}

Step through_gather(const Node& node, std::size_t axis) {
  const PartialShape& indices = node.input(1).shape();
  const auto list = exact_values(node.input(2));
  if (!list || !indices.has_rank() || !node.input(0).shape().has_rank() || node.integer("batch_dims") != 0)
    return std::nullopt;
  const auto along = position_in(list->front(), node.input(0).shape().rank());
  if (!along) return std::nullopt;
  if (axis < *along) return Place{node.input(0), axis};
  if (axis < *along + indices.rank()) return Place{node.input(1), axis - *along};
  return Place{node.input(0), axis - indices.rank() + 1};
}

/// A dimension of the indices; those of the data are usually static.
Step through_gather_nd(const Node& node, std::size_t axis) {
  const PartialShape& indices = node.input(1).shape();
  const bool is_index = node.integer("batch_dims") == 0 && indices.has_rank() && axis + 1 < indices.rank();
  return is_index ? Step(Place{node.input(1), axis}) : std::nullopt;
}

Step through_unsqueeze(const Node& node, std::size_t rank, std::size_t axis) {
  std::size_t before = 0;
  for (std::size_t i = 0; i <= axis; ++i) {
    const auto is_new = is_listed(node, 1, rank, i);
    if (!is_new || (*is_new && i == axis)) return std::nullopt;
    before += *is_new ? 1 : 0;
  }
  return Place{node.input(0), axis - before};
}

/// A dimension that is 1 before or after the Broadcast.
Step through_broadcast_to(const Node& node, std::size_t rank, std::size_t axis) {
  const PartialShape& data = node.input(0).shape();
  const auto count = node.input(1).shape().element_count();
  if (!data.has_rank() || !count) return std::nullopt;
  const std::size_t missing = rank - data.rank();
  const std::size_t missing_size = rank - static_cast<std::size_t>(*count);
  if (axis < missing || data[axis - missing] == Dimension(1)) {
    return axis < missing_size ? std::nullopt : Step(Place{node.input(1), axis - missing_size, true});
  }
  const auto sizes = known_values(node.input(1));
  const bool is_one =
      axis < missing_size || (sizes && (*sizes)[axis - missing_size] == ValueRange::exactly(1));
  return is_one ? Step(Place{node.input(0), axis - missing}) : std::nullopt;
}

/// The integer of one element as a size, if it is known not to be negative.
Step as_size(Value count) {
  const auto known = known_values(count);
  const bool is_size = known && known->size() == 1 && is_integral(count.type()) && known->front().min >= 0;
  return is_size ? Step(Place{count, 0, true}) : std::nullopt;
}

/// The number of elements of a Range in steps of 1: the end, if it starts at 0, or n, if it ends at start +
/// n.
Step from_range(const Node& node) {
  if (const auto step = exact_values(node.input(2)); !step || step->front() != 1) return std::nullopt;
  const Value start = node.input(0);
  const Value end = node.input(1);
  if (const auto known = exact_values(start); known && known->front() == 0) return as_size(end);
  const Value length = added_to(start, end);
  return length ? as_size(length) : std::nullopt;
}

/// Whether the mask of a ScaledDotProductAttention may widen the result.
bool has_mask(const Node& node) {
  return node.inputs().size() > 3 && !node.boolean("causal") && !node.input(3).shape().is_scalar();
}

Step from_dimension(Value value, std::size_t axis) {
  const Node& node = *value.node;
  const std::size_t rank = value.shape().rank();
  if (node.op().traits.keeps_shape) return Place{node.input(0), axis};
  if (node.op().traits.broadcasts) return through_broadcast(node, rank, axis);
  if (node.is(ops::MatMul)) return through_product(node, rank, axis);
  if (node.is(ops::ScaledDotProductAttention)) {
    // The inputs may have fewer axes of the batch than the result.
    if (axis + 1 == rank) return Place{node.input(2), node.input(2).shape().rank() - 1};
    if (axis + 2 < rank) return through_broadcast(node, rank, axis);
    return has_mask(node) ? std::nullopt : Step(Place{node.input(0), node.input(0).shape().rank() - 2});
  }
  if (node.is(ops::Transpose)) {
    const auto order = exact_order(node);
    if (!order) return std::nullopt;
    return Place{node.input(0), static_cast<std::size_t>((*order)[axis])};
  }
  if (node.is(ops::Concat)) {
    const bool is_joined = position_in(node.integer("axis"), rank) == axis;
    return is_joined ? std::nullopt : Step(Place{node.input(0), axis});
  }
  if (node.is(ops::VariadicSplit) || node.is(ops::Split)) {
    return is_listed(node, 1, rank, axis) == false ? Step(Place{node.input(0), axis}) : std::nullopt;
  }
  if (node.is(ops::Slice)) {
    return is_listed(node, 4, rank, axis) == false ? Step(Place{node.input(0), axis}) : std::nullopt;
  }
  if (node.op().traits.is_reduction && node.inputs().size() == 2) {
    const bool keeps = node.boolean("keep_dims") && is_listed(node, 1, rank, axis) == false;
    return keeps ? Step(Place{node.input(0), axis}) : std::nullopt;
  }
  if (node.is(ops::Convolution) || node.is(ops::GroupConvolution)) {
    return axis == 0 ? Step(Place{node.input(0), 0}) : std::nullopt;
  }
  if (node.is(ops::Gather)) return through_gather(node, axis);
  if (node.is(ops::GatherND)) return through_gather_nd(node, axis);
  if (node.is(ops::Unsqueeze)) return through_unsqueeze(node, rank, axis);
  if (node.is(ops::Broadcast)) return through_broadcast_to(node, rank, axis);
  if (node.is(ops::Range)) return from_range(node);
  if (node.is(ops::Reshape)) {
    const auto sizes = known_values(node.input(1));
    // A computed size may be -1, which means the remaining elements.
    if (!sizes || axis >= sizes->size() || (*sizes)[axis].min < 0) return std::nullopt;
    return Place{node.input(1), axis, true};
  }
  return std::nullopt;
}

Step through_concat(const Node& node, std::size_t index) {
  for (std::size_t i = 0; i < node.inputs().size(); ++i) {
    const auto sizes = node.input(i).shape().sizes();
    if (!sizes || sizes->size() != 1) return std::nullopt;
    const auto size = static_cast<std::size_t>(sizes->front());
    if (index < size) return Place{node.input(i), index, true};
    index -= size;
  }
  return std::nullopt;
}

/// The element of the operand that a Select of lists chooses, if its condition is known.
Step through_select(const Node& node, std::size_t index) {
  const auto condition = exact_values(node.input(0));
  if (!condition || condition->empty()) return std::nullopt;
  const bool is_true = (*condition)[condition->size() == 1 ? 0 : index] != 0;
  const Value chosen = node.input(is_true ? 1 : 2);
  const auto count = chosen.shape().element_count();
  return count ? Step(Place{chosen, *count == 1 ? 0 : index, true}) : std::nullopt;
}

Step from_element(Value value, std::size_t index) {
  const Node& node = *value.node;
  if (node.is(ops::Select) && value.shape().rank() == 1) return through_select(node, index);
  if (node.is(ops::ShapeOf)) return Place{node.input(0), index};
  if (node.op().traits.reshapes) return Place{node.input(0), index, true};
  if (node.is(ops::Convert) && is_integral(node.input(0).type()) && is_integral(value.type())) {
    return Place{node.input(0), index, true};
  }
  if (node.is(ops::Concat)) return through_concat(node, index);
  const auto list = node.inputs().empty() ? std::nullopt : node.input(0).shape().sizes();
  if (!list || list->size() != 1) return std::nullopt;
  const auto size = static_cast<std::size_t>(list->front());
  std::optional<std::size_t> position;
  if (node.is(ops::Gather)) {
    const auto indices = exact_values(node.input(1));
    if (indices && index < indices->size()) position = position_in((*indices)[index], size);
  } else if (node.is(ops::Slice)) {
    const auto start = exact_values(node.input(1));
    const auto step = exact_values(node.input(3));
    // A Slice clamps its start.
    if (start && step && !start->empty() && !step->empty() && step->front() == 1) {
      const auto before = -static_cast<std::int64_t>(size);
      position = position_in(std::max(start->front(), before), size);
    }
    if (position) *position += index;
  }
  if (!position || *position >= size) return std::nullopt;
  return Place{node.input(0), *position, true};
}

}  // namespace

Value added_to(Value start, Value sum) {
  const Node& node = *sum.node;
  if (!node.is(ops::Add)) return {};
  if (node.input(0) == start) return node.input(1);
  return node.input(1) == start ? node.input(0) : Value{};
}

std::vector<Place> operand_dimensions(const Node& node, std::size_t rank, std::size_t axis) {
  std::vector<Place> result;
  std::size_t count = node.inputs().size();
  if (node.is(ops::ScaledDotProductAttention)) count = has_mask(node) ? 4 : 3;
  for (std::size_t i = 0; i < count; ++i) {
    const Value operand = node.input(i);
    // Of an operand of unknown rank, no dimension is known: the caller cannot tell which one it meets.
    if (!operand.shape().has_rank()) return {};
    const std::size_t missing = rank - operand.shape().rank();
    if (axis >= missing) result.push_back({operand, axis - missing});
  }
  return result;
}

Step previous_place(const Place& place) {
  if (place.is_element) return from_element(place.value, place.index);
  return place.value.shape().has_rank() ? from_dimension(place.value, place.index) : std::nullopt;
}

}  // namespace onnx2ir::ir
