// Operations that concatenate, split, repeat and pad tensors.
#include "ir/views/joining.hpp"

#include <algorithm>
#include <numeric>

#include "ir/checked_arithmetic.hpp"
#include "ir/ops/families.hpp"
#include "ir/ops/known_elements.hpp"

namespace onnx2ir::ir {
namespace {

/// Extends `shape`, that of earlier inputs of a Concat, by that of the next input.
void append_shape(PartialShape& shape, const PartialShape& next, std::size_t axis) {
  if (next.rank() != shape.rank())
    invalid("Concat: inputs of rank " + std::to_string(shape.rank()) + " and " + std::to_string(next.rank()));
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (i == axis) {
      shape[i] = add(shape[i], next[i]);
    } else if (const auto common = intersect(shape[i], next[i])) {
      shape[i] = *common;
    } else {
      invalid("Concat: shapes " + to_string(shape) + " and " + to_string(next) + " differ besides the axis");
    }
  }
}

/// The elements of the output, whose static shape is `shape`; no value if those of an input are not known.
std::optional<KnownValues> joined_elements(const Node& concat, const PartialShape& shape, std::size_t axis) {
  std::vector<KnownValues> parts;
  for (const Value& input : concat.inputs()) {
    auto part = known_values(input);
    if (!part) return std::nullopt;
    parts.push_back(*std::move(part));
  }
  KnownValues elements;
  if (shape.element_count() == 0) return elements;
  // In C order: for each index of the axes before the concatenated one, the elements of each part.
  std::size_t rows = 1;
  for (std::size_t i = 0; i < axis; ++i) rows *= static_cast<std::size_t>(shape[i].size());
  for (std::size_t row = 0; row < rows; ++row) {
    for (const KnownValues& part : parts) {
      const auto length = static_cast<std::ptrdiff_t>(part.size() / rows);
      const auto first = part.begin() + static_cast<std::ptrdiff_t>(row) * length;
      elements.insert(elements.end(), first, first + length);
    }
  }
  return elements;
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
    axis = normalize_axis(ConcatView(node).axis(), shape.rank());
    if (result.has_rank()) {
      append_shape(result, shape, axis);
    } else {
      result = shape;
    }
  }
  if (result.has_rank() && !all_ranked) result[axis] = Dimension();
  set_output(node, 0, type, result);
  const auto count = result.element_count();
  if (!count || *count > kMaxKnownElements) return;
  if (auto elements = joined_elements(node, result, axis)) set_known(node, 0, *std::move(elements));
}

void infer_split(Node& node) {
  const SplitView split = node;
  const Value data = split.data();
  const auto axis = known_scalar(split.axis());
  const std::int64_t parts = split.num_splits();
  require(parts == static_cast<std::int64_t>(node.outputs().size()) && parts > 0,
          "Split: needs one output for each part");
  PartialShape result = axis ? data.shape() : data.shape().without_sizes();
  if (result.has_rank() && axis) {
    Dimension& dimension = result[normalize_axis(*axis, result.rank())];
    require(dimension.is_dynamic() || dimension.size() % parts == 0,
            "Split: the axis cannot be divided evenly");
    dimension = dimension.is_static() ? Dimension(dimension.size() / parts) : Dimension();
  }
  for (std::size_t i = 0; i < node.outputs().size(); ++i) set_output(node, i, data.type(), result);
}

/// The lengths of the parts, with the rest in place of -1 if that is known; no value if one is dynamic.
std::optional<Integers> split_lengths(const Node& node, Dimension whole) {
  const Value list = VariadicSplitView(node).lengths();
  const Dimension count = dimension_along(list.shape(), 0);
  require(count.admits(static_cast<std::int64_t>(node.outputs().size())),
          "VariadicSplit: needs one length for each output");
  auto lengths = exact_values(list);
  if (!lengths) return std::nullopt;
  const auto rest = std::find(lengths->begin(), lengths->end(), -1);
  require(std::ranges::all_of(*lengths, [](std::int64_t length) { return length >= -1; }),
          "VariadicSplit: a length is below -1");
  require(std::ranges::count(*lengths, -1) <= 1, "VariadicSplit: more than one length is -1");
  const std::int64_t sum = std::accumulate(lengths->begin(), lengths->end(),
                                           std::int64_t{rest == lengths->end() ? 0 : 1}, checked_add);
  if (rest == lengths->end()) {
    require(!whole.is_static() || whole.size() == sum,
            "VariadicSplit: the lengths do not add up to the axis");
  } else if (whole.is_static()) {
    require(whole.size() >= sum, "VariadicSplit: the lengths add up to more than the axis");
    *rest = whole.size() - sum;
  }
  return lengths;
}

void infer_variadic_split(Node& node) {
  const VariadicSplitView split = node;
  const Value data = split.data();
  const auto axis = known_scalar(split.axis());
  PartialShape result = data.shape();
  if (!result.has_rank() || !axis) {
    for (std::size_t i = 0; i < node.outputs().size(); ++i)
      set_output(node, i, data.type(), result.without_sizes());
    return;
  }
  const std::size_t where = normalize_axis(*axis, result.rank());
  const auto lengths = split_lengths(node, result[where]);
  for (std::size_t i = 0; i < node.outputs().size(); ++i) {
    result[where] = lengths ? (*lengths)[i] : -1;
    set_output(node, i, data.type(), result);
    move_known(node, i);
  }
}

