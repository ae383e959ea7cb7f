// Replaces a stable TopK along the last axis, which orders equal elements by index, by two that need not be
// stable: the CPU plugin takes k * n steps for a stable one, and about n + k * log(k) for another one.
//
// The first TopK gives the selected values, and an index for each of them; only the order of these indices
// among a group of equal values is arbitrary. The second one sorts integer keys of all elements, which are
// distinct:
//     equal to the last selected value: the position
//     selected, other:                  the position - stride * (number of later groups)
//     not selected, other:              the position + 2^30
// The stride is larger than any position. If that could overflow, positions are counted among the selected
// elements instead. Equal values may change places, which shows only in the sign of zeros.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "ir/inference.hpp"
#include "ir/views/reduction.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

using ir::ElementType;

/// Times on 2026.4 with one thread, as numbers of steps of a stable TopK, each of which takes 1.8 ns: what
/// the other form takes in addition, and what it takes for each row.
constexpr double kFixedSteps = 5'000;
constexpr double kRowSteps = 600;
/// The CPU plugin selects 2 to 6 elements in registers, stable or not.
constexpr std::int64_t kMaxInRegisters = 6;
/// The size that is assumed if a size has no upper bound.
constexpr std::int64_t kUsualSize = 1000;
/// Added to the positions of elements that are not selected.
constexpr std::int64_t kNotSelected = std::int64_t{1} << 30;
/// Keys must fit into the 32 bits in which the CPU plugin computes integers.
constexpr std::int64_t kMaxKey = std::numeric_limits<std::int32_t>::max();
/// All integers up to this one are exact in f32.
constexpr std::int64_t kMaxExactFloat = std::int64_t{1} << 24;

/// A TopK of elements along the last axis.
struct Selection {
  ir::Value x;
  ir::Value k;
  std::int64_t axis;
  ir::Dimension size;  ///< of the axis
  std::int64_t max_k;
  std::string mode;

  bool is_bounded() const { return size.max != ir::Dimension::kUnbounded; }
};

bool is_floating(ir::Value x) {
  return x.type() == ElementType::f16 || x.type() == ElementType::f32 || x.type() == ElementType::f64;
}

bool is_along_last_axis(ir::TopKView top) {
  const ir::PartialShape& shape = top.data().shape();
  return shape.has_rank() && ir::normalize_axis(top.axis(), shape.rank()) + 1 == shape.rank();
}

/// No value if the TopK cannot be replaced. The last selected value must exist, so that k must not be 0.
std::optional<Selection> selection_of(ir::TopKView top) {
  const ir::Value x = top.data();
  const auto k = ir::known_values(top.k());
  const bool has_usual_type = is_floating(x) || x.type() == ElementType::i32 || x.type() == ElementType::i64;
  if (!k || k->front().min < 1 || !has_usual_type || !is_along_last_axis(top)) return {};
  if (top.sort() != "value" || top.index_element_type() != ElementType::i64) return {};
  const std::size_t axis = x.shape().rank() - 1;
  const ir::Dimension size = x.shape()[axis];
  if (size.max == 0) return {};
  std::int64_t max_k = k->front().max;
  if (size.max != ir::Dimension::kUnbounded) max_k = std::min(max_k, size.max);
  return Selection{x, top.k(), static_cast<std::int64_t>(axis), size, max_k, top.mode()};
}

/// Whether the stable TopK, in which k bubbles rise through the elements of each row, takes longer.
bool pays(const Selection& s) {
  if (s.max_k > 1 && s.max_k <= kMaxInRegisters) return false;
  const std::int64_t size = s.is_bounded() ? s.size.max : std::max({s.size.min, s.max_k, kUsualSize});
  const auto count = static_cast<double>(s.max_k);
  double rows = 1;
  for (std::size_t i = 0; i + 1 < s.x.shape().rank(); ++i)
    rows *= static_cast<double>(std::max<std::int64_t>(s.x.shape()[i].max, 1));
  return rows * (count * (static_cast<double>(size) - count / 2) - kRowSteps) >= kFixedSteps;
}

/// Whether keys for `groups` groups of `positions` positions fit; neither number is negative.
bool fit(std::int64_t groups, std::int64_t positions) {
  return groups <= kMaxKey && positions <= kMaxKey && groups * positions <= kMaxKey;
}

/// Whether keys can order equal elements. The CPU plugin compares integers for equality in f32.
bool can_order_ties(const Selection& s) {
  return is_floating(s.x) && fit(s.max_k, s.max_k);
}

ir::Node& emit_unstable_top(ir::Builder& builder, ir::Value x, const Selection& s, const std::string& mode) {
  return builder.node(ops::TopK, {x, s.k},
                      {{"axis", s.axis},
                       {"mode", mode},
                       {"sort", "value"},
                       {"index_element_type", ElementType::i64},
                       {"stable", false}},
                      2);
}

