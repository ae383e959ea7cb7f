// Operations that change the shape or the order of elements.
#include "ir/views/reshaping.hpp"

#include <algorithm>
#include <string>

#include "ir/checked_arithmetic.hpp"
#include "ir/ops/families.hpp"
#include "ir/ops/known_elements.hpp"

namespace onnx2ir::ir {
namespace {

void infer_shape_of(Node& node) {
  const ShapeOfView shape_of = node;
  require_index_type(shape_of.output_type());
  const PartialShape& shape = shape_of.data().shape();
  set_output(node, 0, shape_of.output_type(),
             shape.has_rank() ? PartialShape{static_cast<std::int64_t>(shape.rank())} : PartialShape{-1});
  if (!shape.has_rank()) return;
  KnownValues values;
  for (const Dimension& size : shape)
    values.push_back({size.min, size.max == Dimension::kUnbounded ? ValueRange().max : size.max});
  set_known(node, 0, std::move(values));
}

/// The smallest and the largest quotient that is an integer; invalid(`reason`) if no quotient is one.
Dimension divided(Dimension dimension, std::int64_t divisor, const char* reason) {
  const bool bounded = dimension.max != Dimension::kUnbounded;
  const Dimension result(dimension.min / divisor + (dimension.min % divisor == 0 ? 0 : 1),
                         bounded ? dimension.max / divisor : Dimension::kUnbounded);
  require(!bounded || result.min <= result.max, reason);
  return result;
}

constexpr const char* kMisfit = "Reshape: the number of elements does not fit the shape";

/// What the pattern of a Reshape says of each axis of the result.
struct ReshapePattern {
  Dimensions sizes;                     ///< 1 for the axis of -1
  std::vector<bool> is_copied;          ///< the data has the same size: the pattern has a special 0
  std::optional<std::size_t> inferred;  ///< the axis of -1
};

ReshapePattern pattern_of(ReshapeView reshape, const KnownValues& known) {
  const PartialShape& data = reshape.data().shape();
  ReshapePattern pattern;
  for (const ValueRange& range : known) {
    const std::size_t axis = pattern.sizes.size();
    const bool is_copied = reshape.special_zero() && range == ValueRange::exactly(0);
    pattern.is_copied.push_back(is_copied);
    if (range == ValueRange::exactly(-1)) {
      require(!pattern.inferred, "Reshape: more than one dimension is -1");
      pattern.inferred = axis;
      pattern.sizes.emplace_back(1);
    } else if (is_copied) {
      require(!data.has_rank() || axis < data.rank(),
              "Reshape: a 0 refers to a dimension that the input does not have");
      pattern.sizes.push_back(data.has_rank() ? data[axis] : Dimension());
    } else {
      require(range.max >= -1, "Reshape: a dimension below -1");
      const bool may_be_special = range.min < 0 || (reshape.special_zero() && range.min == 0);
      pattern.sizes.push_back(may_be_special ? Dimension() : to_dimension(range));
    }
  }
  return pattern;
}

/// The size of the axis of -1: what the other axes leave of the data. Copied axes, also dynamic ones, cancel
/// out.
Dimension inferred_size(const PartialShape& data, const ReshapePattern& pattern) {
  Dimensions left;
  for (std::size_t i = 0; i < data.rank(); ++i) {
    if (i >= pattern.is_copied.size() || !pattern.is_copied[i]) left.push_back(data[i]);
  }
  Dimensions taken_sizes;
  for (std::size_t i = 0; i < pattern.sizes.size(); ++i) {
    if (!pattern.is_copied[i]) taken_sizes.push_back(pattern.sizes[i]);
  }
  const Dimension available = product(left);
  const Dimension taken = product(taken_sizes);
  if (taken.is_dynamic()) return {};
  if (taken.size() > 0) return divided(available, taken.size(), kMisfit);
  if (available.is_dynamic()) return {};
  require(available.size() == 0, kMisfit);
  return 0;
}

void require_equal_counts(const PartialShape& data, const Dimensions& sizes) {
  const Dimension target = product(sizes);
  if (target.is_dynamic()) return;
  Dimensions static_sizes;
  std::ranges::copy_if(data, std::back_inserter(static_sizes), &Dimension::is_static);
  const Dimension part = product(static_sizes);  // the elements for all dynamic sizes of 1
  if (part.is_dynamic()) return;
  const bool is_multiple = part.size() == 0 ? target.size() == 0 : target.size() % part.size() == 0;
  if (data.is_static() ? part == target : is_multiple) return;
  invalid("Reshape: " + to_string(data) + " does not have the elements of " + to_string(PartialShape(sizes)));
}

void infer_reshape(Node& node) {
  const ReshapeView reshape = node;
  const PartialShape& data = reshape.data().shape();
  const auto known = known_integers(node, 1);
  if (!known) {
    const Dimension rank = dimension_along(reshape.shape().shape(), 0);
    return set_output(
        node, 0, reshape.data().type(),
        rank.is_static() ? PartialShape::of_rank(static_cast<std::size_t>(rank.size())) : unknown());
  }
  ReshapePattern pattern = pattern_of(reshape, *known);
  if (pattern.inferred) {
    pattern.sizes[*pattern.inferred] = data.has_rank() ? inferred_size(data, pattern) : Dimension();
  } else if (data.has_rank()) {
    require_equal_counts(data, pattern.sizes);
  }
  set_output(node, 0, reshape.data().type(), PartialShape(std::move(pattern.sizes)));
  keep_known(node);
}

/// Axes from input 1, normalised for `rank` and sorted; no value if they are dynamic.
std::optional<std::vector<std::size_t>> axes_of(const Node& node, std::size_t rank) {
  auto axes = known_axes(node.input(1), rank);
  if (!axes) return std::nullopt;
  std::ranges::sort(*axes);
  require(std::ranges::adjacent_find(*axes) == axes->end(), "an axis occurs twice");
  return axes;
}

void infer_squeeze(Node& node) {
  const Value data = node.input(0);
  if (!data.shape().has_rank()) return set_output(node, 0, data.type(), unknown());
  const std::size_t rank = data.shape().rank();
  Dimensions result;
  if (node.inputs().size() == 1 || node.input(1).shape().element_count() == 0) {  // all axes of size 1
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
      } else if (!data.shape()[i].admits(1)) {
        invalid("Squeeze: axis " + std::to_string(i) + " of " + to_string(data.shape()) + " is not 1");
      }
    }
  }
  set_output(node, 0, data.type(), PartialShape(std::move(result)));
  keep_known(node);
}

