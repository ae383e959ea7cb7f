// Replaces Slices of values of dynamic shape by VariadicSplits. The CPU plugin takes 3 us longer for a Slice,
// and 5 us if its end is computed, because it prepares the Slice anew in each inference. Exporters write
// table[:, :length] and mask[:, :, :, :length] in each layer of a transformer, and Slices for parts of one
// tensor.
//
// A VariadicSplit does not clamp, so the ends must be known to lie within the axis. A computed end is left if
// the value may be empty (stale_empty_shapes): the Reshape that it would need costs as much as the Slice.
// Channels of images are left if some are unused: the plugin then copies them one by one, 10 to 30 times as
// long.
#include <algorithm>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/element_moves.hpp"
#include "ir/inference.hpp"
#include "ir/views/selection.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// A part of one axis with step 1.
struct Part {
  ir::Node* slice;
  std::int64_t axis;
  std::int64_t begin;
  ir::ValueRange end;  ///< exact, or of a computed end: not negative
};

/// The part that `node`, a Slice, takes; no value if it cannot be a part of a VariadicSplit.
std::optional<Part> part_of(ir::Node& node) {
  const auto slice = ir::match<ir::SliceView>(node);
  if (!slice || !node.has_uses()) return std::nullopt;
  const ir::Value data = slice->data();
  if (!data.shape().has_rank() || data.type() == ir::ElementType::string) return std::nullopt;
  const auto begin = ir::known_scalar(slice->start());
  const auto listed = ir::known_scalar(slice->axes());
  const auto ends = ir::known_values(slice->stop());
  if (!begin || !listed || ir::known_scalar(slice->step()) != 1 || !ends || ends->size() != 1)
    return std::nullopt;
  const std::size_t place = ir::normalize_axis(*listed, data.shape().rank());
  const auto axis = static_cast<std::int64_t>(place);
  const ir::Dimension size = data.shape()[place];
  const ir::ValueRange end = ends->front();
  if (!end.is_exact()) {
    const bool counts_from_front =
        *begin == 0 && end.min >= 0 && !ir::may_be_empty_beside(data.shape(), place);
    return counts_from_front ? std::optional(Part{&node, axis, 0, end}) : std::nullopt;
  }
  if (size.is_dynamic() || data.shape().is_static()) return std::nullopt;
  const auto [first, length] = ir::slice_axis(*begin, end.min, 1, size.size());
  if (length == 0) return std::nullopt;
  return Part{&node, axis, first, ir::ValueRange::exactly(first + length)};
}

/// The computed end as the length of the first part: [1], i64.
ir::Value compute_first_length(ir::Builder& builder, const Part& part) {
  const ir::SliceView slice = *part.slice;
  const ir::Value data = slice.data();
  const ir::Value end = ir::convert(builder, slice.stop(), ir::ElementType::i64);
  const ir::Dimension size = data.shape()[static_cast<std::size_t>(part.axis)];
  if (size.min >= part.end.max) return end;
  return builder.op(ops::Minimum, {end, ir::dimension_of(builder, data, part.axis)});
}

void split_at_computed_end(ir::Builder& builder, const Part& part) {
  const ir::Value lengths =
      ir::concat(builder, {compute_first_length(builder, part), builder.integers({-1})});
  ir::Node& split = builder.node(
      ops::VariadicSplit, {ir::SliceView(*part.slice).data(), builder.integer(part.axis), lengths}, {}, 2);
  ir::replace_all_uses(part.slice->value(), split.value(0));
}

/// Replaces disjoint parts of one axis, in ascending order, by the outputs of one VariadicSplit. Returns
/// whether it has done so.
bool split_at_known_ends(ir::Builder& builder, std::span<const Part> parts) {
  const ir::Value data = ir::SliceView(*parts.front().slice).data();
  const std::int64_t axis = parts.front().axis;
  std::vector<std::int64_t> lengths;
  std::vector<std::size_t> places;
  std::int64_t position = 0;
  for (const Part& part : parts) {
    if (part.begin > position) lengths.push_back(part.begin - position);
    places.push_back(lengths.size());
    lengths.push_back(part.end.min - part.begin);
    position = part.end.min;
  }
  const std::int64_t size = data.shape()[static_cast<std::size_t>(axis)].size();
  if (position < size) lengths.push_back(size - position);
  const bool has_channels = axis == 1 && data.shape().rank() >= 4;
  if (has_channels && lengths.size() > parts.size()) return false;
  ir::Node& split = builder.node(ops::VariadicSplit, {data, builder.integer(axis), builder.integers(lengths)},
                                 {}, lengths.size());
  for (std::size_t i = 0; i < parts.size(); ++i)
    ir::replace_all_uses(parts[i].slice->value(), split.value(static_cast<std::uint32_t>(places[i])));
  return true;
}

bool split_all(ir::Builder& builder, ir::Value data) {
  bool has_changed = false;
  std::vector<Part> parts;
  for (const ir::Use& use : data.output().uses) {
    if (use.index != 0) continue;
    if (const auto part = part_of(*use.node)) parts.push_back(*part);
  }
  builder.set_name(parts.front().slice->name);
  std::ranges::stable_sort(parts, {}, [](const Part& part) { return std::pair(part.axis, part.begin); });
  for (auto first = parts.begin(); first != parts.end();) {
    if (!first->end.is_exact()) {
      split_at_computed_end(builder, *first++);
      has_changed = true;
      continue;
    }
    auto next = first + 1;
    while (next != parts.end() && next->axis == first->axis && next->end.is_exact() &&
           next->begin >= (next - 1)->end.min)
      ++next;
    has_changed |= split_at_known_ends(builder, {first, next});
    first = next;
  }
  return has_changed;
}

}  // namespace

bool split_slices(ir::Model& model, PassContext&) {
  // One value may have many Slices that stay.
  std::unordered_set<const ir::Output*> visited;
  return edit_nodes(model, {ops::Slice}, [&](ir::Builder& builder, ir::Node& node) {
    if (!part_of(node)) return false;
    const ir::Value data = ir::SliceView(node).data();
    return visited.insert(&data.output()).second && split_all(builder, data);
  });
}

}  // namespace onnx2ir::passes
