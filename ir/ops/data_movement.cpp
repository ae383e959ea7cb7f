// Operations that rearrange elements: shapes, slices, gathers, splits, broadcasts. Each passes on what is
// known of the elements of small integer tensors, so that computed shapes become static.
#include <algorithm>
#include <limits>
#include <numeric>

#include "ir/inference.hpp"
#include "ir/ops/families.hpp"
#include "ir/value_ranges.hpp"

namespace onnx2ir::ir {
namespace {

using Kind = AttributeSpec::Kind;
using Sizes = std::vector<std::int64_t>;

PartialShape unknown() {
  return PartialShape::unknown_rank();
}

/// Strides of a C-ordered tensor.
Sizes strides_of(const Sizes& sizes) {
  Sizes strides(sizes.size(), 1);
  for (std::size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * sizes[i];
  return strides;
}

/// Sets the known values of output 0 element by element: `source` maps the coordinates of an element of the
/// output to an index into the known values of input 0, or to nothing.
template <typename Source>
void move_known(Node& node, Source source) {
  const auto from = known_values(node.input(0));
  const auto sizes = node.output(0).shape.sizes();
  const auto count = node.output(0).shape.element_count();
  constexpr std::int64_t kMost = 1024;
  if (!from || !sizes || *count > kMost) return;
  KnownValues values;
  Sizes at(sizes->size(), 0);
  for (std::int64_t i = 0; i < *count; ++i) {
    const std::optional<std::int64_t> index = source(at);
    values.push_back(index && *index >= 0 && *index < static_cast<std::int64_t>(from->size())
                         ? (*from)[static_cast<std::size_t>(*index)]
                         : ValueRange{});
    for (std::size_t axis = at.size(); axis-- > 0;) {
      if (++at[axis] < (*sizes)[axis]) break;
      at[axis] = 0;
    }
  }
  set_known(node, 0, std::move(values));
}

/// The elements stay in order.
void keep_known(Node& node) {
  if (const auto from = known_values(node.input(0))) set_known(node, 0, *from);
}

void infer_shape_of(Node& node) {
  const PartialShape& shape = node.input(0).shape();
  set_output(node, 0, node.type("output_type"),
             shape.has_rank() ? PartialShape{static_cast<std::int64_t>(shape.rank())} : PartialShape{-1});
  if (!shape.has_rank()) return;
  KnownValues values;
  for (const Dimension& dimension : shape) values.push_back(to_range(dimension));
  set_known(node, 0, std::move(values));
}

/// The interval of element counts of `dimensions`.
Dimension product(std::span<const Dimension> dimensions) {
  Dimension result = 1;
  for (const Dimension& dimension : dimensions) result = multiply(result, dimension);
  return result;
}

void infer_reshape(Node& node) {
  const Value data = node.input(0);
  const Value pattern = node.input(1);
  const bool special_zero = node.boolean("special_zero");
  const auto known = known_values(pattern);
  if (!known) {
    const PartialShape& shape = pattern.shape();
    const bool known_rank = shape.has_rank() && shape.rank() == 1 && shape[0].is_static();
    set_output(node, 0, data.type(),
               known_rank ? PartialShape::of_rank(static_cast<std::size_t>(shape[0].size())) : unknown());
    return;
  }
  std::vector<Dimension> result;
  std::optional<std::size_t> inferred;
  for (std::size_t i = 0; i < known->size(); ++i) {
    const ValueRange& range = (*known)[i];
    if (range == ValueRange::exactly(-1)) {
      require(!inferred, "Reshape: more than one dimension is -1");
      inferred = i;
      result.emplace_back(1);
    } else if (range == ValueRange::exactly(0) && special_zero) {
      require(!data.shape().has_rank() || i < data.shape().rank(),
              "Reshape: a 0 stands for a missing dimension");
      result.push_back(data.shape().has_rank() ? data.shape()[i] : Dimension());
    } else {
      require(range.max >= -1, "Reshape: a dimension below -1");
      const bool may_be_special = range.min < 0 || (special_zero && range.min == 0 && !range.is_exact());
      result.push_back(may_be_special ? Dimension() : to_dimension(range));
    }
  }
  if (data.shape().has_rank()) {
    const auto total = data.shape().element_count();
    if (inferred) {
      // Dimensions copied by a 0, or unchanged in front, cancel out even where they are not known.
      std::vector<Dimension> left;
      std::vector<Dimension> right;
      for (std::size_t i = 0; i < data.shape().rank(); ++i) {
        const bool copied = special_zero && i < known->size() && (*known)[i] == ValueRange::exactly(0);
        if (!copied) left.push_back(data.shape()[i]);
      }
      for (std::size_t i = 0; i < result.size(); ++i) {
        const bool copied = special_zero && (*known)[i] == ValueRange::exactly(0);
        if (!copied && i != *inferred) right.push_back(result[i]);
      }
      const Dimension available = product(left);
      const Dimension taken = product(right);
      if (available.is_static() && taken.is_static()) {
        if (taken.size() == 0) {
          require(available.size() == 0, "Reshape: the elements do not fit the shape");
          result[*inferred] = 0;
        } else {
          require(available.size() % taken.size() == 0, "Reshape: the elements do not fit the shape");
          result[*inferred] = available.size() / taken.size();
        }
      } else {
        result[*inferred] = Dimension();
      }
    } else {
      const Dimension target = product(result);
      if (total && target.is_static()) {
        require(*total == target.size(), "Reshape: " + to_string(data.shape()) +
                                             " does not have the elements of " +
                                             to_string(PartialShape(result)));
      }
    }
  } else if (inferred) {
    result[*inferred] = Dimension();
  }
  set_output(node, 0, data.type(), PartialShape(std::move(result)));
  keep_known(node);
}

/// Axes from input 1, normalised for `rank`, sorted; nothing when they are not known.
std::optional<std::vector<std::size_t>> axes_of(const Node& node, std::size_t rank) {
  const auto values = exact_values(node.input(1));
  if (!values) return std::nullopt;
  std::vector<std::size_t> axes;
  for (const std::int64_t axis : *values) axes.push_back(normalize_axis(axis, rank));
  std::sort(axes.begin(), axes.end());
  require(std::adjacent_find(axes.begin(), axes.end()) == axes.end(), "an axis is given twice");
  return axes;
}

void infer_squeeze(Node& node) {
  const Value data = node.input(0);
  if (!data.shape().has_rank()) return set_output(node, 0, data.type(), unknown());
  const std::size_t rank = data.shape().rank();
  std::vector<Dimension> result;
  if (node.inputs().size() == 1) {
    for (const Dimension& dimension : data.shape()) {
      if (dimension.is_dynamic() && dimension.admits(1)) return set_output(node, 0, data.type(), unknown());
      if (dimension != Dimension(1)) result.push_back(dimension);
    }
  } else {
    const auto axes = axes_of(node, rank);
    if (!axes) return set_output(node, 0, data.type(), unknown());
    for (std::size_t i = 0; i < rank; ++i) {
      if (!std::binary_search(axes->begin(), axes->end(), i)) {
        result.push_back(data.shape()[i]);
      } else {
        require(data.shape()[i].admits(1),
                "Squeeze: axis " + std::to_string(i) + " of " + to_string(data.shape()) + " is not 1");
      }
    }
  }
  set_output(node, 0, data.type(), PartialShape(std::move(result)));
  keep_known(node);
}

void infer_unsqueeze(Node& node) {
  const Value data = node.input(0);
  const auto count = node.input(1).shape().element_count();
  if (!data.shape().has_rank() || !count) return set_output(node, 0, data.type(), unknown());
  const std::size_t rank = data.shape().rank() + static_cast<std::size_t>(*count);
  const auto axes = axes_of(node, rank);
  if (!axes) return set_output(node, 0, data.type(), unknown());
  std::vector<Dimension> result;
  std::size_t next = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    result.push_back(std::binary_search(axes->begin(), axes->end(), i) ? Dimension(1) : data.shape()[next++]);
  }
  set_output(node, 0, data.type(), PartialShape(std::move(result)));
  keep_known(node);
}

void infer_transpose(Node& node) {
  const Value data = node.input(0);
  const auto order = exact_values(node.input(1));
  if (!data.shape().has_rank()) {
    return set_output(node, 0, data.type(),
                      order && !order->empty() ? PartialShape::of_rank(order->size()) : unknown());
  }
  const std::size_t rank = data.shape().rank();
  if (!order) return set_output(node, 0, data.type(), PartialShape::of_rank(rank));
  Sizes permutation = *order;
  if (permutation.empty()) {
    for (std::size_t i = rank; i-- > 0;) permutation.push_back(static_cast<std::int64_t>(i));
  }
  Sizes sorted = permutation;
  std::sort(sorted.begin(), sorted.end());
  bool valid = sorted.size() == rank;
  for (std::size_t i = 0; valid && i < rank; ++i) valid = sorted[i] == static_cast<std::int64_t>(i);
  require(valid, "Transpose: the order is no permutation of the axes");
  std::vector<Dimension> result;
  for (const std::int64_t axis : permutation) result.push_back(data.shape()[static_cast<std::size_t>(axis)]);
  set_output(node, 0, data.type(), PartialShape(std::move(result)));
  if (const auto sizes = data.shape().sizes()) {
    const Sizes strides = strides_of(*sizes);
    move_known(node, [&](const Sizes& at) -> std::optional<std::int64_t> {
      std::int64_t index = 0;
      for (std::size_t i = 0; i < at.size(); ++i)
        index += at[i] * strides[static_cast<std::size_t>(permutation[i])];
      return index;
    });
  }
}

void infer_concat(Node& node) {
  const ElementType type = same_type(node, 0, node.inputs().size());
  PartialShape result = unknown();
  std::size_t axis = 0;
  bool all_ranked = true;
  for (const Value& input : node.inputs()) {
    const PartialShape& shape = input.shape();
    if (!shape.has_rank()) {
      all_ranked = false;
      continue;
    }
    axis = normalize_axis(node.integer("axis"), shape.rank());
    if (!result.has_rank()) {
      result = shape;
      continue;
    }
    require(shape.rank() == result.rank(), "Concat: inputs of rank " + std::to_string(result.rank()) +
                                               " and " + std::to_string(shape.rank()));
    for (std::size_t i = 0; i < shape.rank(); ++i) {
      if (i == axis) {
        result[i] = add(result[i], shape[i]);
        continue;
      }
      const auto common = intersect(result[i], shape[i]);
      require(common.has_value(), "Concat: shapes " + to_string(result) + " and " + to_string(shape) +
                                      " differ besides the axis");
      result[i] = *common;
    }
  }
  if (result.has_rank() && !all_ranked) result[axis] = Dimension();
  set_output(node, 0, type, result);
  if (!result.has_rank() || result.rank() == 0) return;
  std::vector<KnownValues> parts;
  for (const Value& input : node.inputs()) {
    auto part = known_values(input);
    if (!part) return;
    parts.push_back(*std::move(part));
  }
  // In C order: for each position in front of the axis, what each part has there.
  std::size_t rows = 1;
  for (std::size_t i = 0; i < axis; ++i)
    rows *= static_cast<std::size_t>(std::max<std::int64_t>(result[i].size(), 0));
  KnownValues values;
  for (std::size_t row = 0; row < rows; ++row) {
    for (const KnownValues& part : parts) {
      const auto length = static_cast<std::ptrdiff_t>(part.size() / rows);
      const auto first = part.begin() + static_cast<std::ptrdiff_t>(row) * length;
      values.insert(values.end(), first, first + length);
    }
  }
  set_known(node, 0, std::move(values));
}

void infer_split(Node& node) {
  const Value data = node.input(0);
  const auto axis = exact_values(node.input(1));
  const std::int64_t parts = node.integer("num_splits");
  PartialShape result = data.shape();
  if (result.has_rank()) {
    if (axis && axis->size() == 1) {
      Dimension& dimension = result[normalize_axis(axis->front(), result.rank())];
      if (dimension.is_static()) {
        require(parts > 0 && dimension.size() % parts == 0, "Split: the axis cannot be divided evenly");
        dimension = dimension.size() / parts;
      } else {
        dimension = Dimension();
      }
    } else {
      result = PartialShape::of_rank(result.rank());
    }
  }
  for (std::size_t i = 0; i < node.outputs().size(); ++i) set_output(node, i, data.type(), result);
}

void infer_variadic_split(Node& node) {
  const Value data = node.input(0);
  const auto axis = exact_values(node.input(1));
  auto lengths = known_values(node.input(2));
  PartialShape result = data.shape();
  if (!result.has_rank() || !axis || axis->size() != 1) {
    if (result.has_rank()) result = PartialShape::of_rank(result.rank());
    for (std::size_t i = 0; i < node.outputs().size(); ++i) set_output(node, i, data.type(), result);
    return;
  }
  const std::size_t where = normalize_axis(axis->front(), result.rank());
  const Dimension whole = result[where];
  if (lengths) {
    require(lengths->size() == node.outputs().size(), "VariadicSplit: as many lengths as outputs are needed");
    // Lengths count when all of them are known.
    if (std::any_of(lengths->begin(), lengths->end(),
                    [](const ValueRange& length) { return !length.is_exact(); })) {
      lengths.reset();
    }
  }
  if (lengths) {
    Dimension sum = 0;
    ValueRange* rest = nullptr;
    for (ValueRange& length : *lengths) {
      if (length == ValueRange::exactly(-1)) {
        rest = &length;
      } else {
        sum = add(sum, to_dimension(length));
      }
    }
    if (rest != nullptr) {
      *rest = whole.is_static() && sum.is_static() ? ValueRange::exactly(whole.size() - sum.size())
                                                   : ValueRange{};
    } else if (whole.is_static() && sum.is_static()) {
      require(whole.size() == sum.size(), "VariadicSplit: the lengths do not add up to the axis");
    }
  }
  const auto from = result.rank() == 1 ? known_values(data) : std::nullopt;
  std::size_t begin = 0;
  bool exact = true;
  for (std::size_t i = 0; i < node.outputs().size(); ++i) {
    const ValueRange length = lengths ? (*lengths)[i] : ValueRange{};
    result[where] = to_dimension(length);
    if (length.min < 0 && !length.is_exact()) result[where] = Dimension();
    set_output(node, i, data.type(), result);
    exact = exact && result[where].is_static();
    if (!from || !exact) continue;
    const auto end = begin + static_cast<std::size_t>(result[where].size());
    if (end > from->size()) break;
    set_known(node, i,
              KnownValues(from->begin() + std::ptrdiff_t(begin), from->begin() + std::ptrdiff_t(end)));
    begin = end;
  }
}

/// The slice of one axis: where it starts, how it steps and how many elements it has.
struct SliceOfAxis {
  std::int64_t start = 0;
  std::int64_t step = 1;
  std::int64_t length = 0;
};

/// Clamps as numpy does; `size` is the axis' length, `step` not 0.
SliceOfAxis slice_axis(std::int64_t start, std::int64_t stop, std::int64_t step, std::int64_t size) {
  const std::int64_t least = step > 0 ? 0 : -1;
  const std::int64_t most = step > 0 ? size : size - 1;
  const auto clamp = [&](std::int64_t position) {
    // Far outside is far outside: adding the size cannot overflow below zero.
    if (position < 0) position += size;
    return std::clamp(position, least, most);
  };
  start = clamp(start);
  stop = clamp(stop);
  const std::int64_t distance = step > 0 ? stop - start : start - stop;
  const std::int64_t stride = step > 0                                           ? step
                              : step == std::numeric_limits<std::int64_t>::min() ? size + 1
                                                                                 : -step;
  return {start, step, distance <= 0 ? 0 : (distance - 1) / stride + 1};
}

/// The length of a slice of an axis whose size is an interval.
Dimension sliced_dimension(Dimension size, std::int64_t start, std::int64_t stop, std::int64_t step) {
  if (size.is_static()) return slice_axis(start, stop, step, size.size()).length;
  constexpr std::int64_t kLarge = std::int64_t{1} << 40U;
  const bool bounded = size.max != Dimension::kUnbounded;
  const Dimension at_least = slice_axis(start, stop, step, size.min).length;
  const std::int64_t at_most = slice_axis(start, stop, step, bounded ? size.max : kLarge).length;
  const bool grows = !bounded && at_most > kLarge / 2;
  return {std::min(at_least.size(), at_most),
          grows ? Dimension::kUnbounded : std::max(at_least.size(), at_most)};
}

void infer_slice(Node& node) {
  const Value data = node.input(0);
  if (!data.shape().has_rank()) return set_output(node, 0, data.type(), unknown());
  PartialShape result = data.shape();
  const auto starts = known_values(node.input(1));
  const auto stops = known_values(node.input(2));
  const auto steps = exact_values(node.input(3));
  const auto axes = exact_values(node.input(4));
  if (!axes) return set_output(node, 0, data.type(), PartialShape::of_rank(result.rank()));
  const auto exact_at = [&](const std::optional<KnownValues>& values, std::size_t i) {
    return values && i < values->size() && (*values)[i].is_exact();
  };
  std::vector<SliceOfAxis> slices;
  for (std::size_t i = 0; i < result.rank(); ++i) slices.push_back({0, 1, result[i].size()});
  bool exact = true;
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const std::size_t axis = normalize_axis((*axes)[i], result.rank());
    if (steps) require((*steps)[i] != 0, "Slice: a step is 0");
    if (!steps || !exact_at(starts, i) || !exact_at(stops, i)) {
      const Dimension size = result[axis];
      result[axis] = Dimension(0, size.max);
      exact = false;
      continue;
    }
    const std::int64_t start = (*starts)[i].min;
    const std::int64_t stop = (*stops)[i].min;
    if (result[axis].is_static()) slices[axis] = slice_axis(start, stop, (*steps)[i], result[axis].size());
    result[axis] = sliced_dimension(result[axis], start, stop, (*steps)[i]);
  }
  set_output(node, 0, data.type(), result);
  const auto sizes = data.shape().sizes();
  if (!sizes || !exact) return;
  const Sizes strides = strides_of(*sizes);
  move_known(node, [&](const Sizes& at) -> std::optional<std::int64_t> {
    std::int64_t index = 0;
    for (std::size_t i = 0; i < at.size(); ++i)
      index += (slices[i].start + at[i] * slices[i].step) * strides[i];
    return index;
  });
}

void infer_gather(Node& node) {
  const Value data = node.input(0);
  const Value indices = node.input(1);
  const auto axis_value = exact_values(node.input(2));
  if (!data.shape().has_rank() || !indices.shape().has_rank() || !axis_value || axis_value->size() != 1) {
    const bool ranked = data.shape().has_rank() && indices.shape().has_rank();
    const std::int64_t batch = node.integer("batch_dims");
    return set_output(
        node, 0, data.type(),
        ranked && batch >= 0
            ? PartialShape::of_rank(data.shape().rank() + indices.shape().rank() - 1 - std::size_t(batch))
            : unknown());
  }
  const std::size_t rank = data.shape().rank();
  require(rank > 0, "Gather: the data is a scalar");
  const std::size_t axis = normalize_axis(axis_value->front(), rank);
  const std::size_t index_rank = indices.shape().rank();
  std::int64_t batch_dims = node.integer("batch_dims");
  if (batch_dims < 0) batch_dims += static_cast<std::int64_t>(index_rank);
  require(batch_dims >= 0 && batch_dims <= static_cast<std::int64_t>(std::min(axis, index_rank)),
          "Gather: batch_dims is out of range");
  const auto batch = static_cast<std::size_t>(batch_dims);
  std::vector<Dimension> result;
  for (std::size_t i = 0; i < axis; ++i) {
    Dimension dimension = data.shape()[i];
    if (i < batch) {
      const auto common = intersect(dimension, indices.shape()[i]);
      require(common.has_value(), "Gather: batch dimensions differ");
      dimension = *common;
    }
    result.push_back(dimension);
  }
  for (std::size_t i = batch; i < index_rank; ++i) result.push_back(indices.shape()[i]);
  for (std::size_t i = axis + 1; i < rank; ++i) result.push_back(data.shape()[i]);
  set_output(node, 0, data.type(), PartialShape(std::move(result)));
  const auto sizes = data.shape().sizes();
  const auto index_values = exact_values(indices);
  const auto index_sizes = indices.shape().sizes();
  if (!sizes || !index_values || !index_sizes || batch != 0) return;
  const Sizes strides = strides_of(*sizes);
  const Sizes index_strides = strides_of(*index_sizes);
  move_known(node, [&](const Sizes& at) -> std::optional<std::int64_t> {
    std::int64_t index = 0;
    std::int64_t which = 0;
    for (std::size_t i = 0; i < axis; ++i) index += at[i] * strides[i];
    for (std::size_t i = 0; i < index_rank; ++i) which += at[axis + i] * index_strides[i];
    for (std::size_t i = axis + 1; i < rank; ++i) index += at[i + index_rank - 1] * strides[i];
    std::int64_t chosen = (*index_values)[static_cast<std::size_t>(which)];
    if (chosen < 0) chosen += (*sizes)[axis];
    if (chosen < 0 || chosen >= (*sizes)[axis]) return std::nullopt;
    return index + chosen * strides[axis];
  });
}

void infer_gather_elements(Node& node) {
  const PartialShape& indices = node.input(1).shape();
  const PartialShape& data = node.input(0).shape();
  if (data.has_rank()) normalize_axis(node.integer("axis"), data.rank());
  if (data.has_rank() && indices.has_rank()) {
    require(data.rank() == indices.rank(), "GatherElements: data and indices differ in rank");
  }
  set_output(node, 0, node.input(0).type(),
             indices.has_rank() ? indices
             : data.has_rank()  ? PartialShape::of_rank(data.rank())
                                : unknown());
}

void infer_gather_nd(Node& node) {
  const PartialShape& data = node.input(0).shape();
  const PartialShape& indices = node.input(1).shape();
  const auto batch = static_cast<std::size_t>(node.integer("batch_dims"));
  if (!data.has_rank() || !indices.has_rank() || !indices[indices.rank() - 1].is_static()) {
    return set_output(node, 0, node.input(0).type(), unknown());
  }
  require(indices.rank() > batch && data.rank() > batch, "GatherND: batch_dims is too large");
  const auto depth = static_cast<std::size_t>(indices[indices.rank() - 1].size());
  require(batch + depth <= data.rank(), "GatherND: an index has more entries than the data has axes");
  std::vector<Dimension> result;
  for (std::size_t i = 0; i < batch; ++i) {
    const auto common = intersect(data[i], indices[i]);
    require(common.has_value(), "GatherND: batch dimensions differ");
    result.push_back(*common);
  }
  for (std::size_t i = batch; i + 1 < indices.rank(); ++i) result.push_back(indices[i]);
  for (std::size_t i = batch + depth; i < data.rank(); ++i) result.push_back(data[i]);
  set_output(node, 0, node.input(0).type(), PartialShape(std::move(result)));
}

void infer_as_data(Node& node) {
  set_output(node, 0, node.input(0).type(), node.input(0).shape());
}

/// The sizes a Broadcast aims at. Of a Concat at the input, parts may be known alone.
std::optional<KnownValues> broadcast_target(Value shape) {
  auto known = known_values(shape);
  if (known || !shape.node->is("Concat") || !shape.shape().element_count()) return known;
  known.emplace();
  for (const Value& part : shape.node->inputs()) {
    const auto values = known_values(part);
    const auto count = static_cast<std::size_t>(*part.shape().element_count());
    known->resize(known->size() + count);
    if (values) std::copy(values->begin(), values->end(), known->end() - static_cast<std::ptrdiff_t>(count));
  }
  return known;
}

void infer_broadcast(Node& node) {
  const Value data = node.input(0);
  const bool bidirectional = node.text("mode") == "bidirectional";
  auto target = broadcast_target(node.input(1));
  if (!target) {
    const PartialShape& shape = node.input(1).shape();
    const bool has_length = shape.has_rank() && shape.rank() == 1 && shape[0].is_static();
    if (!has_length) return set_output(node, 0, data.type(), unknown());
    const auto length = static_cast<std::size_t>(shape[0].size());
    if (!bidirectional) return set_output(node, 0, data.type(), PartialShape::of_rank(length));
    target.emplace(length);
  }
  std::vector<Dimension> dimensions;
  for (const ValueRange& range : *target) dimensions.push_back(to_dimension(range));
  PartialShape result(std::move(dimensions));
  if (data.shape().has_rank()) {
    const auto joint = broadcast(data.shape(), result);
    require(joint.has_value(),
            "Broadcast: " + to_string(data.shape()) + " does not fit " + to_string(result));
    if (bidirectional) result = *joint;
  } else if (bidirectional) {
    result = unknown();
  }
  set_output(node, 0, data.type(), result);
  const auto sizes = data.shape().sizes();
  if (!sizes) return;
  const Sizes strides = strides_of(*sizes);
  move_known(node, [&](const Sizes& at) -> std::optional<std::int64_t> {
    std::int64_t index = 0;
    const std::size_t skip = at.size() - sizes->size();
    for (std::size_t i = 0; i < sizes->size(); ++i) {
      if ((*sizes)[i] != 1) index += at[skip + i] * strides[i];
    }
    return index;
  });
}

void infer_tile(Node& node) {
  const Value data = node.input(0);
  const auto repeats = known_values(node.input(1));
  if (!data.shape().has_rank()) return set_output(node, 0, data.type(), unknown());
  if (!repeats) {
    const PartialShape& shape = node.input(1).shape();
    const bool known = shape.has_rank() && shape.rank() == 1 && shape[0].is_static();
    return set_output(node, 0, data.type(),
                      known ? PartialShape::of_rank(
                                  std::max(data.shape().rank(), static_cast<std::size_t>(shape[0].size())))
                            : unknown());
  }
  std::vector<Dimension> result(data.shape().begin(), data.shape().end());
  std::vector<Dimension> factors;
  for (const ValueRange& range : *repeats) factors.push_back(to_dimension(range));
  while (result.size() < factors.size()) result.insert(result.begin(), Dimension(1));
  while (factors.size() < result.size()) factors.insert(factors.begin(), Dimension(1));
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = multiply(result[i], factors[i]);
  set_output(node, 0, data.type(), PartialShape(std::move(result)));
  const auto sizes = data.shape().sizes();
  if (!sizes) return;
  const Sizes strides = strides_of(*sizes);
  move_known(node, [&](const Sizes& at) -> std::optional<std::int64_t> {
    std::int64_t index = 0;
    const std::size_t skip = at.size() - sizes->size();
    for (std::size_t i = 0; i < sizes->size(); ++i) {
      if ((*sizes)[i] == 0) return std::nullopt;
      index += at[skip + i] % (*sizes)[i] * strides[i];
    }
    return index;
  });
}

void infer_pad(Node& node) {
  const Value data = node.input(0);
  if (!data.shape().has_rank()) return set_output(node, 0, data.type(), unknown());
  PartialShape result = data.shape();
  const auto begins = exact_values(node.input(1));
  const auto ends = exact_values(node.input(2));
  if (!begins || !ends) return set_output(node, 0, data.type(), PartialShape::of_rank(result.rank()));
  require(begins->size() == result.rank() && ends->size() == result.rank(),
          "Pad: as many pads as the input has axes are needed");
  for (std::size_t i = 0; i < result.rank(); ++i) {
    const std::int64_t added = (*begins)[i] + (*ends)[i];
    const auto padded = [&](std::int64_t size) { return std::max<std::int64_t>(size + added, 0); };
    const Dimension size = result[i];
    const bool bounded = size.max != Dimension::kUnbounded;
    result[i] = Dimension(padded(size.min), bounded ? padded(size.max) : Dimension::kUnbounded);
  }
  set_output(node, 0, data.type(), result);
}

void infer_non_zero(Node& node) {
  const PartialShape& shape = node.input(0).shape();
  const auto count = shape.element_count();
  if (const auto values = exact_values(node.input(0)); values && shape.has_rank()) {
    const auto found =
        std::count_if(values->begin(), values->end(), [](std::int64_t value) { return value != 0; });
    return set_output(
        node, 0, node.type("output_type"),
        PartialShape{static_cast<std::int64_t>(shape.rank()), static_cast<std::int64_t>(found)});
  }
  const Dimension rows = shape.has_rank() ? Dimension(static_cast<std::int64_t>(shape.rank())) : Dimension();
  const auto numbers = count ? exact_numbers(node.input(0)) : std::nullopt;
  if (!numbers) {
    return set_output(node, 0, node.type("output_type"),
                      PartialShape{rows, count ? Dimension(0, *count) : Dimension()});
  }
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < numbers->size(); ++i) {
    if ((*numbers)[i] != 0) places.push_back(static_cast<std::int64_t>(i));
  }
  set_output(node, 0, node.type("output_type"),
             PartialShape{rows, Dimension(static_cast<std::int64_t>(places.size()))});
  constexpr std::size_t kMostKnown = 1024;
  if (places.size() * shape.rank() > kMostKnown) return;
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

void infer_one_hot(Node& node) {
  const Value indices = node.input(0);
  if (!indices.shape().has_rank()) return set_output(node, 0, node.input(2).type(), unknown());
  std::vector<Dimension> result(indices.shape().begin(), indices.shape().end());
  const std::size_t axis = normalize_axis(node.integer("axis"), result.size() + 1);
  const auto depth = exact_numbers(node.input(1));
  const Dimension size =
      depth && depth->size() == 1 ? Dimension(static_cast<std::int64_t>(depth->front())) : Dimension();
  result.insert(result.begin() + static_cast<std::ptrdiff_t>(axis), size);
  set_output(node, 0, node.input(2).type(), PartialShape(std::move(result)));
}

void infer_depth_to_space(Node& node) {
  const PartialShape& data = node.input(0).shape();
  if (!data.has_rank()) return set_output(node, 0, node.input(0).type(), unknown());
  require(data.rank() >= 3, "DepthToSpace: rank below 3");
  const std::int64_t block = node.integer("block_size");
  std::vector<Dimension> result(data.begin(), data.end());
  std::int64_t divisor = 1;
  for (std::size_t i = 2; i < result.size(); ++i) {
    divisor *= block;
    result[i] = multiply(result[i], block);
  }
  require(divisor > 0, "DepthToSpace: bad block size");
  if (result[1].is_static()) {
    require(result[1].size() % divisor == 0, "DepthToSpace: channels are no multiple of the block");
    result[1] = result[1].size() / divisor;
  } else {
    result[1] = Dimension();
  }
  set_output(node, 0, node.input(0).type(), PartialShape(std::move(result)));
}

void infer_space_to_depth(Node& node) {
  const PartialShape& data = node.input(0).shape();
  if (!data.has_rank()) return set_output(node, 0, node.input(0).type(), unknown());
  require(data.rank() >= 3, "SpaceToDepth: rank below 3");
  const std::int64_t block = node.integer("block_size");
  require(block > 0, "SpaceToDepth: bad block size");
  std::vector<Dimension> result(data.begin(), data.end());
  for (std::size_t i = 2; i < result.size(); ++i) {
    result[1] = multiply(result[1], block);
    result[i] = result[i].is_static() ? Dimension(result[i].size() / block) : Dimension();
  }
  set_output(node, 0, node.input(0).type(), PartialShape(std::move(result)));
}

void infer_eye(Node& node) {
  const auto dimension = [&](std::size_t input) {
    const auto known = known_values(node.input(input));
    return known && known->size() == 1 ? to_dimension(known->front()) : Dimension();
  };
  set_output(node, 0, node.type("output_type"), PartialShape{dimension(0), dimension(1)});
}

void infer_unique(Node& node) {
  const Value data = node.input(0);
  const ElementType index_type = node.type("index_element_type");
  const ElementType count_type = node.type("count_element_type");
  const auto total = data.shape().element_count();
  Dimension found = total ? Dimension(std::min<std::int64_t>(*total, 1), *total) : Dimension();
  Dimension all = total ? Dimension(*total) : Dimension();
  PartialShape values{found};
  if (node.inputs().size() > 1) {
    const auto axis = exact_values(node.input(1));
    if (!data.shape().has_rank() || !axis || axis->size() != 1) {
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

std::vector<OpDescriptor> data_movement_ops() {
  constexpr int kMany = OpDescriptor::kVariadic;
  const AttributeSpec axis{"axis", Kind::integer};
  const AttributeSpec batch_dims{"batch_dims", Kind::integer};
  const AttributeSpec output_type{"output_type", Kind::type};
  const AttributeSpec reduction{"reduction", Kind::text};
  return {
      {"ShapeOf", "opset3", 1, 1, 1, {output_type}, infer_shape_of},
      {"Reshape", "opset1", 2, 2, 1, {{"special_zero", Kind::boolean}}, infer_reshape},
      {"Squeeze", "opset1", 1, 2, 1, {}, infer_squeeze},
      {"Unsqueeze", "opset1", 2, 2, 1, {}, infer_unsqueeze},
      {"Transpose", "opset1", 2, 2, 1, {}, infer_transpose},
      {"Concat", "opset1", 1, kMany, 1, {axis}, infer_concat},
      {"Identity", "opset16", 1, 1, 1, {}, infer_as_data},
      {"Split", "opset1", 2, 2, kMany, {{"num_splits", Kind::integer}}, infer_split},
      {"VariadicSplit", "opset1", 3, 3, kMany, {}, infer_variadic_split},
      {"Slice", "opset8", 5, 5, 1, {}, infer_slice},
      {"Gather", "opset8", 3, 3, 1, {batch_dims}, infer_gather},
      {"GatherElements", "opset6", 2, 2, 1, {axis}, infer_gather_elements},
      {"GatherND", "opset8", 2, 2, 1, {batch_dims}, infer_gather_nd},
      {"ScatterUpdate", "opset3", 4, 4, 1, {}, infer_as_data},
      {"ScatterElementsUpdate",
       "opset12",
       4,
       4,
       1,
       {reduction, {"use_init_val", Kind::boolean}},
       infer_as_data},
      {"ScatterNDUpdate", "opset15", 3, 3, 1, {reduction}, infer_as_data},
      {"Broadcast", "opset3", 2, 2, 1, {{"mode", Kind::text}}, infer_broadcast},
      {"Tile", "opset1", 2, 2, 1, {}, infer_tile},
      {"Pad", "opset12", 4, 4, 1, {{"pad_mode", Kind::text}}, infer_pad},
      {"NonZero", "opset3", 1, 1, 1, {output_type}, infer_non_zero},
      {"OneHot", "opset1", 4, 4, 1, {axis}, infer_one_hot},
      {"ReverseSequence",
       "opset1",
       2,
       2,
       1,
       {{"batch_axis", Kind::integer}, {"seq_axis", Kind::integer}},
       infer_as_data},
      {"DepthToSpace",
       "opset1",
       1,
       1,
       1,
       {{"mode", Kind::text}, {"block_size", Kind::integer}},
       infer_depth_to_space},
      {"SpaceToDepth",
       "opset1",
       1,
       1,
       1,
       {{"mode", Kind::text}, {"block_size", Kind::integer}},
       infer_space_to_depth},
      {"Eye", "opset9", 3, 4, 1, {output_type}, infer_eye},
      {"Unique",
       "opset10",
       1,
       2,
       4,
       {{"sorted", Kind::boolean}, {"index_element_type", Kind::type}, {"count_element_type", Kind::type}},
       infer_unique},
  };
}

}  // namespace onnx2ir::ir
