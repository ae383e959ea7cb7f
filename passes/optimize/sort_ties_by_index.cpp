// Replaces a stable TopK, which orders equal elements by index, by several that need not be stable: the CPU
// plugin takes k * n steps for a stable one, and about n + k * log(k) for another one.
//
// The first TopK gives the selected values, and an index for each of them; only the order of these indices
// among a group of equal values is arbitrary. Another one sorts integer keys of all elements, which are
// distinct:
//     equal to the last selected value: the position
//     selected, other:                  the position - stride * (number of later groups)
//     not selected, other:              the position + 2^30
// The stride is larger than any position. If that could overflow, positions are counted among the selected
// elements instead. Equal values may change places, which shows only in the sign of zeros.
//
// If k is the size of the axis, all elements are selected, and have keys of the second kind. If these could
// overflow, two TopKs sort by the two digits of the number of later groups, the lower one first. If k is
// computed from the size, such as the half of it, the elements are sorted and sliced.
//
// If the elements are indices of few values, such as those of the experts of each token, one TopK of the keys
// index * size of the axis + position is enough.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ir/inference.hpp"
#include "ir/size_rules.hpp"
#include "ir/views/reduction.hpp"
#include "passes/analysis/bounded_search.hpp"
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
/// The upper bound of a k that is not known.
constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();
/// All integers up to this one are exact in f32.
constexpr std::int64_t kMaxExactFloat = std::int64_t{1} << 24;

/// The keys of digits below this base fit for an axis of at most kMaxSize elements. f32 divides by it
/// exactly.
constexpr std::int64_t kBase = std::int64_t{1} << 11;
constexpr std::int64_t kMaxSize = 2'000'000;

enum class Count : std::uint8_t {
  any,
  size,       ///< the size of the axis
  from_size,  ///< computed from it
};

/// A TopK of elements along an axis.
struct Selection {
  ir::Value x;
  ir::Value k;
  std::int64_t axis;
  ir::Dimension size;  ///< of the axis
  std::int64_t min_k;
  std::int64_t max_k;
  Count count;
  std::string mode;

  bool is_bounded() const { return size.max != ir::Dimension::kUnbounded; }
};

bool is_floating(ir::Value x) {
  return x.type() == ElementType::f16 || x.type() == ElementType::f32 || x.type() == ElementType::f64;
}

/// Whether a factor of `part` is used in `size`.
bool is_computed_from(ir::Size size, ir::Size part) {
  if (size == nullptr || part == nullptr) return false;
  const auto is_factor = [&](const ir::SizeAtom* factor) {
    return std::ranges::any_of(
        part->terms, [&](const ir::SizeTerm& term) { return std::ranges::count(term.factors, factor) > 0; });
  };
  return std::ranges::any_of(size->terms, [&](const ir::SizeTerm& term) {
    return std::ranges::any_of(term.factors, [&](const ir::SizeAtom* factor) {
      return is_factor(factor) || is_computed_from(factor->a, part) || is_computed_from(factor->b, part);
    });
  });
}

Count count_of(ir::TopKView top, std::size_t axis) {
  if (ir::is_size_of(top.k(), 0, top.data(), axis)) return Count::size;
  if (is_computed_from(ir::size_in(top.k(), 0), ir::size_along(top.data(), axis))) return Count::from_size;
  return Count::any;
}

/// No value if the indices of the TopK cannot be replaced.
std::optional<Selection> selection_of(ir::TopKView top) {
  const ir::Value x = top.data();
  const bool has_usual_type = is_floating(x) || x.type() == ElementType::i32 || x.type() == ElementType::i64;
  if (!has_usual_type || top.index_element_type() != ElementType::i64 || !x.shape().has_rank()) return {};
  const std::size_t axis = ir::normalize_axis(top.axis(), x.shape().rank());
  const ir::Dimension size = x.shape()[axis];
  if (size.max == 0) return {};
  const auto known = ir::known_values(top.k());
  const ir::ValueRange k = known ? known->front() : ir::ValueRange{};
  const std::int64_t max_size = size.max == ir::Dimension::kUnbounded ? k.max : size.max;
  return Selection{.x = x,
                   .k = top.k(),
                   .axis = static_cast<std::int64_t>(axis),
                   .size = size,
                   .min_k = std::max<std::int64_t>(k.min, 0),
                   .max_k = std::min(k.max, max_size),
                   .count = count_of(top, axis),
                   .mode = top.mode()};
}

