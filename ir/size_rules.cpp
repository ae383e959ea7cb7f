#include "ir/size_rules.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "ir/inference.hpp"

namespace onnx2ir::ir {
namespace {

using Sizes = SmallVector<Size, 8>;

bool is_tracked(ElementType type) {
  return type == ElementType::i64 || type == ElementType::i32 || type == ElementType::boolean;
}

/// The number of elements of a value whose elements are tracked; no value for others.
std::optional<std::size_t> tracked_count(const Output& output) {
  if (!is_tracked(output.type)) return std::nullopt;
  const auto count = output.shape.element_count();
  if (!count || *count > kMaxElementSizes) return std::nullopt;
  return static_cast<std::size_t>(*count);
}

/// The elements of `value`, null where nothing is known; no value if they are not tracked.
std::optional<Sizes> elements_of(Value value) {
  const Output& output = value.output();
  const auto count = tracked_count(output);
  if (!count) return std::nullopt;
  SizeTable& table = value.node->graph().sizes();
  Sizes result(*count);
  if (value.node->constant() != nullptr) {
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

/// Normalises `position` in a list of `size` entries; a negative one counts from the end.
std::optional<std::size_t> position_in(std::int64_t position, std::size_t size) {
  if (position < 0) position += static_cast<std::int64_t>(size);
  if (position < 0 || static_cast<std::size_t>(position) >= size) return std::nullopt;
  return static_cast<std::size_t>(position);
}

bool is_vector(Value value) {
  return value.shape().has_rank() && value.shape().rank() == 1;
}

std::optional<std::int64_t> constant(Size size) {
  return size == nullptr ? std::nullopt : size->constant();
}

/// The rules of the dimensions of a node's outputs that are not copied from those of an input.
class DimensionRule {
 public:
  DimensionRule(const Node& node, std::size_t output, std::size_t rank)
      : node_(node), output_(output), table_(node.graph().sizes()), rank_(rank) {}

  /// The operations that have rules.
  static constexpr OperationSet kOperations = {
      ops::Reshape, ops::Broadcast,     ops::Tile,       ops::Slice, ops::Range,
      ops::Split,   ops::VariadicSplit, ops::Pad,        ops::TopK,  ops::OneHot,
      ops::Eye,     ops::RandomUniform, ops::Interpolate};

  Size of(std::size_t axis) const {
    if (node_.is(ops::Reshape)) return of_reshape(axis);
    if (node_.is(ops::Broadcast)) return of_broadcast(axis);
    if (node_.is(ops::Tile)) return of_tile(axis);
    if (node_.is(ops::Slice)) return of_slice(axis);
    if (node_.is(ops::Range)) return of_range();
    if (node_.is(ops::Split) || node_.is(ops::VariadicSplit)) return of_split(axis);
    if (node_.is(ops::Pad)) return of_pad(axis);
    if (node_.is(ops::TopK))
      return normalize_axis(node_.integer("axis"), rank_) == axis ? size_in(node_.input(1), 0) : nullptr;
    if (node_.is(ops::OneHot))
      return normalize_axis(node_.integer("axis"), rank_) == axis ? size_in(node_.input(1), 0) : nullptr;
    if (node_.is(ops::Eye)) return size_in(node_.input(axis), 0);
    if (node_.is(ops::RandomUniform)) return size_in(node_.input(0), axis);
    if (node_.is(ops::Interpolate)) return of_interpolate(axis);
    return nullptr;
  }

 private:
  Size data(std::size_t axis) const { return size_along(node_.input(0), axis); }
  std::optional<std::size_t> data_rank() const {
    const PartialShape& shape = node_.input(0).shape();
    return shape.has_rank() ? std::optional(shape.rank()) : std::nullopt;
  }

  Size of_reshape(std::size_t axis) const;

  Size of_broadcast(std::size_t axis) const {
    const auto count = node_.input(1).shape().element_count();
    const auto rank = data_rank();
    if (!count || !rank) return nullptr;
    const std::size_t missing = rank_ - std::min(*rank, rank_);
    const std::size_t missing_sizes = rank_ - std::min(static_cast<std::size_t>(*count), rank_);
    const Size target =
        axis < missing_sizes ? table_.constant(1) : size_in(node_.input(1), axis - missing_sizes);
    if (node_.text("mode") != "bidirectional") return target;
    return axis < missing ? target : table_.broadcast(data(axis - missing), target);
  }

  Size of_tile(std::size_t axis) const {
    const auto count = node_.input(1).shape().element_count();
    const auto rank = data_rank();
    if (!count || !rank) return nullptr;
    const std::size_t missing = rank_ - *rank;
    const std::size_t missing_repeats = rank_ - std::min(static_cast<std::size_t>(*count), rank_);
    const Size size = axis < missing ? table_.constant(1) : data(axis - missing);
    return axis < missing_repeats ? size
                                  : table_.product(size, size_in(node_.input(1), axis - missing_repeats));
  }

  /// The place of `axis` among the axes in input `input`; no value if they are dynamic, and the number of
  /// axes if it is not among them.
  std::optional<std::size_t> listed_at(std::size_t input, std::size_t axis) const {
    const auto axes = exact_values(node_.input(input));
    if (!axes) return std::nullopt;
    const auto found =
        std::ranges::find_if(*axes, [&](std::int64_t listed) { return position_in(listed, rank_) == axis; });
    return static_cast<std::size_t>(found - axes->begin());
  }

  Size of_slice(std::size_t axis) const {
    const auto place = listed_at(4, axis);
    if (!place) return nullptr;
    const Size step = size_in(node_.input(3), *place);
    const Size size = data(axis);
    const auto by = constant(step);
    if (!by || size == nullptr) return nullptr;
    const Size start = size_in(node_.input(1), *place);
    const Size stop = size_in(node_.input(2), *place);
    constexpr std::int64_t kEnd = std::numeric_limits<std::int32_t>::max();
    if (*by == -1) {
      const auto first = constant(start);
      const bool is_whole = first && (*first == -1 || *first >= kEnd) && constant(stop).value_or(0) <= -kEnd;
      return is_whole ? size : nullptr;
    }
    if (*by <= 0) return nullptr;
    const auto clamped = [&](Size position) -> Size {
      const auto fixed = constant(position);
      if (fixed && *fixed >= kEnd) return size;
      if (fixed && *fixed < 0) return table_.maximum(table_.sum(size, position), table_.constant(0));
      const bool counts_from_start = position != nullptr && position->least().value_or(-1) >= 0;
      return counts_from_start ? table_.minimum(position, size) : nullptr;
    };
    const Size length = table_.difference(clamped(stop), clamped(start));
    return positions(table_.maximum(length, table_.constant(0)), *by);
  }

  /// `length` / `step`, rounded up.
  Size positions(Size length, std::int64_t step) const {
    if (step == 1) return length;
    return table_.floor_quotient(table_.sum(length, table_.constant(step - 1)), table_.constant(step));
  }

  Size of_range() const {
    const auto step = constant(size_in(node_.input(2), 0));
    const bool is_of_integers = is_integral(node_.output(0).type) && is_integral(node_.input(0).type()) &&
                                is_integral(node_.input(1).type());
    if (!is_of_integers || !step || *step <= 0) return nullptr;
    const Size start = size_in(node_.input(0), 0);
    const Size length = table_.difference(size_in(node_.input(1), 0), start);
    const auto stop = known_values(node_.input(1));
    const bool is_size = constant(start) == 0 && stop && stop->size() == 1 && stop->front().min >= 0;
    return positions(is_size ? length : table_.maximum(length, table_.constant(0)), *step);
  }

  Size of_split(std::size_t axis) const {
    if (listed_at(1, axis) != 0U) return nullptr;
    if (node_.is(ops::Split))
      return table_.quotient(data(axis), table_.constant(node_.integer("num_splits")));
    const auto lengths = elements_of(node_.input(2));
    if (!lengths || output_ >= lengths->size()) return nullptr;
    if (constant((*lengths)[output_]) != -1) {
      const Size length = (*lengths)[output_];
      return length != nullptr && length->least().value_or(-1) >= 0 ? length : nullptr;
    }
    Size rest = data(axis);
    for (std::size_t i = 0; i < lengths->size(); ++i) {
      if (i != output_) rest = table_.difference(rest, (*lengths)[i]);
    }
    return rest;
  }

  Size of_pad(std::size_t axis) const {
    const Size pads = table_.sum(size_in(node_.input(1), axis), size_in(node_.input(2), axis));
    return table_.maximum(table_.sum(data(axis), pads), table_.constant(0));
  }

  Size of_interpolate(std::size_t axis) const {
    const auto axes = exact_values(node_.input(2));
    const auto place = listed_at(2, axis);
    if (!place || !axes) return nullptr;
    if (*place == axes->size()) return data(axis);
    if (node_.text("shape_calculation_mode") != "scales") return size_in(node_.input(1), *place);
    const auto scales = exact_numbers(node_.input(1));
    if (!scales || *place >= scales->size()) return nullptr;
    const double scale = (*scales)[*place];
    constexpr double kMost = 1024;
    const bool is_integer =
        scale >= 1 && scale <= kMost && scale == static_cast<double>(static_cast<int>(scale));
    return is_integer ? table_.product(data(axis), table_.constant(static_cast<int>(scale))) : nullptr;
  }

  const Node& node_;
  std::size_t output_;
  SizeTable& table_;
  std::size_t rank_;
};

/// The sizes of a Reshape of `data` to `pattern`.
class ReshapeSizes {
 public:
  ReshapeSizes(Value data, Value pattern, bool special_zero)
      : data_(data), table_(data.node->graph().sizes()), special_zero_(special_zero) {
    if (const auto elements = elements_of(pattern)) elements_ = *elements;
    if (const auto known = known_values(pattern)) known_ = *known;
  }

  /// The place of the -1.
  std::optional<std::size_t> inferred() const {
    const auto found = std::ranges::find_if(elements_, [](Size element) { return constant(element) == -1; });
    if (found == elements_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - elements_.begin());
  }

  Size of(std::size_t axis) const {
    if (axis >= elements_.size()) return nullptr;
    return inferred() == axis ? remaining(axis) : requested(axis);
  }

 private:
  /// The size of an axis of which the element of the pattern is not -1.
  Size requested(std::size_t axis) const {
    const Size element = elements_[axis];
    if (element == nullptr) return nullptr;
    const PartialShape& shape = data_.shape();
    const std::int64_t least = axis < known_.size() ? known_[axis].min : element->least().value_or(-1);
    if (least < 0) return nullptr;
    if (!special_zero_ || least > 0) return element;
    // A 0 copies the dimension of the data.
    if (!shape.has_rank()) return nullptr;
    return axis < shape.rank() ? table_.nonzero_or(element, size_along(data_, axis)) : element;
  }

  Size remaining(std::size_t axis) const {
    const PartialShape& shape = data_.shape();
    if (!shape.has_rank()) return nullptr;
    Sizes left;
    for (std::size_t i = 0; i < shape.rank(); ++i) left.push_back(size_along(data_, i));
    Size taken = table_.constant(1);
    for (std::size_t i = 0; i < elements_.size(); ++i) {
      if (i == axis) continue;
      const Size size = requested(i);
      const auto same = std::ranges::find(left, size);
      const bool is_zero = constant(size) == 0;
      if (size == nullptr || is_zero) return nullptr;
      if (same != left.end()) {
        left.erase(same);
      } else {
        taken = table_.product(taken, size);
      }
    }
    Size all = table_.constant(1);
    for (const Size size : left) all = table_.product(all, size);
    return table_.quotient(all, taken);
  }

  Value data_;
  SizeTable& table_;
  bool special_zero_;
  Sizes elements_;
  KnownValues known_;
};

Size DimensionRule::of_reshape(std::size_t axis) const {
  return ReshapeSizes(node_.input(0), node_.input(1), node_.boolean("special_zero")).of(axis);
}

/// The rules of the elements of a node's outputs.
class ElementRule {
 public:
  ElementRule(const Node& node, std::size_t output, std::size_t count)
      : node_(node), output_(output), count_(count), table_(node.graph().sizes()) {}

  /// Null where nothing is known.
  Sizes all() const {
    if (node_.inputs().empty() || node_.op().traits.has_bodies) return none();
    if (node_.is(ops::ShapeOf)) return of_shape();
    if (node_.op().traits.reshapes || node_.is_one_of({ops::Identity, ops::Result})) return copied();
    if (node_.is(ops::Convert)) return of_convert();
    if (node_.is(ops::Concat)) return of_concat();
    if (node_.is(ops::Gather)) return of_gather();
    if (node_.is(ops::Slice)) return of_slice();
    if (node_.is(ops::Split) || node_.is(ops::VariadicSplit)) return of_split();
    if (node_.is_one_of({ops::Broadcast, ops::Tile})) return repeated();
    if (node_.is(ops::ScatterUpdate) || node_.is(ops::ScatterElementsUpdate)) return of_scatter();
    if (node_.is_one_of({ops::ReduceProd, ops::ReduceSum, ops::ReduceMax, ops::ReduceMin}))
      return of_reduction();
    if (node_.is(ops::LogicalNot)) return of_each([&](Size a) { return negated(a); });
    if (node_.is(ops::Negative))
      return of_each([&](Size a) { return table_.product(table_.constant(-1), a); });
    if (node_.is(ops::Select)) return of_select();
    return of_pairs();
  }

 private:
  Sizes none() const { return Sizes(count_); }
  Size negated(Size a) const { return table_.difference(table_.constant(1), a); }

  /// Input 0 or others with as many elements as the output.
  Sizes copied(std::size_t input = 0) const {
    auto elements = elements_of(node_.input(input));
    return elements && elements->size() == count_ ? *std::move(elements) : none();
  }

  /// The elements of an input that is broadcast to the output: one element, or all in their order.
  std::optional<Sizes> broadcast(std::size_t input) const {
    auto elements = elements_of(node_.input(input));
    if (!elements || (elements->size() != 1 && elements->size() != count_)) return std::nullopt;
    const Size first = elements->empty() ? nullptr : elements->front();
    while (elements->size() < count_) elements->push_back(first);
    if (elements->size() > count_) elements->resize(count_);
    return elements;
  }

  Sizes repeated() const {
    const auto elements = elements_of(node_.input(0));
    if (!elements || elements->size() != 1) return none();
    Sizes result;
    while (result.size() < count_) result.push_back(elements->front());
    return result;
  }

  Sizes of_shape() const {
    Sizes result = none();
    for (std::size_t i = 0; i < count_; ++i) result[i] = size_along(node_.input(0), i);
    return result;
  }

  /// Sizes fit into 32 bits.
  Sizes of_convert() const {
    Sizes result = copied();
    const bool is_truth =
        node_.output(0).type == ElementType::boolean && node_.input(0).type() != ElementType::boolean;
    for (Size& element : result) {
      if (is_truth) element = negated(table_.is_zero(element));
    }
    return result;
  }

  Sizes of_concat() const {
    if (node_.output(0).shape.rank() != 1) return none();
    Sizes result;
    for (const Value part : node_.inputs()) {
      const auto elements = elements_of(part);
      if (!elements) return none();
      result.append(elements->begin(), elements->end());
    }
    return result.size() == count_ ? result : none();
  }

  Sizes of_gather() const {
    Sizes result = none();
    const auto indices = exact_values(node_.input(1));
    const auto elements = is_vector(node_.input(0)) ? elements_of(node_.input(0)) : std::nullopt;
    if (!indices || !elements || indices->size() != count_ || node_.integer("batch_dims") != 0) return result;
    for (std::size_t i = 0; i < count_; ++i) {
      if (const auto place = position_in((*indices)[i], elements->size())) result[i] = (*elements)[*place];
    }
    return result;
  }

  Sizes of_slice() const {
    Sizes result = none();
    const auto elements = is_vector(node_.input(0)) ? elements_of(node_.input(0)) : std::nullopt;
    const auto start = known_element(node_.input(1), 0);
    const auto step = known_element(node_.input(3), 0);
    if (!elements || !start || !step || *step == 0) return result;
    const auto size = static_cast<std::int64_t>(elements->size());
    const std::int64_t least = *step > 0 ? 0 : -1;
    const std::int64_t most = *step > 0 ? size : size - 1;
    const std::int64_t first = std::clamp(*start < 0 ? *start + size : *start, least, most);
    const std::int64_t by = std::clamp(*step, -size, size);
    for (std::size_t i = 0; i < count_; ++i) {
      const std::int64_t place = first + static_cast<std::int64_t>(i) * by;
      if (place >= 0 && place < size) result[i] = (*elements)[static_cast<std::size_t>(place)];
    }
    return result;
  }

  Sizes of_split() const {
    const auto elements = is_vector(node_.input(0)) ? elements_of(node_.input(0)) : std::nullopt;
    if (!elements) return none();
    std::size_t first = 0;
    for (std::size_t i = 0; i < output_; ++i) {
      const auto length = node_.output(i).shape.element_count();
      if (!length) return none();
      first += static_cast<std::size_t>(*length);
    }
    if (first + count_ > elements->size()) return none();
    const auto begin = elements->begin() + static_cast<std::ptrdiff_t>(first);
    return {begin, begin + static_cast<std::ptrdiff_t>(count_)};
  }

  Sizes of_scatter() const {
    const bool is_assignment =
        node_.find_attribute("reduction") == nullptr || node_.text("reduction") == "none";
    Sizes result = copied();
    const auto indices = exact_values(node_.input(1));
    const auto updates = elements_of(node_.input(2));
    if (!is_assignment || !is_vector(node_.input(0)) || !indices || !updates ||
        indices->size() != updates->size())
      return none();
    for (std::size_t i = 0; i < indices->size(); ++i) {
      const auto place = position_in((*indices)[i], count_);
      if (!place) return none();
      result[*place] = (*updates)[i];
    }
    return result;
  }

  Sizes of_reduction() const {
    const auto elements = elements_of(node_.input(0));
    if (count_ != 1 || !elements || elements->empty()) return none();
    Size result = elements->front();
    for (std::size_t i = 1; i < elements->size(); ++i) {
      const Size element = (*elements)[i];
      result = node_.is(ops::ReduceProd)  ? table_.product(result, element)
               : node_.is(ops::ReduceSum) ? table_.sum(result, element)
               : node_.is(ops::ReduceMax) ? table_.maximum(result, element)
                                          : table_.minimum(result, element);
    }
    return {result};
  }

  template <typename Function>
  Sizes of_each(Function function) const {
    Sizes result = copied();
    for (Size& element : result) element = function(element);
    return result;
  }

  Sizes of_select() const {
    Sizes result = none();
    const auto condition = broadcast(0);
    const auto yes = broadcast(1);
    const auto no = broadcast(2);
    if (!yes || !no) return result;
    for (std::size_t i = 0; i < count_; ++i) {
      const auto chosen = condition ? constant((*condition)[i]) : std::nullopt;
      if (chosen || are_equal((*yes)[i], (*no)[i])) result[i] = chosen == 0 ? (*no)[i] : (*yes)[i];
    }
    return result;
  }

  Sizes of_pairs() const {
    if (!node_.op().traits.broadcasts || node_.inputs().size() != 2) return none();
    const auto a = broadcast(0);
    const auto b = broadcast(1);
    if (!a || !b) return none();
    Sizes result = none();
    for (std::size_t i = 0; i < count_; ++i) {
      if ((*a)[i] != nullptr && (*b)[i] != nullptr) result[i] = of_pair((*a)[i], (*b)[i]);
    }
    return result;
  }

  Size of_pair(Size a, Size b) const {
    const auto less = [&](Size x, Size y) {
      return may_be_ordered(x, y) ? table_.is_negative(table_.difference(x, y)) : nullptr;
    };
    if (node_.is(ops::Add)) return table_.sum(a, b);
    if (node_.is(ops::Subtract)) return table_.difference(a, b);
    if (node_.is(ops::Multiply) || node_.is(ops::LogicalAnd)) return table_.product(a, b);
    if (node_.is(ops::LogicalOr)) return table_.difference(table_.sum(a, b), table_.product(a, b));
    if (node_.is(ops::Maximum)) return may_be_ordered(a, b) ? table_.maximum(a, b) : nullptr;
    if (node_.is(ops::Minimum)) return may_be_ordered(a, b) ? table_.minimum(a, b) : nullptr;
    if (node_.is(ops::Divide)) return divided(a, b);
    if (node_.is(ops::Mod) || node_.is(ops::FloorMod))
      return table_.difference(a, table_.product(divided(a, b), b));
    if (node_.is(ops::Equal)) return table_.is_zero(table_.difference(a, b));
    if (node_.is(ops::NotEqual)) return negated(table_.is_zero(table_.difference(a, b)));
    if (node_.is(ops::Less)) return less(a, b);
    if (node_.is(ops::Greater)) return less(b, a);
    if (node_.is(ops::LessEqual)) return negated(less(b, a));
    if (node_.is(ops::GreaterEqual)) return negated(less(a, b));
    return nullptr;
  }

  /// Sizes do not overflow. Of other integers, n < n + 1 can be false.
  static bool may_be_ordered(Size a, Size b) {
    return (a->least() && b->least()) || a->constant() || b->constant();
  }

  /// Rounding toward zero and rounding down differ only below 0.
  Size divided(Size a, Size b) const {
    return a->least().value_or(-1) >= 0 && b->least().value_or(-1) > 0 ? table_.floor_quotient(a, b)
                                                                       : nullptr;
  }

  const Node& node_;
  std::size_t output_;
  std::size_t count_;
  SizeTable& table_;
};

}  // namespace

void set_dimension_sizes(Node& node, std::size_t index, PartialShape& shape) {
  if (shape.is_static() || !shape.has_rank()) return;
  const PartialShape& before = node.output(index).shape;
  SizeTable& table = node.graph().sizes();
  const bool has_rules = node.is_one_of(DimensionRule::kOperations);
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    Dimension& dimension = shape[axis];
    if (dimension.is_static()) {
      dimension.set_expression(nullptr);
      continue;
    }
    Size size = dimension.expression();
    if (size != nullptr && size->table != &table) size = nullptr;
    if (size == nullptr && has_rules) size = DimensionRule(node, index, shape.rank()).of(axis);
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
  const Sizes sizes = ElementRule(node, index, *count).all();
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
  const Node& node = *value.node;
  if (!node.is(ops::Concat) || normalize_axis(node.integer("axis"), value.shape().rank()) == axis) return {};
  constexpr std::size_t kMaxJoined = 4;
  std::vector<Size> result;
  for (std::size_t i = 0; i < std::min(node.inputs().size(), kMaxJoined); ++i)
    result.push_back(size_along(node.input(i), axis));
  return result;
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
  const auto elements = elements_of(outer);
  if (!elements || output.elements == nullptr || elements->size() != output.elements->size())
    return has_changed;
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
  if (first == nullptr || second == nullptr || first == second) return first != nullptr && first == second;
  const auto is_among = [](Size size, const std::vector<Size>& sizes) {
    return std::ranges::find(sizes, size) != sizes.end();
  };
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

bool is_size_of(Value sizes, std::size_t index, Value value, std::size_t axis) {
  const Size size = size_in(sizes, index);
  const Size dimension = size_along(value, axis);
  if (size == nullptr || dimension == nullptr || size == dimension)
    return size != nullptr && size == dimension;
  const std::vector<Size> equal = equal_dimensions(value, axis);
  return std::ranges::find(equal, size) != equal.end();
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
