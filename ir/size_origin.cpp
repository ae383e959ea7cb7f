#include "ir/size_origin.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/inference.hpp"
#include "ir/size_comparison.hpp"
#include "ir/size_steps.hpp"

namespace onnx2ir::ir {
namespace {

struct Origin {
  Place place;
  /// The sizes that replace the size if it is 0: a Reshape on the way interprets 0 as "copy from the input".
  Dimensions instead_of_zero;

  friend bool operator==(const Origin&, const Origin&) = default;
};

/// The most steps back to an origin: a model may ask for the sizes of each node of a long chain.
constexpr int kMaxSteps = 128;

/// Traces a size back to its origin, as far as that is certain, or to a value in between.
Origin origin_of(Place size) {
  Origin origin{size, {}};
  Origin certain = origin;
  std::optional<Place> expected;  // the dimension that must come next, because a Reshape may copy it as well
  for (int steps = 0; steps < kMaxSteps; ++steps) {
    const std::optional<Place> step = previous_place(origin.place);
    if (!step) break;
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
constexpr int kDeepestConcats = 1;
constexpr std::size_t kMaxJoined = 4;

/// The most comparisons of a query: their number can be the rank to the power of the depth.
constexpr int kMaxComparisons = 512;

bool are_equal(const Place& a, const Place& b, int depth, int& comparisons);

/// Whether two values of the same rank provably have the same shape.
bool have_equal_shapes(Value a, Value b, int depth, int& comparisons) {
  if (!a.shape().has_rank() || !b.shape().has_rank() || a.shape().rank() != b.shape().rank()) return false;
  for (std::size_t axis = 0; axis < a.shape().rank(); ++axis) {
    const bool is_known = a.shape()[axis].is_static() && a.shape()[axis] == b.shape()[axis];
    if (!is_known && !are_equal({a, axis}, {b, axis}, depth, comparisons)) return false;
  }
  return true;
}

bool are_equal(const Place& a, const Place& b, int depth, int& comparisons) {
  if (++comparisons > kMaxComparisons) return false;
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
         have_equal_shapes(one.input(0), other.input(0), depth - 1, comparisons);
}

}  // namespace

bool have_equal_sizes(Value a, Value b, std::size_t axis) {
  int comparisons = 0;
  return are_equal({a, axis}, {b, axis}, kDeepestReshapes, comparisons);
}

namespace {

/// The same axis of the values that a Concat joins along another axis, which all have the same size.
std::vector<Place> equal_dimensions(const Place& place) {
  const Node& node = *place.value.node;
  if (place.is_element || !node.is(ops::Concat) || node.inputs().size() > kMaxJoined) return {};
  if (normalize_axis(node.integer("axis"), place.value.shape().rank()) == place.index) return {};
  std::vector<Place> result;
  for (const Value part : node.inputs()) {
    if (part.shape().has_rank()) result.push_back({part, place.index});
  }
  return result;
}

bool are_equal_sizes(SizeComparison& comparison, const Place& a, const Place& b, int depth) {
  if (comparison.are_equal_products(a, b) || origin_of(a) == origin_of(b)) return true;
  if (depth == 0) return false;
  const auto is_equal_to = [&comparison, depth](const Place& other) {
    return [&, depth](const Place& place) { return are_equal_sizes(comparison, place, other, depth - 1); };
  };
  return std::ranges::any_of(equal_dimensions(a), is_equal_to(b)) ||
         std::ranges::any_of(equal_dimensions(b), is_equal_to(a));
}

}  // namespace

bool are_equal_sizes(SizeComparison& comparison, const Place& a, const Place& b) {
  return are_equal_sizes(comparison, a, b, kDeepestConcats);
}

bool are_equal_sizes(SizeComparison& comparison, Value a, std::size_t first, Value b, std::size_t second,
                     std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const Dimension size = a.shape()[first + i];
    if (size.is_static() || b.shape()[second + i].is_static()) {
      if (size != b.shape()[second + i]) return false;
    } else if (!are_equal_sizes(comparison, {a, first + i}, {b, second + i})) {
      return false;
    }
  }
  return true;
}

bool is_size_of(Value sizes, std::size_t index, Value value, std::size_t axis) {
  SizeComparison comparison;
  return is_size_of(comparison, sizes, index, value, axis);
}

bool is_size_of(SizeComparison& comparison, Value sizes, std::size_t index, Value value, std::size_t axis) {
  return are_equal_sizes(comparison, {sizes, index, true}, {value, axis});
}

namespace {

/// The element of a list that a Select chooses, if both of its lists have the same there.
std::optional<std::int64_t> common_element(const Place& place) {
  const Node& node = *place.value.node;
  if (!node.is(ops::Select) || place.value.shape().rank() > 1) return std::nullopt;
  const auto element = [&](std::size_t input) -> std::optional<std::int64_t> {
    const auto values = exact_values(node.input(input));
    if (!values || values->empty()) return std::nullopt;
    return (*values)[values->size() == 1 ? 0 : place.index];
  };
  const auto chosen = element(1);
  return chosen && chosen == element(2) ? chosen : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> known_element(Value values, std::size_t index) {
  std::optional<Place> place = Place{values, index, true};
  for (int steps = 0; steps < kMaxSteps && place && place->is_element; ++steps) {
    if (const auto common = common_element(*place)) return common;
    const auto known = known_values(place->value);
    if (known && place->index < known->size() && (*known)[place->index].is_exact())
      return (*known)[place->index].min;
    place = previous_place(*place);
  }
  if (!place || place->is_element || !place->value.shape().has_rank()) return std::nullopt;
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
  for (int steps = 0; steps < kMaxSteps && (node->is(ops::LogicalNot) || is_passed_on()); ++steps) {
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
