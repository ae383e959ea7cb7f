// Removes the conversion of numbers to an integer type and back if they are integers in the range of this
// type, as they are between QuantizeLinear and DequantizeLinear or after MatMulInteger. The CPU plugin fuses
// the arithmetic before and after the conversions, but not the conversions.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "ir/element_type.hpp"
#include "ir/views/linear_algebra.hpp"
#include "ir/views/unary.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kMaxDepth = 12;

/// Bounds of numbers that are integers.
using Bounds = ir::IntegerLimits;
using MaybeBounds = std::optional<Bounds>;

MaybeBounds bounds_of(ir::Value value, int depth);

bool is_counted(ir::ElementType type) {
  return ir::is_integral(type) && type != ir::ElementType::boolean;
}

MaybeBounds bounds_of_constant(ir::Value value) {
  constexpr std::int64_t kMaxElements = 64;
  const auto count = value.shape().element_count();
  if (!count || *count == 0 || *count > kMaxElements) return std::nullopt;
  const auto numbers = ir::exact_numbers(value);
  if (!numbers) return std::nullopt;
  Bounds bounds{kInfinity, -kInfinity};
  for (const double number : *numbers) {
    if (std::trunc(number) != number) return std::nullopt;
    bounds = {std::min(bounds.low, number), std::max(bounds.high, number)};
  }
  return bounds;
}

/// The bounds of a rounded number: those of the Clamp before it, whose bounds may be fractions.
Bounds bounds_of_rounded(ir::RoundView round) {
  const auto before = ir::match<ir::ClampView>(round.data());
  if (!before) return {-kInfinity, kInfinity};
  return {std::floor(before->min()), std::ceil(before->max())};
}

MaybeBounds bounds_of_clamped(ir::ClampView clamp, int depth) {
  const double low = clamp.min();
  const double high = clamp.max();
  const MaybeBounds before = bounds_of(clamp.data(), depth);
  if (!before || std::trunc(low) != low || std::trunc(high) != high) return std::nullopt;
  return Bounds{std::clamp(before->low, low, high), std::clamp(before->high, low, high)};
}

/// How many products each number of a MatMul or Convolution adds.
std::optional<double> products_of(const ir::Node& node) {
  const auto sizes = node.input(1).shape().sizes();
  if (!sizes || sizes->empty()) return std::nullopt;
  if (const auto product = ir::match<ir::MatMulView>(node)) {
    const std::size_t back = product->transpose_b() || sizes->size() == 1 ? 1 : 2;
    return static_cast<double>((*sizes)[sizes->size() - back]);
  }
  double count = 1;
  for (std::size_t i = 1; i < sizes->size(); ++i) count *= static_cast<double>((*sizes)[i]);
  return count;
}

/// The bounds of an Add, a Subtract, or a product of matrices or images.
MaybeBounds bounds_of_sums(const ir::Node& node, int depth) {
  const MaybeBounds a = bounds_of(node.input(0), depth);
  const MaybeBounds b = bounds_of(node.input(1), depth);
  if (!a || !b) return std::nullopt;
  if (node.is(ops::Subtract)) return Bounds{a->low - b->high, a->high - b->low};
  if (node.is(ops::Add)) return Bounds{a->low + b->low, a->high + b->high};
  const auto count = products_of(node);
  if (!count) return std::nullopt;
  const auto largest = [](const Bounds& bounds) {
    return std::max(std::abs(bounds.low), std::abs(bounds.high));
  };
  const double sum = *count * largest(*a) * largest(*b);
  return Bounds{-sum, sum};
}

MaybeBounds bounds_of(ir::Value value, int depth) {
  const ir::Node& node = *value.node;
  if (depth == 0) return std::nullopt;
  --depth;
  if (node.op().traits.reshapes || node.op().traits.rearranges) return bounds_of(node.input(0), depth);
  if (node.is(ops::Const)) return bounds_of_constant(value);
  if (const auto convert = ir::match<ir::ConvertView>(node)) {
    const ir::ElementType type = convert->data().type();
    return is_counted(type) ? MaybeBounds(ir::limits_of(type)) : std::nullopt;
  }
  if (node.is(ops::Round)) return bounds_of_rounded(node);
  if (node.is(ops::Clamp)) return bounds_of_clamped(node, depth);
  const bool is_sum = node.is_one_of(kSums) || node.is_one_of(kIntegerProducts);
  return is_sum ? bounds_of_sums(node, depth) : std::nullopt;
}

/// The numbers if `node` converts integers to their type that were converted from it.
ir::Value integers_of(const ir::Builder&, ir::ConvertView convert) {
  const auto storage = ir::match<ir::ConvertView>(convert.data());
  if (!storage || !is_counted(storage->output(0).type)) return {};
  const ir::Value numbers = storage->data();
  if (numbers.type() != ir::ElementType::f32 || convert.output(0).type != numbers.type()) return {};
  const MaybeBounds bounds = bounds_of(numbers, kMaxDepth);
  const Bounds limits = ir::limits_of(storage->output(0).type);
  return bounds && bounds->low >= limits.low && bounds->high <= limits.high ? numbers : ir::Value{};
}

}  // namespace

bool remove_integer_round_trips(ir::Model& model, PassContext&) {
  return rewrite_values(model, {ops::Convert}, integers_of);
}

}  // namespace onnx2ir::passes
