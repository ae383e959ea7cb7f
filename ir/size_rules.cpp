#include "ir/size_rules.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "ir/inference.hpp"
#include "ir/known_values.hpp"
#include "ir/operation_rules.hpp"
#include "ir/views/joining.hpp"

namespace onnx2ir::ir {
namespace {

/// Longer lists are not tracked.
constexpr std::int64_t kMaxElementSizes = 32;

bool is_tracked(ElementType type) {
  return type == ElementType::i64 || type == ElementType::i32 || type == ElementType::boolean;
}

}  // namespace

std::optional<std::size_t> tracked_count(const Output& output) {
  if (!is_tracked(output.type)) return std::nullopt;
  const auto count = output.shape.element_count();
  if (!count || *count > kMaxElementSizes) return std::nullopt;
  return static_cast<std::size_t>(*count);
}

std::optional<Sizes> elements_of(Value value) {
  const Output& output = value.output();
  const auto count = tracked_count(output);
  if (!count) return std::nullopt;
  SizeTable& table = value.node->graph().sizes();
  Sizes result(*count);
  if (value.node->constant() != nullptr) {
    // Most constants are one number.
    if (*count == 1) {
      if (const auto number = known_scalar(value)) result.front() = table.constant(*number);
      return result;
    }
    const auto exact = exact_values(value);
    for (std::size_t i = 0; exact && i < *count; ++i) result[i] = table.constant((*exact)[i]);
    return result;
  }
  for (std::size_t i = 0; i < *count; ++i) {
    if (output.known != nullptr && i < output.known->size() && (*output.known)[i].is_exact()) {
      result[i] = table.constant((*output.known)[i].min);
    } else if (output.elements != nullptr && i < output.elements->size()) {
      result[i] = (*output.elements)[i].size;
    }
  }
  return result;
}

std::optional<Integers> exact_sizes(Value value) {
  if (value.node->constant() != nullptr) return exact_values(value);
  const auto elements = elements_of(value);
  if (!elements) return std::nullopt;
  Integers result;
  for (const Size element : *elements) {
    const auto number = ir::constant(element);
    if (!number) return std::nullopt;
    result.push_back(*number);
  }
  return result;
}

std::optional<std::size_t> position_in(std::int64_t position, std::size_t size) {
  if (position < 0) position += static_cast<std::int64_t>(size);
  if (position < 0 || static_cast<std::size_t>(position) >= size) return std::nullopt;
  return static_cast<std::size_t>(position);
}

void set_dimension_sizes(Node& node, std::size_t index, PartialShape& shape) {
  if (shape.is_static() || !shape.has_rank()) return;
  const PartialShape& before = node.output(index).shape;
  SizeTable& table = node.graph().sizes();
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    Dimension& dimension = shape[axis];
    if (dimension.is_static()) {
      dimension.set_expression(nullptr);
      continue;
    }
    Size size = dimension.expression();
    if (size != nullptr && size->table != &table) size = nullptr;
    if (size == nullptr) size = computed_dimension(node, index, shape.rank(), axis);
    if (size != nullptr) {
      dimension.set_expression(size);
      continue;
    }
    const bool is_known = before.has_rank() && axis < before.rank() && before[axis] == dimension &&
                          before[axis].has_own_symbol();
    dimension.set_expression(is_known ? before[axis].expression() : table.symbol(dimension.min), true);
  }
}

void set_element_sizes(Node& node, std::size_t index) {
  Output& output = node.output(index);
  const auto count = tracked_count(output);
  if (!count || *count == 0 || node.is(ops::Const)) {
    output.elements.reset();
    return;
  }
  SizeTable& table = node.graph().sizes();
  const Sizes sizes = computed_elements(node, index, *count);
  const auto is_kept = [&](const ElementSize& element, Size size) {
    return size == nullptr ? element.is_own_symbol : element.size == size && !element.is_own_symbol;
  };
  if (output.elements != nullptr && std::ranges::equal(*output.elements, sizes, is_kept)) return;
  ElementSizes elements(*count);
  for (std::size_t i = 0; i < *count; ++i) {
    if (sizes[i] != nullptr) {
      elements[i].size = sizes[i];
    } else if (output.elements != nullptr && output.elements->size() == *count &&
               (*output.elements)[i].is_own_symbol) {
      elements[i] = (*output.elements)[i];
    } else {
      const std::int64_t least =
          output.type == ElementType::boolean ? 0 : std::numeric_limits<std::int64_t>::min();
      elements[i] = {table.symbol(least), true};
    }
  }
  output.elements = std::make_unique<const ElementSizes>(std::move(elements));
}

