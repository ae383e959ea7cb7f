// Operations on elements and their indices: NonZero, OneHot, Eye, Unique.
#include "ir/views/indexing.hpp"

#include <algorithm>

#include "ir/checked_arithmetic.hpp"
#include "ir/ops/families.hpp"
#include "ir/ops/integer_inputs.hpp"
#include "ir/ops/rearranging.hpp"

namespace onnx2ir::ir {
namespace {

/// The number of elements, from none to the largest one that `shape` admits.
Dimension at_most_all_elements(const PartialShape& shape) {
  if (!shape.has_rank()) return {};
  return {0, product(shape.dimensions()).max};
}

void infer_non_zero(Node& node) {
  const NonZeroView non_zero = node;
  require_index_type(non_zero.output_type());
  const PartialShape& shape = non_zero.data().shape();
  const auto count = shape.element_count();
  if (const auto values = exact_values(non_zero.data()); values && shape.has_rank()) {
    const auto found =
        std::count_if(values->begin(), values->end(), [](std::int64_t value) { return value != 0; });
    return set_output(
        node, 0, non_zero.output_type(),
        PartialShape{static_cast<std::int64_t>(shape.rank()), static_cast<std::int64_t>(found)});
  }
  const Dimension rows = shape.has_rank() ? Dimension(static_cast<std::int64_t>(shape.rank())) : Dimension();
  const auto numbers = count ? exact_numbers(non_zero.data()) : std::nullopt;
  if (!numbers) {
    return set_output(node, 0, non_zero.output_type(), PartialShape{rows, at_most_all_elements(shape)});
  }
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < numbers->size(); ++i) {
    if ((*numbers)[i] != 0) places.push_back(static_cast<std::int64_t>(i));
  }
  set_output(node, 0, non_zero.output_type(),
             PartialShape{rows, Dimension(static_cast<std::int64_t>(places.size()))});
  if (places.size() * shape.rank() > kMaxKnownElements) return;
  KnownValues values(shape.rank() * places.size());
  for (std::size_t axis = shape.rank(); axis-- > 0;) {
    const std::int64_t size = shape[axis].size();
    for (std::size_t i = 0; i < places.size(); ++i) {
      values[axis * places.size() + i] = ValueRange::exactly(places[i] % size);
      places[i] /= size;
    }
  }
  set_known(node, 0, std::move(values));
}

/// Sets the known elements of a OneHot whose inputs are exact. `inner`: the number of indices after the axis.
void set_known_one_hot(Node& node, std::int64_t depth, std::int64_t inner) {
  const auto count = node.output(0).shape.element_count();
  if (!count || *count > kMaxKnownElements) return;
  const OneHotView one_hot = node;
  const auto indices = exact_values(one_hot.indices());
  const auto on = known_values(one_hot.on_value());
  const auto off = known_values(one_hot.off_value());
  const auto is_exact = [](const auto& known) {
    return known && known->size() == 1 && known->front().is_exact();
  };
  if (!indices || !is_exact(on) || !is_exact(off)) return;
  KnownValues result;
  for (std::int64_t i = 0; i < *count; ++i) {
    const std::int64_t place = i / inner % depth;
    const std::int64_t source = i / inner / depth * inner + i % inner;
    const bool is_on = (*indices)[static_cast<std::size_t>(source)] == place;
    result.push_back(is_on ? on->front() : off->front());
  }
  set_known(node, 0, std::move(result));
}

void infer_one_hot(Node& node) {
  const OneHotView one_hot = node;
  const Value indices = one_hot.indices();
  if (!indices.shape().has_rank()) return set_output(node, 0, one_hot.on_value().type(), unknown());
  Dimensions result(indices.shape().begin(), indices.shape().end());
  const std::size_t axis = normalize_axis(one_hot.axis(), result.size() + 1);
  const auto depth = exact_numbers(one_hot.depth());
  const Dimension size = depth && depth->size() == 1 ? Dimension(checked_size(depth->front())) : Dimension();
  const auto inner =
      PartialShape(Dimensions(result.begin() + static_cast<std::ptrdiff_t>(axis), result.end()));
  result.insert(result.begin() + static_cast<std::ptrdiff_t>(axis), size);
  set_output(node, 0, one_hot.on_value().type(), PartialShape(std::move(result)));
  if (size.is_static() && inner.is_static()) set_known_one_hot(node, size.size(), *inner.element_count());
}

void infer_eye(Node& node) {
  const auto dimension = [&](std::size_t input) {
    const auto known = known_integers(node, input);
    return known && known->size() == 1 ? to_dimension(known->front()) : Dimension();
  };
  const EyeView eye = node;
  PartialShape shape;
  if (const Value batch = eye.batch_shape(); !batch) {
    shape = PartialShape{dimension(0), dimension(1)};
  } else if (const auto sizes = known_integers(node, 3)) {
    Dimensions dimensions = to_dimensions(*sizes);
    dimensions.push_back(dimension(0));
    dimensions.push_back(dimension(1));
    shape = PartialShape(std::move(dimensions));
  }
  set_output(node, 0, eye.output_type(), shape);
}

void infer_unique(Node& node) {
  const UniqueView unique = node;
  const Value data = unique.data();
  const ElementType index_type = unique.index_element_type();
  const ElementType count_type = unique.count_element_type();
  require_index_type(index_type);
  require_index_type(count_type);
  const auto total = data.shape().element_count();
  Dimension found = total ? Dimension(std::min<std::int64_t>(*total, 1), *total) : Dimension();
  Dimension all = total ? Dimension(*total) : Dimension();
  PartialShape values{found};
  if (node.inputs().size() > 1) {
    known_integers(node, 1);  // fails if it is no integer
    const auto axis = exact_values(unique.axis());
    require(!axis || axis->size() == 1, "Unique takes one axis");
    if (!data.shape().has_rank() || !axis) {
      values = unknown();
      found = all = Dimension();
    } else {
      values = data.shape();
      Dimension& along = values[normalize_axis(axis->front(), values.rank())];
      all = along;
      found = Dimension(std::min<std::int64_t>(along.min, 1), along.max);
      along = found;
    }
  }
  set_output(node, 0, data.type(), values);
  set_output(node, 1, index_type, PartialShape{found});
  set_output(node, 2, index_type, PartialShape{all});
  set_output(node, 3, count_type, PartialShape{found});
}

}  // namespace

std::vector<OpFunction> indexing_functions() {
  return {
      {ops::NonZero, infer_non_zero},
      {ops::OneHot, infer_one_hot},
      {ops::Eye, infer_eye},
      {ops::Unique, infer_unique},
  };
}

}  // namespace onnx2ir::ir
