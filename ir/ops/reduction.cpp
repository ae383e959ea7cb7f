// Operations along axes: reductions, TopK, CumSum; and Range.
#include <algorithm>
#include <cmath>

#include "ir/inference.hpp"
#include "ir/ops/families.hpp"
#include "ir/value_ranges.hpp"

namespace onnx2ir::ir {
namespace {

using Kind = AttributeSpec::Kind;
using Presence = AttributeSpec::Presence;

PartialShape reduced_by_unknown_axes(const Node& node, const PartialShape& shape, bool keep_dims) {
  const PartialShape& axes = node.input(1).shape();
  if (keep_dims) return PartialShape::of_rank(shape.rank());
  // One axis removes one dimension; several axes may be equal.
  const bool one_axis = axes.has_rank() && axes.element_count() == 1;
  return one_axis && shape.rank() > 0 ? PartialShape::of_rank(shape.rank() - 1)
                                      : PartialShape::unknown_rank();
}

PartialShape reduced_shape(const Node& node) {
  const PartialShape& shape = node.input(0).shape();
  if (!shape.has_rank()) return shape;
  const bool keep_dims = node.boolean("keep_dims");
  const auto axes = exact_values(node.input(1));
  if (!axes) return reduced_by_unknown_axes(node, shape, keep_dims);
  std::vector<bool> reduced(shape.rank());
  for (const std::int64_t axis : *axes) {
    if (shape.rank() == 0 && (axis == 0 || axis == -1)) continue;
    reduced[normalize_axis(axis, shape.rank())] = true;
  }
  PartialShape result = PartialShape::scalar();
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (!reduced[i]) {
      result.mutable_dimensions().push_back(shape[i]);
    } else if (keep_dims) {
      result.mutable_dimensions().emplace_back(1);
    }
  }
  return result;
}

void check_axes(const Node& node) {
  require(is_integral(node.input(1).type()), "the axes must be integers");
}

void infer_reduce_numbers(Node& node) {
  const ElementType type = node.input(0).type();
  require(type != ElementType::boolean && type != ElementType::string, "the input must be a number");
  check_axes(node);
  set_output(node, 0, type, reduced_shape(node));
}

/// For each element of a tensor of these sizes, the index of the element that it is reduced to.
std::vector<std::size_t> places(std::span<const std::int64_t> sizes, std::span<const std::int64_t> axes) {
  std::vector<std::size_t> found(1, 0);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const bool is_reduced =
        std::ranges::any_of(axes, [&](std::int64_t axis) { return normalize_axis(axis, sizes.size()) == i; });
    const auto size = static_cast<std::size_t>(sizes[i]);
    std::vector<std::size_t> next;
    next.reserve(found.size() * size);
    for (const std::size_t place : found) {
      for (std::size_t k = 0; k < size; ++k) next.push_back(is_reduced ? place : place * size + k);
    }
    found = std::move(next);
  }
  return found;
}

/// Reductions of small tensors in shape computations. Some are also known for empty tensors.
template <RangeFunction2 kFunction>
void infer_reduce_and_known(Node& node, std::optional<std::int64_t> empty_result) {
  infer_reduce_numbers(node);
  const auto sizes = node.input(0).shape().sizes();
  const auto count = node.output(0).shape.element_count();
  const auto axes = exact_values(node.input(1));
  const auto known = known_values(node.input(0));
  if (!sizes || sizes->empty() || !count || !axes || axes->empty() || !known) return;
  if (is_floating(node.output(0).type) || (known->empty() && !empty_result)) return;
  if (*count > kMaxKnownElements) return;
  KnownValues results(static_cast<std::size_t>(*count), ValueRange::exactly(empty_result.value_or(0)));
  if (known->empty()) return set_known(node, 0, std::move(results));
  std::vector<bool> has_value(results.size());
  const std::vector<std::size_t> place_of = places(*sizes, *axes);
  for (std::size_t i = 0; i < known->size(); ++i) {
    const std::size_t place = place_of[i];
    results[place] = has_value[place] ? kFunction(results[place], (*known)[i]) : (*known)[i];
    has_value[place] = true;
  }
  for (ValueRange& result : results) result = fit(result, node.output(0).type);
  set_known(node, 0, std::move(results));
}

template <RangeFunction2 kFunction, std::int64_t kEmptyResult>
void infer_fold(Node& node) {
  infer_reduce_and_known<kFunction>(node, kEmptyResult);
}

/// ReduceMax and ReduceMin, which are exact for floating-point numbers as well.
template <RangeFunction2 kFunction, bool kIsMax>
void infer_extremum(Node& node) {
  infer_reduce_and_known<kFunction>(node, std::nullopt);
  const PartialShape& shape = node.input(0).shape();
  if (!is_floating(node.output(0).type) || !shape.has_rank() || shape.rank() != 1 || shape[0].is_dynamic() ||
      shape[0].size() > kMaxKnownElements)
    return;
  const auto axes = exact_values(node.input(1));
  const auto numbers = exact_numbers(node.input(0));
  if (!axes || axes->empty() || !numbers || numbers->empty()) return;
  if (std::ranges::any_of(*numbers, [](double number) { return std::isnan(number); })) return;
  set_known(node, 0,
            {ValueRange::of_number(kIsMax ? std::ranges::max(*numbers) : std::ranges::min(*numbers))});
}

void infer_reduce_logical(Node& node) {
  require(node.input(0).type() == ElementType::boolean, "the input must be boolean");
  check_axes(node);
  set_output(node, 0, ElementType::boolean, reduced_shape(node));
}