namespace {

/// The same axis of the values that a Concat joins along another axis, which all have the same size.
std::vector<Size> equal_dimensions(Value value, std::size_t axis) {
  const auto concat = match<ConcatView>(value);
  if (!concat || normalize_axis(concat->axis(), value.shape().rank()) == axis) return {};
  constexpr std::size_t kMaxJoined = 4;
  std::vector<Size> result;
  for (std::size_t i = 0; i < std::min(concat->parts().size(), kMaxJoined); ++i)
    result.push_back(size_along(concat->parts()[i], axis));
  return result;
}

bool is_among(Size size, const std::vector<Size>& sizes) {
  return std::ranges::find(sizes, size) != sizes.end();
}

}  // namespace

bool copy_sizes(Value outer, Node& parameter) {
  Output& output = parameter.output(0);
  const PartialShape& shape = outer.shape();
  bool has_changed = false;
  for (std::size_t axis = 0; shape.has_rank() && axis < shape.rank(); ++axis) {
    Dimension& dimension = output.shape[axis];
    if (dimension.is_static() || dimension.expression() == shape[axis].expression()) continue;
    dimension.set_expression(shape[axis].expression());
    has_changed = true;
  }
  if (output.elements == nullptr) return has_changed;
  const auto elements = elements_of(outer);
  if (!elements || elements->size() != output.elements->size()) return has_changed;
  const auto is_copied = [](Size size, const ElementSize& own) {
    return size == nullptr || (own.size == size && !own.is_own_symbol);
  };
  if (std::ranges::equal(*elements, *output.elements, is_copied)) return has_changed;
  ElementSizes copied(elements->size());
  for (std::size_t i = 0; i < copied.size(); ++i) {
    const Size size = (*elements)[i];
    copied[i] = size == nullptr ? (*output.elements)[i] : ElementSize{size, false};
    has_changed = has_changed || copied[i].size != (*output.elements)[i].size;
  }
  output.elements = std::make_unique<const ElementSizes>(std::move(copied));
  return has_changed;
}

Size size_along(Value value, std::size_t axis) {
  const PartialShape& shape = value.shape();
  if (!shape.has_rank() || axis >= shape.rank()) return nullptr;
  const Dimension& dimension = shape[axis];
  return dimension.is_static() ? value.node->graph().sizes().constant(dimension.size())
                               : dimension.expression();
}

Size size_in(Value list, std::size_t index) {
  // Most lists have one element.
  if (list.node->constant() != nullptr && list.shape().element_count() == 1) {
    const auto known = index == 0 && is_tracked(list.type()) ? known_scalar(list) : std::nullopt;
    return known ? list.node->graph().sizes().constant(*known) : nullptr;
  }
  const auto elements = elements_of(list);
  return elements && index < elements->size() ? (*elements)[index] : nullptr;
}

Size remaining_size(Value data, Value pattern, bool special_zero) {
  const ReshapeSizes sizes(data, pattern, special_zero);
  const auto axis = sizes.inferred();
  return axis ? sizes.of(*axis) : nullptr;
}

bool have_equal_sizes(Value a, std::size_t axis, Value b, std::size_t other_axis) {
  const Size first = size_along(a, axis);
  const Size second = size_along(b, other_axis);
  if (first == nullptr || second == nullptr || first == second) return are_equal(first, second);
  return is_among(second, equal_dimensions(a, axis)) || is_among(first, equal_dimensions(b, other_axis));
}

bool have_equal_sizes(Value a, std::size_t axis, Value b, std::size_t other_axis, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const Dimension& size = a.shape()[axis + i];
    const Dimension& other = b.shape()[other_axis + i];
    const bool is_static = size.is_static() || other.is_static();
    if (is_static ? size != other : !have_equal_sizes(a, axis + i, b, other_axis + i)) return false;
  }
  return true;
}

bool have_equal_shapes(Value a, Value b) {
  const PartialShape& shape = a.shape();
  return shape.has_rank() && b.shape().has_rank(shape.rank()) && have_equal_sizes(a, 0, b, 0, shape.rank());
}

bool is_size_of(Value sizes, std::size_t index, Value value, std::size_t axis) {
  const Size size = size_in(sizes, index);
  const Size dimension = size_along(value, axis);
  if (size == nullptr || dimension == nullptr || size == dimension) return are_equal(size, dimension);
  return is_among(size, equal_dimensions(value, axis));
}

std::optional<std::int64_t> known_element(Value list, std::size_t index) {
  return constant(size_in(list, index));
}

std::optional<bool> decided(Value condition, Runs runs) {
  Size value = size_in(condition, 0);
  if (runs == Runs::without_zero_sizes) value = condition.node->graph().sizes().without_zero_sizes(value);
  const auto known = constant(value);
  return known ? std::optional(*known != 0) : std::nullopt;
}

}  // namespace onnx2ir::ir
