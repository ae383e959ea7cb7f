// Workaround for select_in_f32: the CPU plugin computes a Select of integers in f32, which loses the last
// digits of integers above 2^24. Sums and products of integers are exact.
#include <algorithm>
#include <cstdint>
#include <limits>

#include "ir/control_flow.hpp"
#include "ir/views/elementwise.hpp"
#include "ir/views/selection.hpp"
#include "passes/analysis/bounded_search.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

using ir::Value;

/// f32 has all integers up to this one.
constexpr std::int64_t kLargestExact = std::int64_t{1} << 24U;
/// Constants from here on stand for "to the end" or "none".
constexpr std::int64_t kLeastSentinel = std::numeric_limits<std::int32_t>::max();

bool fits(const ir::ValueRange& range) {
  const bool is_sentinel = range.min >= kLeastSentinel || range.max <= -kLeastSentinel;
  return is_sentinel || (range.min >= -kLargestExact && range.max <= kLargestExact);
}

/// Whether f32 has all elements of a constant, or of a value that inference knows.
bool is_known_to_fit(Value value) {
  const auto known = ir::known_values(value);
  return known && std::ranges::all_of(*known, fits);
}

bool is_known_to_fit(const ir::Output& output) {
  return output.known && std::ranges::all_of(*output.known, fits);
}

/// Whether f32 has all numbers of `type`.
bool is_small(ir::ElementType type) {
  constexpr unsigned kMostBits = 24;
  return type == ir::ElementType::boolean || ir::info(type).bits <= kMostBits || type == ir::ElementType::f32;
}

/// Whether the integers may be larger than f32 can hold exactly: they are computed from integers of the model
/// or of a loop, or from large constants. Sizes, positions, and what was a small type or f32 before, are not.
bool may_be_large(Value integers) {
  constexpr std::size_t kMostNodes = 64;
  constexpr ir::OperationSet kPositions = {ops::ShapeOf, ops::NonZero, ops::TopK, ops::Bucketize};
  if (is_known_to_fit(integers)) return false;
  std::size_t visited = 0;
  return any_before(integers, kMostNodes, [&](const ir::Node& node) {
    if (++visited == kMostNodes) return Search::found;
    const ir::Output& output = node.output(0);
    const bool is_converted = node.is(ops::Convert) && is_small(node.input(0).type());
    if (node.is_one_of(kPositions) || is_converted || !ir::is_integral(output.type) ||
        is_known_to_fit(output))
      return Search::skip;
    return node.inputs().empty() || node.op().traits.has_bodies ? Search::found : Search::follow;
  });
}

/// Whether `use` reads the trip count of a loop. No loop runs 2^24 times.
bool is_trip_count(const ir::Use& use) {
  return use.node->loop() != nullptr && use.index == ir::LoopView::kTripCount;
}

bool may_lose_digits(ir::SelectView select) {
  const ir::ElementType type = select.output(0).type;
  return ir::is_integral(type) && !is_small(type) &&
         !std::ranges::any_of(select.output(0).uses, is_trip_count) &&
         (may_be_large(select.then_value()) || may_be_large(select.else_value()));
}

/// b + c * (a - b), where c is 1 or 0. A difference that overflows wraps around, and the sum wraps back. The
/// GPU plugin does not take a boolean that is converted to c in the body of a loop, but a Select.
Value select_by_arithmetic(ir::Builder& builder, ir::SelectView select) {
  const Value a = select.then_value();
  const Value b = select.else_value();
  const Value chosen = builder.op(
      ops::Select, {select.condition(), builder.integer(1, b.type()), builder.integer(0, b.type())});
  const bool is_none = ir::known_scalar(b) == 0 && b.shape().has_rank(0);
  if (is_none) return builder.op(ops::Multiply, {chosen, a});
  const Value difference = builder.op(ops::Subtract, {a, b});
  return builder.op(ops::Add, {b, builder.op(ops::Multiply, {chosen, difference})});
}

}  // namespace

Workaround keep_selected_integers() {
  return {
      .stage = Stage::kernels,
      .summary =
          "Computes Selects of large integers as sums and products, which the CPU plugin computes exactly",
      .rows = {row<may_lose_digits, select_by_arithmetic>(Fault::select_in_f32, {ops::Select})}};
}

}  // namespace onnx2ir::passes