/// Whether the stable TopK, in which k bubbles rise through the elements of each row, takes longer.
bool pays(const Selection& s) {
  if (s.max_k > 1 && s.max_k <= kMaxInRegisters) return false;
  const std::int64_t known_size = std::max(s.size.min, s.max_k == kUnknown ? s.min_k : s.max_k);
  const std::int64_t size = s.is_bounded() ? s.size.max : std::max(known_size, kUsualSize);
  const auto count = static_cast<double>(std::min(s.max_k, size));
  double rows = 1;
  for (std::size_t i = 0; i < s.x.shape().rank(); ++i)
    if (static_cast<std::int64_t>(i) != s.axis)
      rows *= static_cast<double>(std::max<std::int64_t>(s.x.shape()[i].max, 1));
  return rows * (count * (static_cast<double>(size) - count / 2) - kRowSteps) >= kFixedSteps;
}

/// Whether keys for `groups` groups of `positions` positions fit; neither number is negative.
bool fit(std::int64_t groups, std::int64_t positions) {
  return groups <= kMaxKey && positions <= kMaxKey && groups * positions <= kMaxKey;
}

/// Whether keys can order all elements.
bool can_sort(const Selection& s) {
  return s.count != Count::any && (!s.is_bounded() || s.size.max <= kMaxSize);
}

