// Operations along axes: reductions, normalisations, TopK, CumSum; and Range and Bucketize.
#include "ir/views/reduction.hpp"

#include <algorithm>
#include <cmath>

#include "ir/inference.hpp"
#include "ir/ops/families.hpp"
#include "ir/ops/known_elements.hpp"
#include "ir/value_ranges.hpp"
#include "ir/views/groups.hpp"
#include "ir/views/normalization.hpp"

namespace onnx2ir::ir {
namespace {

PartialShape reduced_by_unknown_axes(ReductionView reduction, const PartialShape& shape, bool keep_dims) {
  const PartialShape& axes = reduction.axes().shape();
  if (keep_dims) return PartialShape::of_rank(shape.rank());
  // One axis removes one dimension; several axes may be equal.
  const bool one_axis = axes.has_rank() && axes.element_count() == 1;
  return one_axis && shape.rank() > 0 ? PartialShape::of_rank(shape.rank() - 1)
                                      : PartialShape::unknown_rank();
}

PartialShape reduced_shape(ReductionView reduction) {
  const PartialShape& shape = reduction.data().shape();
  if (!shape.has_rank()) return shape;
  const bool keep_dims = reduction.keep_dims();
  const auto axes = exact_values(reduction.axes());
  if (!axes) return reduced_by_unknown_axes(reduction, shape, keep_dims);
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

void infer_reduction(Node& node) {
  require(is_integral(node.input(ReductionView::Input::axes).type()), "the axes must be integers");
  set_output(node, 0, node.input(0).type(), reduced_shape(node));
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
  infer_reduction(node);
  const ReductionView reduction = node;
  const auto sizes = reduction.data().shape().sizes();
  const auto count = node.output(0).shape.element_count();
  const auto axes = exact_values(reduction.axes());
  const auto known = known_values(reduction.data());
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

void infer_product(Node& node) {
  infer_reduce_and_known<multiply>(node, 1);
}

/// OpenVINO knows no bounds of a sum, only its value.
void infer_sum(Node& node) {
  const auto known = known_values(ReductionView(node).data());
  if (known && are_exact(*known)) {
    infer_reduce_and_known<add>(node, 0);
  } else {
    infer_reduction(node);
  }
}

/// ReduceMax and ReduceMin, which are exact for floating-point numbers as well.
template <RangeFunction2 kFunction, bool kIsMax>
void infer_extremum(Node& node) {
  infer_reduce_and_known<kFunction>(node, std::nullopt);
  const PartialShape& shape = node.input(0).shape();
  if (!is_floating(node.output(0).type) || !shape.has_rank(1) || shape[0].is_dynamic() ||
      shape[0].size() > kMaxKnownElements)
    return;
  const auto axes = exact_values(ReductionView(node).axes());
  const auto numbers = exact_numbers(node.input(0));
  if (!axes || axes->empty() || !numbers || numbers->empty()) return;
  if (std::ranges::any_of(*numbers, [](double number) { return std::isnan(number); })) return;
  set_known(node, 0,
            {ValueRange::of_number(kIsMax ? std::ranges::max(*numbers) : std::ranges::min(*numbers))});
}

void infer_reduce_logical(Node& node) {
  require(node.input(0).type() == ElementType::boolean, "the input must be boolean");
  infer_reduction(node);
}

void infer_top_k(Node& node) {
  const TopKView top = node;
  require_index_type(top.index_element_type());
  PartialShape shape = top.data().shape();
  require(top.k().shape().is_scalar(), "k must be a scalar");
  if (shape.has_rank()) {
    Dimension& dimension = shape[normalize_axis(top.axis(), shape.rank())];
    if (const auto k = exact_values(top.k())) {
      require(k->front() >= 0, "k must not be negative");
      dimension = k->front();
    } else {
      dimension = Dimension(0, dimension.max);
    }
  }
  set_output(node, 0, top.data().type(), shape);
  set_output(node, 1, top.index_element_type(), shape);
}

void infer_cum_sum(Node& node) {
  const CumSumView cum_sum = node;
  const ElementType type = cum_sum.data().type();
  set_output(node, 0, type, cum_sum.data().shape());
  if (is_floating(type) || cum_sum.data().shape().element_count().value_or(0) == 0) return;
  auto known = known_values(cum_sum.data());
  if (!known || cum_sum.data().shape().rank() != 1) return;
  const auto accumulate = [&](auto first, auto last) {
    ValueRange sum = ValueRange::exactly(0);
    for (; first != last; ++first) {
      const ValueRange before = sum;
      sum = fit(add(sum, *first), type);
      *first = cum_sum.exclusive() ? before : sum;
    }
  };
  if (cum_sum.reverse()) {
    accumulate(known->rbegin(), known->rend());
  } else {
    accumulate(known->begin(), known->end());
  }
  set_known(node, 0, *std::move(known));
}

Dimension range_size(RangeView range, ElementType type) {
  const auto start = exact_number(range.start(), 0);
  const auto stop = exact_number(range.stop(), 0);
  const auto step = exact_number(range.step(), 0);
  if (!start || !stop || !step) return {};
  const auto value = [&](double number) { return is_integral(type) ? std::trunc(number) : number; };
  require(value(*step) != 0, "the step of Range must not be zero");
  const double size = std::ceil((value(*stop) - value(*start)) / value(*step));
  constexpr double kMaxElements = 9007199254740992.0;
  require(!std::isnan(size) && size < kMaxElements, "Range has too many elements");
  return size <= 0 ? Dimension(0) : Dimension(static_cast<std::int64_t>(size));
}

void infer_range(Node& node) {
  const RangeView range = node;
  for (const Value input : node.inputs()) {
    require(input.shape().admits_rank(0), "Range takes scalars");
    require(input.type() != ElementType::boolean, "Range takes numbers");
  }
  const ElementType type = range.output_type();
  const Dimension size = range_size(node, type);
  set_output(node, 0, type, {size});
  if (!is_integral(type) || size.is_dynamic() || size.min > kMaxKnownElements) return;
  const auto start = exact_values(range.start());
  const auto step = exact_values(range.step());
  if (!start || !step) return;
  KnownValues known;
  ValueRange next = ValueRange::exactly(start->front());
  for (std::int64_t i = 0; i < size.min; ++i) {
    known.push_back(fit(next, type));
    next = add(next, ValueRange::exactly(step->front()));
  }
  set_known(node, 0, std::move(known));
}

void infer_bucketize(Node& node) {
  const BucketizeView bucketize = node;
  require_index_type(bucketize.output_type());
  set_output(node, 0, bucketize.output_type(), bucketize.data().shape());
}

void infer_softmax(Node& node) {
  require(is_floating(node.input(0).type()), "the input must be floating-point");
  const PartialShape& shape = node.input(0).shape();
  if (shape.has_rank()) normalize_axis(node.integer("axis"), shape.rank());
  infer_as_data(node);
}

void infer_mvn(Node& node) {
  const MVNView mvn = node;
  const PartialShape& shape = mvn.data().shape();
  if (shape.has_rank()) known_axes(mvn.axes(), shape.rank());  // fails if one is out of range
  infer_as_data(node);
}

/// If the number of channels in the data is dynamic, it is inferred from the channel parameters.
void infer_batch_norm(Node& node) {
  const ElementType type = same_type(node, 0, 5);
  require(BatchNormInferenceView(node).epsilon() >= 0,
          "the epsilon of BatchNormInference must not be negative");
  PartialShape shape = node.input(0).shape();
  if (shape.has_rank()) {
    require(shape.rank() >= 2, "BatchNormInference takes data of at least two dimensions");
    for (std::size_t i = 1; i < 5; ++i) {
      const PartialShape& parameter = node.input(i).shape();
      if (!parameter.has_rank()) continue;
      shape[1] = common_dimension(shape[1], parameter[0],
                                  "the parameters of BatchNormInference do not fit the channels");
    }
  }
  set_output(node, 0, type, std::move(shape));
}

}  // namespace

std::vector<OpFunction> reduction_functions() {
  return {
      {ops::ReduceSum, infer_sum},
      {ops::ReduceProd, infer_product},
      {ops::ReduceMax, infer_extremum<maximum, true>},
      {ops::ReduceMin, infer_extremum<minimum, false>},
      {{ops::ReduceMean, ops::ReduceL1, ops::ReduceL2}, infer_reduction},
      {{ops::ReduceLogicalAnd, ops::ReduceLogicalOr}, infer_reduce_logical},
      {ops::TopK, infer_top_k},
      {ops::CumSum, infer_cum_sum},
      {ops::Range, infer_range},
      {ops::Bucketize, infer_bucketize},
      {{ops::SoftMax, ops::LogSoftmax}, infer_softmax},
      {ops::BatchNormInference, infer_batch_norm},
      {ops::MVN, infer_mvn},
  };
}

}  // namespace onnx2ir::ir
