// Workaround for extremum_of_infinities: the CPU plugin starts a ReduceMax from the lowest finite number, a
// ReduceMin from the largest one, and returns it if all elements are infinite or there are none. So the
// elements are halved before and doubled afterwards: only the start value overflows, to the correct infinity.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/small_vector.hpp"
#include "ir/small_floats.hpp"
#include "ir/views/elementwise.hpp"
#include "ir/views/groups.hpp"
#include "ir/views/reduction.hpp"
#include "ir/views/unary.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

constexpr int kMostSteps = 8;

/// Whether each element of the result of `node` is an element of input 0.
bool keeps_elements(const ir::Node& node) {
  return node.op().traits.rearranges || is_opaque_copy(node);
}

/// `value` before operations that keep the elements.
ir::Value before_moves(ir::Value value) {
  for (int i = 0; i < kMostSteps && keeps_elements(*value.node); ++i) value = value.node->input(0);
  return value;
}

/// Whether `value` is computed from integers with a few constants, as dequantised numbers are.
bool is_of_integers(ir::Value value) {
  for (int i = 0; i < kMostSteps; ++i) {
    const ir::Node& node = *value.node;
    if (const auto convert = ir::match<ir::ConvertView>(node))
      return !ir::is_floating(convert->data().type());
    const bool has_constant =
        node.is_one_of({ops::Multiply, ops::Subtract}) && source_constant(node.input(1)) != nullptr;
    if (!has_constant && !keeps_elements(node)) return false;
    value = node.input(0);
  }
  return false;
}

/// Whether the extremum of `value` cannot be -infinity (of ReduceMax) or infinity (of ReduceMin), unless a
/// dynamic size is 0.
bool is_bounded(ir::Value value, bool is_max) {
  static constexpr ir::OperationSet kOnBothSides = {ops::Sigmoid, ops::SoftMax,  ops::HardSigmoid,
                                                    ops::Tanh,    ops::SoftSign, ops::Erf,
                                                    ops::Sin,     ops::Cos,      ops::FakeQuantize};
  static constexpr ir::OperationSet kFromBelow = {ops::ReLU, ops::Abs, ops::Exp, ops::Sqrt, ops::SoftPlus};
  if (value.shape().has(0)) return false;
  if (is_of_integers(value)) return true;
  value = before_moves(value);
  if (const auto sums = ir::match<ir::CumSumView>(value)) value = sums->data();
  return value.node->is_one_of(kOnBothSides) || (is_max && value.node->is_one_of(kFromBelow));
}

/// Whether `node` halves a value. The constant may have been compressed.
bool is_half(const ir::Node& node) {
  return node.is(ops::Multiply) &&
         std::ranges::any_of(node.inputs(), [](ir::Value input) { return known_number(input) == 0.5; });
}

/// Whether `node` doubles a value. OpenVINO would combine a Multiply by 2 with a Multiply behind it, which
/// can make 1 of both.
bool is_double(const ir::Node& node) {
  return node.is(ops::Add) && node.input(0) == node.input(1);
}

/// Whether all operations that use the output, or copies of it, satisfy `holds`.
template <typename Predicate>
bool is_only_read(const ir::Node& node, Predicate holds) {
  base::SmallVector<const ir::Node*, 4> copies = {&node};
  for (std::size_t i = 0; i < copies.size(); ++i) {
    for (const ir::Use& use : copies[i]->output(0).uses) {
      if (holds(*use.node)) continue;
      if (copies.size() > kMostSteps || !keeps_elements(*use.node) || use.index != 0) return false;
      copies.push_back(use.node);
    }
  }
  return true;
}

/// Whether `node` clamps the extremum by a finite number: an infinity and the plugin's start value then give
/// the same result.
bool clamps_by_finite_number(const ir::Node& node, bool is_max) {
  if (const auto clamp = ir::match<ir::ClampView>(node))
    return std::isfinite(is_max ? clamp->min() : clamp->max());
  return node.is(is_max ? ops::Maximum : ops::Minimum) && std::ranges::any_of(node.inputs(), are_finite);
}

/// Whether `node` compares the extremum with numbers so small that an infinity and the plugin's start value
/// give the same result.
bool compares_with_ordinary_numbers(const ir::Node& node) {
  const auto is_ordinary = [](ir::Value other) {
    const double largest = ir::largest_finite(other.type()).value_or(std::numeric_limits<float>::max());
    return are_known(other, [&](double number) { return std::abs(number) <= largest / 2; });
  };
  return node.is_one_of(kComparisons) && std::ranges::any_of(node.inputs(), is_ordinary);
}

/// Whether all uses of `node`, which computes exponentials, are those of a Softmax: they are divided by their
/// sum.
bool is_divided_by_its_sum(const ir::Node& node) {
  const auto divides = [&](const ir::Node& reader) {
    const auto quotient = ir::match<ir::DivideView>(reader);
    return quotient && quotient->a().node == &node;
  };
  return is_only_read(node, [&](const ir::Node& reader) {
    if (reader.is(ops::ReduceSum)) return is_only_read(reader, divides);
    if (!divides(reader)) return false;
    const auto sum = ir::match<ir::ReduceSumView>(before_moves(ir::DivideView(reader).b()));
    return sum && sum->data().node == &node;
  });
}

/// Whether the extremum is that of a decomposed Softmax. If all elements are infinite, the quotients are NaN
/// with any number.
bool is_subtracted_in_softmax(ir::ReductionView reduction) {
  return is_only_read(reduction, [&](const ir::Node& reader) {
    const auto difference = ir::match<ir::SubtractView>(reader);
    return difference && difference->a() == reduction.data() && is_only_read(reader, [](const ir::Node& exp) {
             return exp.is(ops::Exp) && is_divided_by_its_sum(exp);
           });
  });
}

bool may_be_infinite(ir::ReductionView reduction) {
  const ir::Node& node = reduction;
  const bool is_max = node.is(ops::ReduceMax);
  const ir::Value data = reduction.data();
  if (!ir::is_floating(data.type()) || is_bounded(data, is_max)) return false;
  if (is_max && is_subtracted_in_softmax(reduction)) return false;
  if (is_only_read(node, is_double) && is_half(*before_moves(data).node)) return false;
  return !is_only_read(node, [&](const ir::Node& reader) {
    return clamps_by_finite_number(reader, is_max) || compares_with_ordinary_numbers(reader);
  });
}

ir::Value halve(ir::Builder& builder, ir::ReductionView reduction) {
  using ir::ElementType;
  const ir::Value data = reduction.data();
  const ir::Value number = ir::convert(builder, data, ElementType::f32);
  const ir::Value half = builder.op(ops::Multiply, {number, builder.number(0.5, ElementType::f32)});
  const ir::Value reduced = ir::clone_with_input(builder, reduction, ir::ReductionView::Input::data, half);
  return ir::convert(builder, builder.op(ops::Add, {reduced, reduced}), data.type());
}

}  // namespace

Workaround halve_extrema() {
  return {.summary = "Halves the numbers before ReduceMax and ReduceMin, and doubles the result",
          .stages = {{Stage::imported,
                      {row<may_be_infinite, halve>(Fault::extremum_of_infinities,
                                                   {ops::ReduceMax, ops::ReduceMin})}}}};
}

}  // namespace onnx2ir::passes