/// Whether keys can order the selected elements, of which there must be one.
bool can_order_ties(const Selection& s) {
  return s.min_k > 0 && fit(s.max_k, s.max_k);
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

/// 1 where the elements of `a` and `b` differ, and 0 elsewhere: i64. The CPU plugin compares integers in f32,
/// but clamps their difference exactly.
ir::Value emit_difference(ir::Builder& builder, ir::Value a, ir::Value b) {
  if (is_floating(a)) return ir::convert(builder, builder.op(ops::NotEqual, {a, b}), ElementType::i64);
  const ir::Value difference = builder.op(ops::Subtract, {a, b});
  const ir::Value at_most = builder.op(ops::Minimum, {difference, builder.integer(1, a.type())});
  const ir::Value sign = builder.op(ops::Maximum, {at_most, builder.integer(-1, a.type())});
  return ir::convert(builder, builder.op(ops::Multiply, {sign, sign}), ElementType::i64);
}

/// For each of the sorted values, how many groups of equal values follow that of the value. The comparison of
/// the first value with the last one has no effect: the sum, from the end, is exclusive.
ir::Value count_groups_after(ir::Builder& builder, ir::Value values, const Selection& s) {
  const ir::Value shift = builder.integers({1});
  const ir::Value before = builder.op(ops::Roll, {values, shift, builder.integers({s.axis})});
  ir::Value begins;
  if (is_floating(values)) {
    const ir::Value differs = builder.op(ops::NotEqual, {values, before});
    // The CPU plugin fuses a Select with the comparison, but not a Convert.
    const ir::Value one = builder.integer(1);
    begins = builder.op(ops::Select, {differs, one, builder.integer(0)});
  } else {
    begins = emit_difference(builder, values, before);
  }
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

/// 0, 1, ... along the axis, and 1 along the others.
ir::Value emit_positions(ir::Builder& builder, const Selection& s) {
  const ir::Value positions = ir::emit_range(builder, ir::size_of(builder, s.x, s.axis));
  std::vector<std::int64_t> axes;
  for (auto axis = s.axis + 1; axis < static_cast<std::int64_t>(s.x.shape().rank()); ++axis)
    axes.push_back(axis - s.axis);
  return axes.empty() ? positions : ir::unsqueeze(builder, positions, axes);
}

/// Keys of all elements, right for those that equal the last selected value and for those that are not
/// selected.
ir::Value compute_keys_of_others(ir::Builder& builder, ir::Value values, const Selection& s) {
  const ir::Value positions = emit_positions(builder, s);
  const ir::Value last = ir::gather(builder, values, builder.integers({-1}), s.axis);
  const ir::Value not_selected = builder.integer(kNotSelected);
  // The CPU plugin computes a Select in f32.
  if (is_floating(values) && s.is_bounded() && s.size.max <= kMaxExactFloat) {
    const ir::Value equals = builder.op(ops::Equal, {s.x, last});
    return builder.op(ops::Select, {equals, positions, not_selected});
  }
  const ir::Value factors = emit_difference(builder, s.x, last);
  return builder.op(ops::Add, {builder.op(ops::Multiply, {factors, not_selected}), positions});
}

ir::Value scatter(ir::Builder& builder, ir::Value to, ir::Value indices, ir::Value values,
                  const Selection& s) {
  return builder.op(ops::ScatterElementsUpdate, {to, indices, values, builder.integer(s.axis)},
                    {{"reduction", "none"}, {"use_init_val", true}});
}

/// Indices of all elements, sorted by two digits of their groups. Those of an axis of more than kMaxSize
/// elements, which the stable TopK sorts in more than an hour, stay as they are.
ir::Value sort_by_digits(ir::Builder& builder, ir::Node& sorted, const Selection& s) {
  const ir::Value indices = sorted.value(1);
  const ir::Value groups = count_groups_after(builder, sorted.value(0), s);
  const ir::Value by_position = scatter(builder, groups, indices, groups, s);
  const ir::Value base = builder.integer(kBase);
  const ir::Value remainder = builder.op(ops::FloorMod, {by_position, base});
  const ir::Value multiple = builder.op(ops::Subtract, {by_position, remainder});
  const ir::Value high = builder.op(ops::Divide, {multiple, base}, {{"m_pythondiv", false}});
  // From -kBase / 2 on: positive and negative keys.
  const ir::Value low = builder.op(ops::Subtract, {remainder, builder.integer(kBase / 2)});
  const ir::Value size = ir::size_of(builder, s.x, s.axis);
  const auto sort = [&](ir::Value digits, ir::Value positions) {
    const ir::Value offsets = builder.op(ops::Multiply, {digits, size});
    return sort_ascending(builder, builder.op(ops::Subtract, {positions, offsets}), s);
  };
  const ir::Value positions = emit_positions(builder, s);
  const ir::Value first = sort(low, positions);
  const ir::Value ranks = first.shape().rank() == 1
                              ? positions
                              : ir::broadcast_to(builder, positions, ir::shape_of(builder, first));
  const ir::Value second = sort(high, scatter(builder, first, first, ranks, s));
  if (s.is_bounded()) return second;
  const ir::Value is_sorted =
      ir::convert(builder, builder.op(ops::LessEqual, {size, builder.integer(kMaxSize)}), ElementType::i64);
  const ir::Value change = builder.op(ops::Subtract, {second, indices});
  return builder.op(ops::Add, {indices, builder.op(ops::Multiply, {is_sorted, change})});
}

/// The indices of all elements, those of equal values ascending.
ir::Value sort_all_indices(ir::Builder& builder, ir::Node& sorted, const Selection& s) {
  if (!s.is_bounded() || !fit(s.size.max, s.size.max)) return sort_by_digits(builder, sorted, s);
  const ir::Value indices = sorted.value(1);
  const ir::Value groups = count_groups_after(builder, sorted.value(0), s);
  const ir::Value keys = compute_keys(builder, indices, groups, s.size.max);
  return sort_ascending(builder, scatter(builder, indices, indices, keys, s), s);
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
  return sort_ascending(builder, scatter(builder, others, indices, keys, s), s);
}

/// Sorts all elements.
void replace_sort(ir::Builder& builder, ir::Node& top, Selection s) {
  const ir::Value k = s.k;
  if (s.count == Count::from_size) s.k = ir::size_of(builder, s.x, s.axis);
  ir::Node& sorted = emit_unstable_top(builder, s.x, s, s.mode);
  std::array<ir::Value, 2> results{sorted.value(0), sort_all_indices(builder, sorted, s)};
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (top.output(i).uses.empty()) continue;
    if (s.count == Count::from_size) {
      const ir::Value count = ir::convert(builder, ir::flatten(builder, k), ElementType::i64);
      results[i] = ir::slice(builder, results[i], builder.integers({0}), count, s.axis);
    }
    ir::replace_all_uses(top.value(i), results[i]);
  }
}

/// How many values the elements of `x` may have, which are indices from a TopK; no value for other elements.
std::optional<std::int64_t> count_of_values(ir::Value x) {
  const ir::Value source = follow(x, [](ir::Value moved) {
    return moved.node->op().traits.rearranges ? moved.node->input(0) : ir::Value{};
  });
  const auto top = ir::match<ir::TopKView>(source);
  if (!top || source.index != 1 || !top->data().shape().has_rank()) return std::nullopt;
  const ir::PartialShape& shape = top->data().shape();
  const ir::Dimension size = shape[ir::normalize_axis(top->axis(), shape.rank())];
  return size.max == ir::Dimension::kUnbounded ? std::nullopt : std::optional(size.max);
}

/// Whether the elements are so few different integers that their keys fit.
bool are_few(const Selection& s) {
  const auto values = count_of_values(s.x);
  return values && *values > 0 && fit(*values, s.is_bounded() ? s.size.max : kMaxSize);
}

/// Sorts integers that are not negative by distinct keys. Those of an axis for which these could overflow are
/// the keys themselves.
void replace_by_keys(ir::Builder& builder, ir::Node& top, const Selection& s) {
  ir::Value stride = ir::size_of(builder, s.x, s.axis);
  ir::Value positions = emit_positions(builder, s);
  if (!s.is_bounded()) {
    // The CPU plugin compares integers in f32.
    const ir::Value most = builder.integer(std::min(kMaxKey / *count_of_values(s.x), kMaxExactFloat));
    const ir::Value fits = ir::convert(builder, builder.op(ops::LessEqual, {stride, most}), ElementType::i64);
    positions = builder.op(ops::Multiply, {positions, fits});
    stride = builder.op(ops::Maximum, {builder.op(ops::Multiply, {stride, fits}), builder.integer(1)});
  }
  const ir::Value offsets = builder.op(ops::Multiply, {ir::convert(builder, s.x, ElementType::i64), stride});
  const ir::Value keys = s.mode == "min" ? builder.op(ops::Add, {offsets, positions})
                                         : builder.op(ops::Subtract, {positions, offsets});
  const ir::Value indices = sort_ascending(builder, keys, s);
  const ir::Value values = s.x.shape().rank() == 1
                               ? ir::gather(builder, s.x, indices)
                               : builder.op(ops::GatherElements, {s.x, indices}, {{"axis", s.axis}});
  ir::replace_all_uses(top.value(0), values);
  ir::replace_all_uses(top.value(1), indices);
}

bool sort_ties(ir::Builder& builder, ir::Node& node) {
  const ir::TopKView top = node;
  if (!top.stable() || top.sort() != "value") return false;
  if (node.output(1).uses.empty()) {
    if (node.output(0).uses.empty()) return false;
    ir::Node& copy = builder.clone(node, node.inputs());
    copy.set_attribute({"stable", false});
    ir::replace_all_uses(node.value(0), copy.value(0));
    return true;
  }
  const auto selection = selection_of(node);
  if (!selection || !pays(*selection)) return false;
  if (are_few(*selection)) {
    replace_by_keys(builder, node, *selection);
  } else if (can_sort(*selection) && (selection->count == Count::size || !can_order_ties(*selection))) {
    replace_sort(builder, node, *selection);
  } else if (can_order_ties(*selection)) {
    ir::Node& selected = emit_unstable_top(builder, selection->x, *selection, selection->mode);
    ir::replace_all_uses(node.value(1), sort_indices(builder, selected, *selection));
    ir::replace_all_uses(node.value(0), selected.value(0));
  } else {
    return false;
  }
  return true;
}

}  // namespace

bool sort_ties_by_index(ir::Model& model, PassContext&) {
  return edit_nodes(model, {ops::TopK}, sort_ties);
}

}  // namespace onnx2ir::passes