void infer_top_k(Node& node) {
  PartialShape shape = node.input(0).shape();
  require(node.input(0).type() != ElementType::boolean, "the input must be a number");
  require(node.input(1).shape().has_rank() && node.input(1).shape().is_scalar(), "k must be a scalar");
  if (shape.has_rank()) {
    Dimension& dimension = shape[normalize_axis(node.integer("axis"), shape.rank())];
    if (const auto k = exact_values(node.input(1))) {
      require(k->front() >= 0, "k must not be negative");
      dimension = k->front();
    } else {
      dimension = Dimension(0, dimension.max);
    }
  }
  set_output(node, 0, node.input(0).type(), shape);
  set_output(node, 1, node.type("index_element_type"), shape);
}

void infer_cum_sum(Node& node) {
  const ElementType type = node.input(0).type();
  require(type != ElementType::boolean, "the input must be a number");
  set_output(node, 0, type, node.input(0).shape());
  if (is_floating(type) || node.input(0).shape().element_count().value_or(0) == 0) return;
  auto known = known_values(node.input(0));
  if (!known || node.input(0).shape().rank() != 1) return;
  const auto accumulate = [&](auto first, auto last) {
    ValueRange sum = ValueRange::exactly(0);
    for (; first != last; ++first) {
      const ValueRange before = sum;
      sum = fit(add(sum, *first), type);
      *first = node.boolean("exclusive") ? before : sum;
    }
  };
  if (node.boolean("reverse")) {
    accumulate(known->rbegin(), known->rend());
  } else {
    accumulate(known->begin(), known->end());
  }
  set_known(node, 0, *std::move(known));
}

Dimension range_size(const Node& node, ElementType type) {
  const auto start = exact_numbers(node.input(0));
  const auto stop = exact_numbers(node.input(1));
  const auto step = exact_numbers(node.input(2));
  if (!start || !stop || !step || start->size() != 1 || stop->size() != 1 || step->size() != 1) return {};
  const auto value = [&](double number) { return is_integral(type) ? std::trunc(number) : number; };
  require(value(step->front()) != 0, "the step of Range must not be zero");
  const double span = value(stop->front()) - value(start->front());
  const double size = std::ceil(span / value(step->front()));
  constexpr double kMaxElements = 9007199254740992.0;
  require(!std::isnan(size) && size < kMaxElements, "Range has too many elements");
  return size <= 0 ? Dimension(0) : Dimension(static_cast<std::int64_t>(size));
}

void infer_range(Node& node) {
  for (std::size_t i = 0; i < 3; ++i) {
    const Value input = node.input(i);
    require(!input.shape().has_rank() || input.shape().is_scalar(), "Range takes scalars");
    require(input.type() != ElementType::boolean, "Range takes numbers");
  }
  const ElementType type = node.type("output_type");
  const Dimension size = range_size(node, type);
  set_output(node, 0, type, {size});
  if (!is_integral(type) || size.is_dynamic() || size.min > kMaxKnownElements) return;
  const auto start = exact_values(node.input(0));
  const auto step = exact_values(node.input(2));
  if (!start || !step) return;
  KnownValues known;
  ValueRange next = ValueRange::exactly(start->front());
  for (std::int64_t i = 0; i < size.min; ++i) {
    known.push_back(fit(next, type));
    next = add(next, ValueRange::exactly(step->front()));
  }
  set_known(node, 0, std::move(known));
}

}  // namespace

std::vector<OpDescriptor> reduction_ops() {
  const std::vector<AttributeSpec> keep_dims = {{"keep_dims", Kind::boolean}};
  constexpr Traits kReduction{.is_reduction = true};
  return {
      {"ReduceSum", "opset1", 2, 2, 1, keep_dims, infer_fold<add, 0>, kReduction},
      {"ReduceProd", "opset1", 2, 2, 1, keep_dims, infer_fold<multiply, 1>, kReduction},
      {"ReduceMax", "opset1", 2, 2, 1, keep_dims, infer_extremum<maximum, true>, kReduction},
      {"ReduceMin", "opset1", 2, 2, 1, keep_dims, infer_extremum<minimum, false>, kReduction},
      {"ReduceMean", "opset1", 2, 2, 1, keep_dims, infer_reduce_numbers, kReduction},
      {"ReduceL1", "opset4", 2, 2, 1, keep_dims, infer_reduce_numbers, kReduction},
      {"ReduceL2", "opset4", 2, 2, 1, keep_dims, infer_reduce_numbers, kReduction},
      {"ReduceLogicalAnd", "opset1", 2, 2, 1, keep_dims, infer_reduce_logical, kReduction},
      {"ReduceLogicalOr", "opset1", 2, 2, 1, keep_dims, infer_reduce_logical, kReduction},
      {"TopK",
       "opset11",
       2,
       2,
       2,
       {{"axis", Kind::integer},
        {"mode", Kind::text},
        {"sort", Kind::text},
        {"index_element_type", Kind::type},
        {"stable", Kind::boolean}},
       infer_top_k,
       {.sizes = {1, 1}}},
      {"CumSum",
       "opset3",
       2,
       2,
       1,
       {{"exclusive", Kind::boolean}, {"reverse", Kind::boolean}},
       infer_cum_sum,
       {.keeps_shape = true}},
      {"Range", "opset4", 3, 3, 1, {{"output_type", Kind::type}}, infer_range, {.indices = {0, 2}}},
  };
}

}  // namespace onnx2ir::ir
