#include "ir/size_origin.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/inference.hpp"

namespace onnx2ir::ir {
namespace {

/// A dimension of a value, or an element of one (in C order).
struct Place {
  Value value;
  std::size_t index = 0;
  bool is_element = false;

  friend bool operator==(const Place&, const Place&) = default;
};
using Step = std::optional<Place>;

/// Normalises `position` in a list of `size` entries; a negative one counts from the end.
std::optional<std::size_t> position_in(std::int64_t position, std::size_t size) {
  if (position < 0) position += static_cast<std::int64_t>(size);
  if (position < 0 || static_cast<std::size_t>(position) >= size) return std::nullopt;
  return static_cast<std::size_t>(position);
}

/// The operand that determines this dimension of an elementwise result; no value if both may.
Step through_broadcast(const Node& node, std::size_t rank, std::size_t axis) {
  Step found;
  for (std::size_t i = 0; i < 2; ++i) {
    const PartialShape& shape = node.input(i).shape();
    if (!shape.has_rank()) return std::nullopt;
    const std::size_t missing = rank - shape.rank();
    if (axis < missing || shape[axis - missing] == Dimension(1)) continue;
    if (found) return std::nullopt;
    found = Place{node.input(i), axis - missing};
  }
  return found;
}

Step through_product(const Node& node, std::size_t rank, std::size_t axis) {
  const PartialShape& left = node.input(0).shape();
  const PartialShape& right = node.input(1).shape();
  const bool is_plain = left.has_rank() && left.rank() == rank && right.has_rank() && right.rank() == 2;
  if (!is_plain || node.boolean("transpose_a") || axis + 1 == rank) return std::nullopt;
  return Place{node.input(0), axis};
}

Step from_dimension(Value value, std::size_t axis) {
  const Node& node = *value.node;
  const std::size_t rank = value.shape().rank();
  if (node.op().traits.keeps_shape) return Place{node.input(0), axis};
  if (node.op().traits.is_arithmetic) return through_broadcast(node, rank, axis);
  if (node.is(ops::MatMul)) return through_product(node, rank, axis);
  if (node.is(ops::Transpose)) {
    const auto order = exact_values(node.input(1));
    if (!order || order->size() != rank) return std::nullopt;
    return Place{node.input(0), static_cast<std::size_t>((*order)[axis])};
  }
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

Step from_element(Value value, std::size_t index) {
  const Node& node = *value.node;
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
    if (start && step && step->front() == 1) position = position_in(start->front(), size);
    if (position) *position += index;
  }
  if (!position || *position >= size) return std::nullopt;
  return Place{node.input(0), *position, true};
}

struct Origin {
  Place place;
  /// The sizes that replace the size if it is 0: a Reshape on the way interprets 0 as "copy from the input".
  Dimensions instead_of_zero;

  friend bool operator==(const Origin&, const Origin&) = default;
};

Step next(const Place& place) {
  if (place.is_element) return from_element(place.value, place.index);
  return place.value.shape().has_rank() ? from_dimension(place.value, place.index) : std::nullopt;
}

/// Traces a size back to its origin, as far as that is certain.
Origin origin_of(Place size) {
  Origin origin{size, {}};
  Origin certain = origin;
  Step expected;  // the dimension that must come next, because a Reshape may copy it as well
  while (const Step step = next(origin.place)) {
    const Node& node = *origin.place.value.node;
    if (!origin.place.is_element && node.is(ops::Reshape) && node.boolean("special_zero")) {
      const PartialShape& data = node.input(0).shape();
      const std::size_t axis = origin.place.index;
      if (!data.has_rank() || axis >= data.rank()) break;
      if (data[axis].is_static()) {
        origin.instead_of_zero.push_back(data[axis]);
      } else {
        expected = Place{node.input(0), axis};
      }
    }
    origin.place = *step;
    if (!origin.place.is_element && expected && origin.place != std::exchange(expected, {})) break;
    if (!expected) certain = origin;
  }
  return certain;
}

constexpr int kDeepestReshapes = 4;

bool are_equal(const Place& a, const Place& b, int depth);

/// Whether two values of the same rank provably have the same shape.
bool have_equal_shapes(Value a, Value b, int depth) {
  if (!a.shape().has_rank() || !b.shape().has_rank() || a.shape().rank() != b.shape().rank()) return false;
  for (std::size_t axis = 0; axis < a.shape().rank(); ++axis) {
    const bool is_known = a.shape()[axis].is_static() && a.shape()[axis] == b.shape()[axis];
    if (!is_known && !are_equal({a, axis}, {b, axis}, depth)) return false;
  }
  return true;
}

bool are_equal(const Place& a, const Place& b, int depth) {
  const Origin first = origin_of(a);
  const Origin second = origin_of(b);
  if (first == second) return true;
  if (depth == 0 || first.place.is_element || second.place.is_element ||
      first.place.index != second.place.index || first.instead_of_zero != second.instead_of_zero) {
    return false;
  }
  const Node& one = *first.place.value.node;
  const Node& other = *second.place.value.node;
  return one.is(ops::Reshape) && other.is(ops::Reshape) && one.input(1) == other.input(1) &&
         one.boolean("special_zero") == other.boolean("special_zero") &&
         have_equal_shapes(one.input(0), other.input(0), depth - 1);
}

}  // namespace

bool have_equal_sizes(Value a, Value b, std::size_t axis) {
  return are_equal({a, axis}, {b, axis}, kDeepestReshapes);
}

bool is_size_of(Value sizes, std::size_t index, Value value, std::size_t axis) {
  return origin_of({sizes, index, true}) == origin_of({value, axis});
}

std::optional<std::int64_t> known_element(Value values, std::size_t index) {
  Step place = Place{values, index, true};
  while (place && place->is_element) {
    const auto known = known_values(place->value);
    if (known && place->index < known->size() && (*known)[place->index].is_exact())
      return (*known)[place->index].min;
    place = next(*place);
  }
  if (!place || !place->value.shape().has_rank()) return std::nullopt;
  const Dimension& size = place->value.shape()[place->index];
  return size.is_static() ? std::optional(size.size()) : std::nullopt;
}

std::optional<bool> compared_sizes(Value condition) {
  static constexpr OperationSet kTrueOfEqual = {ops::Equal, ops::LessEqual, ops::GreaterEqual};
  static constexpr OperationSet kFalseOfEqual = {ops::NotEqual, ops::Less, ops::Greater};
  bool negated = false;
  const Node* node = condition.node;
  const auto is_passed_on = [&] {
    return (node->is(ops::Convert) || node->is(ops::Reshape) || node->is(ops::Squeeze)) &&
           node->input(0).type() == ElementType::boolean;
  };
  while (node->is(ops::LogicalNot) || is_passed_on()) {
    negated ^= node->is(ops::LogicalNot);
    node = node->input(0).node;
  }
  const bool is_true = node->is_one_of(kTrueOfEqual);
  if (!is_true && !node->is_one_of(kFalseOfEqual)) return std::nullopt;
  for (std::size_t i = 0; i < 2; ++i) {
    if (node->input(i).shape().element_count() != 1 || !is_integral(node->input(i).type()))
      return std::nullopt;
  }
  if (origin_of({node->input(0), 0, true}) != origin_of({node->input(1), 0, true})) return std::nullopt;
  return is_true != negated;
}

}  // namespace onnx2ir::ir