void infer_unsqueeze(Node& node) {
  const UnsqueezeView unsqueeze = node;
  const Value data = unsqueeze.data();
  const auto count = unsqueeze.axes().shape().element_count();
  if (!data.shape().has_rank() || !count) return set_output(node, 0, data.type(), unknown());
  const std::size_t rank = data.shape().rank() + static_cast<std::size_t>(*count);
  const auto axes = axes_of(node, rank);
  if (!axes) return set_output(node, 0, data.type(), unknown());
  Dimensions result;
  std::size_t next = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    result.push_back(std::binary_search(axes->begin(), axes->end(), i) ? Dimension(1) : data.shape()[next++]);
  }
  set_output(node, 0, data.type(), PartialShape(std::move(result)));
  keep_known(node);
}

void infer_transpose(Node& node) {
  const Value data = node.input(0);
  const auto order = exact_order(node);
  if (!data.shape().has_rank()) {
    return set_output(node, 0, data.type(), order ? PartialShape::of_rank(order->size()) : unknown());
  }
  const std::size_t rank = data.shape().rank();
  if (!order) return set_output(node, 0, data.type(), PartialShape::of_rank(rank));
  Integers sorted = *order;
  std::ranges::sort(sorted);
  bool valid = sorted.size() == rank;
  for (std::size_t i = 0; valid && i < rank; ++i) valid = sorted[i] == static_cast<std::int64_t>(i);
  require(valid, "Transpose: the order is not a permutation of the axes");
  Dimensions result;
  for (const std::int64_t axis : *order) result.push_back(data.shape()[static_cast<std::size_t>(axis)]);
  set_output(node, 0, data.type(), PartialShape(std::move(result)));
  move_known(node);
}

/// DepthToSpace and SpaceToDepth.
void infer_blocks(Node& node) {
  PartialShape result = node.input(0).shape();
  if (!result.has_rank()) return set_output(node, 0, node.input(0).type(), result);
  if (result.rank() < 3) invalid(std::string(node.op().name) + ": rank below 3");
  const std::int64_t size = node.integer("block_size");
  if (size <= 0) invalid(std::string(node.op().name) + ": invalid block size");
  Dimension& depth = result[1];
  std::int64_t divisor = 1;
  for (Dimension& dimension : std::span(result.mutable_dimensions()).subspan(2)) {
    if (node.is(ops::SpaceToDepth)) {
      depth = multiply(depth, size);
      dimension = divided(dimension, size, "SpaceToDepth: the block size does not divide the axes");
    } else {
      divisor = checked_multiply(divisor, size);
      dimension = multiply(dimension, size);
    }
  }
  if (depth.is_static()) {
    require(depth.size() % divisor == 0, "DepthToSpace: the block size does not divide the channels");
    depth = depth.size() / divisor;
  } else if (node.is(ops::DepthToSpace)) {
    depth = Dimension();
  }
  set_output(node, 0, node.input(0).type(), std::move(result));
}

}  // namespace

std::vector<OpFunction> reshaping_functions() {
  return {
      {ops::ShapeOf, infer_shape_of},    {ops::Reshape, infer_reshape},     {ops::Squeeze, infer_squeeze},
      {ops::Unsqueeze, infer_unsqueeze}, {ops::Transpose, infer_transpose}, {ops::DepthToSpace, infer_blocks},
      {ops::SpaceToDepth, infer_blocks},
  };
}

}  // namespace onnx2ir::ir
