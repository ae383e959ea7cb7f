#include <algorithm>

#include "ir/inference.hpp"
#include "ir/operation_rules.hpp"
#include "ir/size_rules.hpp"
#include "ir/views/groups.hpp"
#include "ir/views/indexing.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/random.hpp"
#include "ir/views/reduction.hpp"
#include "ir/views/reshaping.hpp"
#include "ir/views/selection.hpp"
#include "ir/views/vision.hpp"

namespace onnx2ir::ir {
namespace {

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
    if (const auto reshape = match<ReshapeView>(node_))
      return ReshapeSizes(reshape->data(), reshape->shape(), reshape->special_zero()).of(axis);
    if (const auto broadcast = match<BroadcastView>(node_)) return of_broadcast(*broadcast, axis);
    if (const auto tile = match<TileView>(node_)) return of_tile(*tile, axis);
    if (const auto slice = match<SliceView>(node_)) return of_slice(*slice, axis);
    if (const auto range = match<RangeView>(node_)) return of_range(*range);
    if (const auto split = match<AnySplitView>(node_)) return of_split(*split, axis);
    if (const auto pad = match<PadView>(node_)) return of_pad(*pad, axis);
    if (const auto top = match<TopKView>(node_))
      return normalize_axis(top->axis(), rank_) == axis ? size_in(top->k(), 0) : nullptr;
    if (const auto one_hot = match<OneHotView>(node_))
      return normalize_axis(one_hot->axis(), rank_) == axis ? size_in(one_hot->depth(), 0) : nullptr;
    if (const auto eye = match<EyeView>(node_); eye && rank_ == 2)
      return size_in(axis == 0 ? eye->rows() : eye->columns(), 0);
    if (const auto random = match<RandomUniformView>(node_)) return size_in(random->shape(), axis);
    if (const auto interpolate = match<InterpolateView>(node_)) return of_interpolate(*interpolate, axis);
    return nullptr;
  }

 private:
  Size data(std::size_t axis) const { return size_along(node_.input(0), axis); }

  /// The size of the data or the element of `list` along `axis`; 1 for the leading axes that it lacks.
  Size aligned_data(std::size_t axis) const {
    const PartialShape& shape = node_.input(0).shape();
    if (!shape.has_rank()) return nullptr;
    const std::size_t missing = rank_ - std::min(shape.rank(), rank_);
    return axis < missing ? table_.constant(1) : data(axis - missing);
  }
  Size aligned(Value list, std::size_t axis) const {
    const auto count = list.shape().element_count();
    if (!count) return nullptr;
    const std::size_t missing = rank_ - std::min(static_cast<std::size_t>(*count), rank_);
    return axis < missing ? table_.constant(1) : size_in(list, axis - missing);
  }

  Size of_broadcast(BroadcastView broadcast, std::size_t axis) const {
    if (!node_.input(0).shape().has_rank()) return nullptr;
    const Size target = aligned(broadcast.shape(), axis);
    return broadcast.mode() == "bidirectional" ? table_.broadcast(aligned_data(axis), target) : target;
  }

  Size of_tile(TileView tile, std::size_t axis) const {
    return table_.product(aligned_data(axis), aligned(tile.repeats(), axis));
  }

  /// The place of `axis` in `list`; no value if the list is dynamic, and its length if the axis is not in it.
  std::optional<std::size_t> listed_at(Value list, std::size_t axis) const {
    const auto axes = exact_values(list);
    if (!axes) return std::nullopt;
    const auto found =
        std::ranges::find_if(*axes, [&](std::int64_t listed) { return position_in(listed, rank_) == axis; });
    return static_cast<std::size_t>(found - axes->begin());
  }

  Size of_slice(SliceView slice, std::size_t axis) const {
    const auto place = listed_at(slice.axes(), axis);
    if (!place) return nullptr;
    const Size step = size_in(slice.step(), *place);
    const Size size = data(axis);
    const auto by = constant(step);
    if (!by || size == nullptr) return nullptr;
    const Size start = size_in(slice.start(), *place);
    const Size stop = size_in(slice.stop(), *place);
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

  Size of_range(RangeView range) const {
    const auto step = constant(size_in(range.step(), 0));
    const bool is_of_integers = is_integral(range.output(0).type) && is_integral(range.start().type()) &&
                                is_integral(range.stop().type());
    if (!is_of_integers || !step || *step <= 0) return nullptr;
    const Size start = size_in(range.start(), 0);
    const Size length = table_.difference(size_in(range.stop(), 0), start);
    const auto stop = known_values(range.stop());
    const bool is_size = constant(start) == 0 && stop && stop->size() == 1 && stop->front().min >= 0;
    return positions(is_size ? length : table_.maximum(length, table_.constant(0)), *step);
  }

  Size of_split(AnySplitView split, std::size_t axis) const {
    if (listed_at(split.axis(), axis) != 0U) return nullptr;
    if (const auto equal = match<SplitView>(split.node()))
      return table_.quotient(data(axis), table_.constant(equal->num_splits()));
    const auto lengths = elements_of(VariadicSplitView(split).lengths());
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

  Size of_pad(PadView pad, std::size_t axis) const {
    const Size pads = table_.sum(size_in(pad.begins(), axis), size_in(pad.ends(), axis));
    return table_.maximum(table_.sum(data(axis), pads), table_.constant(0));
  }

  Size of_interpolate(InterpolateView interpolate, std::size_t axis) const {
    const auto axes = exact_values(interpolate.axes());
    const auto place = listed_at(interpolate.axes(), axis);
    if (!place || !axes) return nullptr;
    const bool is_listed = *place != axes->size();
    if (is_listed && interpolate.shape_calculation_mode() != "scales")
      return size_in(interpolate.sizes(), *place);
    for (const CheckedView<std::int64_t> pads : {interpolate.pads_begin(), interpolate.pads_end()}) {
      if (axis < pads.size() && pads[axis] != 0) return nullptr;
    }
    if (!is_listed) return data(axis);
    const auto scales = exact_numbers(interpolate.sizes());
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

}  // namespace

Size computed_dimension(const Node& node, std::size_t output, std::size_t rank, std::size_t axis) {
  return node.is_one_of(DimensionRule::kOperations) ? DimensionRule(node, output, rank).of(axis) : nullptr;
}

ReshapeSizes::ReshapeSizes(Value data, Value pattern, bool special_zero)
    : data_(data), table_(data.node->graph().sizes()), special_zero_(special_zero) {
  if (const auto elements = elements_of(pattern)) elements_ = *elements;
  if (const auto known = known_values(pattern)) known_ = *known;
}

std::optional<std::size_t> ReshapeSizes::inferred() const {
  const auto* const found =
      std::ranges::find_if(elements_, [](Size element) { return constant(element) == -1; });
  if (found == elements_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - elements_.begin());
}

Size ReshapeSizes::of(std::size_t axis) const {
  if (axis >= elements_.size()) return nullptr;
  return inferred() == axis ? remaining(axis) : requested(axis);
}

/// The size of an axis of which the element of the pattern is not -1.
Size ReshapeSizes::requested(std::size_t axis) const {
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

Size ReshapeSizes::remaining(std::size_t axis) const {
  const PartialShape& shape = data_.shape();
  if (!shape.has_rank()) return nullptr;
  Sizes left;
  for (std::size_t i = 0; i < shape.rank(); ++i) left.push_back(size_along(data_, i));
  Size taken = table_.constant(1);
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    if (i == axis) continue;
    const Size size = requested(i);
    auto* const same = std::ranges::find(left, size);
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

}  // namespace onnx2ir::ir