ir::Value sort_ascending(ir::Builder& builder, ir::Value keys, const Selection& s) {
  return emit_unstable_top(builder, keys, s, "min").value(1);
}

/// For each of the sorted values, how many groups of equal values follow that of the value. The comparison of
/// the first value with the last one has no effect: the sum, from the end, is exclusive.
ir::Value count_groups_after(ir::Builder& builder, ir::Value values, const Selection& s) {
  const ir::Value shift = builder.integers({1});
  const ir::Value before = builder.op(ops::Roll, {values, shift, builder.integers({s.axis})});
  const ir::Value differs = builder.op(ops::NotEqual, {values, before});
  // The CPU plugin fuses a Select with the comparison, but not a Convert.
  const ir::Value one = builder.integer(1);
  const ir::Value begins = builder.op(ops::Select, {differs, one, builder.integer(0)});
  return builder.op(ops::CumSum, {begins, builder.integer(s.axis)}, {{"exclusive", true}, {"reverse", true}});
}

/// Keys of selected elements.
ir::Value compute_keys(ir::Builder& builder, ir::Value positions, ir::Value groups, std::int64_t stride) {
  const ir::Value offsets = builder.op(ops::Multiply, {groups, builder.integer(stride)});
  return builder.op(ops::Subtract, {positions, offsets});
}

/// The same, but positions are counted among the selected elements. Not those of the last group, because
/// their keys are compared with those of elements that are not selected.
ir::Value compute_keys_by_rank(ir::Builder& builder, ir::Value indices, ir::Value groups,
                               const Selection& s) {
  const ir::Value ranks = sort_ascending(builder, sort_ascending(builder, indices, s), s);
  const ir::Value keys = compute_keys(builder, ranks, groups, s.max_k);
  const ir::Value one = builder.integer(1);
  const ir::Value precedes = builder.op(ops::Minimum, {groups, one});
  const ir::Value is_last = builder.op(ops::Subtract, {one, precedes});
  const ir::Value difference = builder.op(ops::Subtract, {indices, ranks});
  return builder.op(ops::Add, {keys, builder.op(ops::Multiply, {is_last, difference})});
}

/// Keys of all elements, right for those that equal the last selected value and for those that are not
/// selected.
ir::Value compute_keys_of_others(ir::Builder& builder, ir::Value values, const Selection& s) {
  const ir::Value positions = ir::emit_range(builder, ir::size_of(builder, s.x, s.axis));
  const ir::Value last = ir::gather(builder, values, builder.integers({-1}), s.axis);
  const ir::Value not_selected = builder.integer(kNotSelected);
  // The CPU plugin computes a Select in f32.
  if (s.is_bounded() && s.size.max <= kMaxExactFloat) {
    const ir::Value equals = builder.op(ops::Equal, {s.x, last});
    return builder.op(ops::Select, {equals, positions, not_selected});
  }
  const ir::Value differs = builder.op(ops::NotEqual, {s.x, last});
  const ir::Value factors = ir::convert(builder, differs, ElementType::i64);
  return builder.op(ops::Add, {builder.op(ops::Multiply, {factors, not_selected}), positions});
}

/// The indices of the selected elements, those of equal values ascending.
ir::Value sort_indices(ir::Builder& builder, ir::Node& selected, const Selection& s) {
  const ir::Value values = selected.value(0);
  const ir::Value indices = selected.value(1);
  ir::Value keys = indices;
  if (s.max_k == 1) {
    // There is one group.
  } else if (s.is_bounded() && fit(s.max_k, s.size.max)) {
    keys = compute_keys(builder, indices, count_groups_after(builder, values, s), s.size.max);
  } else {
    keys = compute_keys_by_rank(builder, indices, count_groups_after(builder, values, s), s);
  }
  const ir::Value others = compute_keys_of_others(builder, values, s);
  const ir::Value all =
      builder.op(ops::ScatterElementsUpdate, {others, indices, keys, builder.integer(s.axis)},
                 {{"reduction", "none"}, {"use_init_val", true}});
  return sort_ascending(builder, all, s);
}

ir::Value sort_ties(ir::Builder& builder, ir::Node& top) {
  if (!ir::TopKView(top).stable()) return {};
  const auto selection = selection_of(top);
  if (!selection) return {};
  const bool has_indices = !top.output(1).uses.empty();
  if (has_indices && !(can_order_ties(*selection) && pays(*selection))) return {};
  ir::Node& selected = emit_unstable_top(builder, selection->x, *selection, selection->mode);
  if (has_indices) ir::replace_all_uses(top.value(1), sort_indices(builder, selected, *selection));
  return selected.value(0);
}

}  // namespace

bool sort_ties_by_index(ir::Model& model, PassContext&) {
  return rewrite_values(model, {ops::TopK}, sort_ties);
}

}  // namespace onnx2ir::passes
