// Operations that take or replace a part of a tensor: slices, gathers, scatters; NonZero, OneHot, Eye,
// Unique.
#include "ir/views/selection.hpp"

#include <algorithm>
#include <cstdlib>

#include "ir/checked_arithmetic.hpp"
#include "ir/ops/families.hpp"
#include "ir/ops/known_elements.hpp"
#include "ir/size_rules.hpp"
#include "ir/views/groups.hpp"
#include "ir/views/indexing.hpp"

namespace onnx2ir::ir {
namespace {

/// The length of a slice of an axis whose size is an interval.
Dimension sliced_dimension(Dimension size, std::int64_t start, std::int64_t stop, std::int64_t step) {
  if (size.is_static()) return slice_axis(start, stop, step, size.size()).length;
  constexpr std::int64_t kLarge = std::int64_t{1} << 40U;
  const bool bounded = size.max != Dimension::kUnbounded;
  const std::int64_t largest = bounded ? size.max : std::max(size.min, kLarge);
  std::int64_t least = largest;
  std::int64_t most = 0;
  const auto visit = [&](std::int64_t at) {
    const std::int64_t length = slice_axis(start, stop, step, std::clamp(at, size.min, largest)).length;
    least = std::min(least, length);
    most = std::max(most, length);
  };
  visit(size.min);
  visit(largest);
  // Between the ends, the length can only turn where a position meets an end of the axis.
  for (const std::int64_t position : {start, stop}) {
    const std::int64_t distance = std::abs(std::clamp(position, -kLarge, kLarge));
    for (const std::int64_t nearby : {-1, 0, 1}) visit(distance + nearby);
  }
  const bool grows = !bounded && most > kLarge / 2;
  return {least, grows ? Dimension::kUnbounded : most};
}

/// Whether the whole range has one sign, so that the clamped position grows with the value.
bool has_one_sign(const ValueRange& position) {
  return position.min >= 0 || position.max < 0;
}

/// The length of a slice whose start and stop are known as intervals.
Dimension sliced_dimension(Dimension size, const ValueRange& start, const ValueRange& stop,
                           std::int64_t step) {
  if (!has_one_sign(start) || !has_one_sign(stop)) return {0, size.max};
  // If the step is positive, the slice is longest from the least start to the greatest stop.
  const Dimension first_to_last = sliced_dimension(size, start.min, stop.max, step);
  const Dimension last_to_first = sliced_dimension(size, start.max, stop.min, step);
  return step > 0 ? Dimension(last_to_first.min, first_to_last.max)
                  : Dimension(first_to_last.min, last_to_first.max);
}

void infer_slice(Node& node) {
  const SliceView slice = node;
  const Value data = slice.data();
  if (!data.shape().has_rank()) return set_output(node, 0, data.type(), unknown());
  PartialShape result = data.shape();
  const auto starts = known_integers(node, 1);
  const auto stops = known_integers(node, 2);
  const auto steps = exact_values(slice.step());
  const auto axes = exact_values(slice.axes());
  if (!axes) {
    for (Dimension& size : result.mutable_dimensions()) size = Dimension(0, size.max);
    return set_output(node, 0, data.type(), result);
  }
  const auto fits = [&](std::size_t input) {
    const auto count = node.input(input).shape().element_count();
    return !count || *count == std::ssize(*axes);
  };
  require(fits(1) && fits(2) && fits(3), "Slice: starts, ends, axes and steps differ in length");
  const auto known_at = [](const std::optional<KnownValues>& values, std::size_t i) {
    return values && i < values->size();
  };
  std::vector<bool> is_sliced(result.rank());
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const std::size_t axis = normalize_axis((*axes)[i], result.rank());
    require(!is_sliced[axis], "Slice: an axis occurs twice");
    is_sliced[axis] = true;
    if (steps) require((*steps)[i] != 0, "Slice: a step is 0");
    const Dimension size = result[axis];
    if (!steps || !known_at(starts, i) || !known_at(stops, i)) {
      result[axis] = Dimension(0, size.max);
      continue;
    }
    result[axis] = sliced_dimension(size, (*starts)[i], (*stops)[i], (*steps)[i]);
  }
  set_output(node, 0, data.type(), result);
  move_known(node);
}

/// Whether a shape that may have no rank can have `count` axes before other `least` axes.
bool admits_axes(const PartialShape& shape, std::int64_t count, std::int64_t least) {
  return !shape.has_rank() || count <= static_cast<std::int64_t>(shape.rank()) - least;
}

void infer_gather(Node& node) {
  const GatherView gather = node;
  const Value data = gather.data();
  const Value indices = gather.indices();
  require(!data.shape().is_scalar(), "Gather: the data is a scalar");
  require(admits_axes(indices.shape(), gather.batch_dims(), 0) &&
              admits_axes(data.shape(), gather.batch_dims(), 1),
          "Gather: batch_dims is out of range");
  const auto axis_value = known_scalar(gather.axis());
  std::int64_t batch_dims = gather.batch_dims();
  if (!data.shape().has_rank() || !indices.shape().has_rank() || (!axis_value && batch_dims < 0))
    return set_output(node, 0, data.type(), unknown());
  const std::size_t rank = data.shape().rank();
  const std::size_t index_rank = indices.shape().rank();
  if (!axis_value)
    return set_output(node, 0, data.type(),
                      PartialShape::of_rank(rank - 1 + index_rank - static_cast<std::size_t>(batch_dims)));
  const std::size_t axis = normalize_axis(*axis_value, rank);
  if (batch_dims < 0) batch_dims += static_cast<std::int64_t>(index_rank);
  require(batch_dims >= 0 && batch_dims <= static_cast<std::int64_t>(std::min(axis, index_rank)),
          "Gather: batch_dims is out of range");
  const auto batch = static_cast<std::size_t>(batch_dims);
  Dimensions result;
  for (std::size_t i = 0; i < axis; ++i) {
    const Dimension& size = data.shape()[i];
    result.push_back(i < batch ? common_dimension(size, indices.shape()[i], "Gather: batch dimensions differ")
                               : size);
  }
  for (std::size_t i = batch; i < index_rank; ++i) result.push_back(indices.shape()[i]);
  for (std::size_t i = axis + 1; i < rank; ++i) result.push_back(data.shape()[i]);
  set_output(node, 0, data.type(), PartialShape(std::move(result)));
  move_known(node);
}

void infer_gather_elements(Node& node) {
  const GatherElementsView gather_elements = node;
  require_index_type(gather_elements.indices().type());
  const PartialShape& data = gather_elements.data().shape();
  PartialShape shape = gather_elements.indices().shape();
  if (!data.has_rank()) return set_output(node, 0, gather_elements.data().type(), std::move(shape));
  const std::size_t axis = normalize_axis(gather_elements.axis(), data.rank());
  if (!shape.has_rank()) shape = PartialShape::of_rank(data.rank());
  require(data.rank() == shape.rank(), "GatherElements: data and indices differ in rank");
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (i == axis) continue;
    if (const auto size = intersect(data[i], shape[i])) shape[i] = *size;
  }
  set_output(node, 0, gather_elements.data().type(), std::move(shape));
}