/// The target shape of a Broadcast. If a Concat of single elements computes it, OpenVINO knows those that are
/// constants. Known values become constants.
std::optional<KnownValues> broadcast_target(const Node& node) {
  const Value shape = BroadcastView(node).shape();
  auto known = known_integers(node, 1);
  if (known || !shape.node->is(ops::Concat)) return known;
  const auto parts = shape.node->inputs();
  if (shape.shape().element_count() != static_cast<std::int64_t>(parts.size())) return std::nullopt;
  known.emplace(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto values = known_values(parts[i]);
    if (values && values->size() == 1 && values->front().is_exact()) (*known)[i] = values->front();
  }
  return known;
}

/// Whether the axes of `data` may be of size 1 or of the size of the axis of `target` on which they are
/// repeated: the mode "numpy" changes the data only, so that the target needs as many axes at least.
bool may_broadcast_to(const PartialShape& data, const PartialShape& target) {
  if (data.rank() > target.rank()) return false;
  const std::size_t skip = target.rank() - data.rank();
  for (std::size_t i = 0; i < data.rank(); ++i) {
    if (!data[i].admits(1) && !intersect(data[i], target[skip + i])) return false;
  }
  return true;
}

void infer_broadcast(Node& node) {
  const BroadcastView view = node;
  const Value data = view.data();
  const bool bidirectional = view.mode() == "bidirectional";
  auto target = broadcast_target(node);
  if (!target) {
    const Dimension list = dimension_along(view.shape().shape(), 0);
    if (list.is_dynamic()) return set_output(node, 0, data.type(), unknown());
    const auto length = static_cast<std::size_t>(list.size());
    require(bidirectional || !data.shape().has_rank() || data.shape().rank() <= length,
            "Broadcast: the target has fewer axes than the data");
    if (!bidirectional) return set_output(node, 0, data.type(), PartialShape::of_rank(length));
    check_rank(length);
    target.emplace(length);
  }
  PartialShape result(to_dimensions(*target));
  if (data.shape().has_rank()) {
    const auto joint = broadcast(data.shape(), result);
    if (!joint || !(bidirectional || may_broadcast_to(data.shape(), result)))
      invalid("Broadcast: " + to_string(data.shape()) + " does not fit " + to_string(result));
    if (bidirectional) result = *joint;
  } else if (bidirectional) {
    result = unknown();
  }
  set_output(node, 0, data.type(), result);
  move_known(node);
}

void infer_tile(Node& node) {
  const TileView tile = node;
  const Value data = tile.data();
  const auto repeats = known_integers(node, 1);
  if (!data.shape().has_rank()) return set_output(node, 0, data.type(), unknown());
  if (!repeats) {
    const Dimension length = dimension_along(tile.repeats().shape(), 0);
    if (length.is_dynamic()) return set_output(node, 0, data.type(), unknown());
    const std::size_t rank = std::max(data.shape().rank(), static_cast<std::size_t>(length.size()));
    return set_output(node, 0, data.type(), PartialShape::of_rank(rank));
  }
  Dimensions result(data.shape().begin(), data.shape().end());
  Dimensions factors = to_dimensions(*repeats);
  while (result.size() < factors.size()) result.insert(result.begin(), Dimension(1));
  while (factors.size() < result.size()) factors.insert(factors.begin(), Dimension(1));
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = multiply(result[i], factors[i]);
  set_output(node, 0, data.type(), PartialShape(std::move(result)));
  move_known(node);
}

/// Sets the known elements of a padded vector.
void pad_known(Node& node, std::int64_t begin, std::int64_t end) {
  const PadView pad = node;
  const auto elements = known_values(pad.data());
  const auto fill = known_values(pad.value());
  const auto count = node.output(0).shape.element_count();
  if (!elements || !fill || fill->size() != 1 || !count || *count > kMaxKnownElements) return;
  if (begin < 0 || end < 0 || pad.pad_mode() != "constant") return;
  KnownValues padded(static_cast<std::size_t>(begin), fill->front());
  for (const ValueRange& element : *elements) padded.push_back(element);
  for (std::int64_t i = 0; i < end; ++i) padded.push_back(fill->front());
  set_known(node, 0, std::move(padded));
}

void infer_pad(Node& node) {
  const PadView pad = node;
  const Value data = pad.data();
  require(pad.value().type() == data.type(), "the value of Pad must have the type of the data");
  if (!data.shape().has_rank()) return set_output(node, 0, data.type(), unknown());
  PartialShape result = data.shape();
  const PartialShape counts{static_cast<std::int64_t>(result.rank())};
  require(intersect(pad.begins().shape(), counts) && intersect(pad.ends().shape(), counts),
          "Pad: needs one pad for each axis of the input");
  const auto begins = known_integers(node, 1);
  const auto ends = known_integers(node, 2);
  if (!begins || !ends) return set_output(node, 0, data.type(), result.without_sizes());
  for (std::size_t i = 0; i < result.rank(); ++i) {
    if (!(*begins)[i].is_exact() || !(*ends)[i].is_exact()) {
      result[i] = -1;
      continue;
    }
    const std::int64_t added = checked_add((*begins)[i].min, (*ends)[i].min);
    result[i] = mapped(result[i], [&](std::int64_t length) {
      return std::max<std::int64_t>(checked_add(length, added), 0);
    });
  }
  set_output(node, 0, data.type(), result);
  const bool is_exact = result.rank() == 1 && begins->front().is_exact() && ends->front().is_exact();
  if (is_exact) pad_known(node, begins->front().min, ends->front().min);
}

}  // namespace

std::vector<OpFunction> joining_functions() {
  return {
      {ops::Concat, infer_concat},
      {ops::Split, infer_split},
      {ops::VariadicSplit, infer_variadic_split},
      {ops::Broadcast, infer_broadcast},
      {ops::Tile, infer_tile},
      {ops::Pad, infer_pad},
  };
}

}  // namespace onnx2ir::ir