/// Writes `updates` at `indices` of a vector of known elements, as OpenVINO's inference does.
void infer_scatter(Node& node) {
  infer_as_data(node);
  const AnyScatterView scatter = node;
  auto elements = known_values(scatter.data());
  const auto updates = known_values(scatter.updates());
  const auto positions = elements ? updated_positions(scatter, elements->size()) : std::nullopt;
  if (!updates || !positions || positions->size() != updates->size()) return;
  for (std::size_t i = 0; i < positions->size(); ++i) (*elements)[(*positions)[i]] = (*updates)[i];
  set_known(node, 0, std::move(*elements));
}

void infer_gather_nd(Node& node) {
  const GatherNDView gather = node;
  require_index_type(gather.indices().type());
  const PartialShape& data = gather.data().shape();
  const PartialShape& indices = gather.indices().shape();
  const auto batch = static_cast<std::size_t>(gather.batch_dims());
  require(!indices.is_scalar(), "GatherND: the indices are a scalar");
  require(gather.batch_dims() >= 0 && admits_axes(indices, gather.batch_dims(), 1) &&
              admits_axes(data, gather.batch_dims(), 1),
          "GatherND: batch_dims is out of range");
  if (!data.has_rank() || !indices.has_rank() || !indices[indices.rank() - 1].is_static()) {
    return set_output(node, 0, gather.data().type(), unknown());
  }
  const auto depth = static_cast<std::size_t>(indices[indices.rank() - 1].size());
  require(batch + depth <= data.rank(), "GatherND: an index has more entries than the data has axes");
  Dimensions result;
  for (std::size_t i = 0; i < batch; ++i)
    result.push_back(common_dimension(data[i], indices[i], "GatherND: batch dimensions differ"));
  for (std::size_t i = batch; i + 1 < indices.rank(); ++i) result.push_back(indices[i]);
  for (std::size_t i = batch + depth; i < data.rank(); ++i) result.push_back(data[i]);
  set_output(node, 0, gather.data().type(), PartialShape(std::move(result)));
}

/// The number of elements, from none to the largest one that `shape` admits.
Dimension at_most_all_elements(const PartialShape& shape) {
  if (!shape.has_rank()) return {};
  return {0, product(shape.dimensions()).max};
}

void infer_non_zero(Node& node) {
  const NonZeroView non_zero = node;
  const ElementType type = non_zero.output_type();
  require_index_type(type);
  const PartialShape& shape = non_zero.data().shape();
  const Dimension rows = shape.has_rank() ? Dimension(static_cast<std::int64_t>(shape.rank())) : Dimension();
  if (const auto values = exact_values(non_zero.data()))
    return set_output(node, 0, type,
                      PartialShape{rows, std::ssize(*values) - std::ranges::count(*values, 0)});
  const auto numbers = exact_numbers(non_zero.data());
  if (!numbers) return set_output(node, 0, type, PartialShape{rows, at_most_all_elements(shape)});
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < numbers->size(); ++i) {
    if ((*numbers)[i] != 0) places.push_back(static_cast<std::int64_t>(i));
  }
  set_output(node, 0, type, PartialShape{rows, std::ssize(places)});
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

void infer_reverse_sequence(Node& node) {
  const ReverseSequenceView view = node;
  PartialShape result = view.data().shape();
  if (result.has_rank()) {
    Dimension& batch = result[normalize_axis(view.batch_axis(), result.rank())];
    batch = common_dimension(batch, dimension_along(view.lengths().shape(), 0),
                             "ReverseSequence: data and sequence lengths differ in batch size");
  }
  set_output(node, 0, view.data().type(), result);
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

std::vector<OpFunction> selection_functions() {
  return {
      {ops::Slice, infer_slice},
      {ops::Gather, infer_gather},
      {ops::GatherElements, infer_gather_elements},
      {ops::GatherND, infer_gather_nd},
      {{ops::ScatterUpdate, ops::ScatterElementsUpdate}, infer_scatter},
      {ops::NonZero, infer_non_zero},
      {ops::ReverseSequence, infer_reverse_sequence},
      {ops::OneHot, infer_one_hot},
      {ops::Eye, infer_eye},
      {ops::Unique, infer_unique},
  };
}

}  // namespace onnx2ir::ir
