#include "passes/support/final_or_initial.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "ir/inference.hpp"
#include "ir/known_values.hpp"
#include "ir/shape_tools.hpp"
#include "passes/analysis/axes.hpp"
#include "passes/pattern.hpp"
#include "passes/support/select_values.hpp"

namespace onnx2ir::passes {
namespace {

/// The only axis on which a final and an initial value of these shapes differ, if there is one.
std::optional<std::size_t> differing_axis(const ir::PartialShape& final, const ir::PartialShape& initial) {
  constexpr std::size_t kMaxRank = 3;  // tile_dynamic_rank4
  if (final.rank() != initial.rank() || final.rank() > kMaxRank || dynamic_dimensions(final) != 1)
    return std::nullopt;
  const auto axis =
      static_cast<std::size_t>(std::ranges::find_if(final, &ir::Dimension::is_dynamic) - final.begin());
  for (std::size_t i = 0; i < final.rank(); ++i) {
    if (i != axis && final[i] != initial[i]) return std::nullopt;
  }
  return axis;
}

}  // namespace

ir::Value emit_first_iteration_condition(ir::Builder& builder, ir::Value trip_count, ir::Value condition) {
  if (ir::known_scalar(trip_count).value_or(0) != 0) return condition;
  const ir::Value counts = builder.op(ops::NotEqual, {trip_count, builder.integer(0, trip_count.type())});
  const bool starts = ir::known_scalar(condition).value_or(0) != 0;
  return starts ? counts : builder.op(ops::LogicalAnd, {counts, condition});
}

ir::Value emit_first_iteration_condition(ir::Builder& builder, ir::LoopView loop) {
  // In IR of other programs both can have the shape [1], which a Select would give to a scalar state.
  const std::vector<std::int64_t> scalar;
  const ir::Value trip_count = ir::reshape(builder, loop.trip_count(), scalar);
  return emit_first_iteration_condition(builder, trip_count, ir::reshape(builder, loop.condition(), scalar));
}

ir::Value tested_trip_count(ir::Value condition) {
  ir::Value count;
  return matches(condition, op(ops::NotEqual, any(count), integer(0))) ? count : ir::Value{};
}

ir::Value emit_empty_scan_output(ir::Builder& builder, const ir::Scan& scan) {
  const ir::Output& row = scan.result->output(0);
  std::vector<std::int64_t> shape = row.shape.sizes_or(0);
  shape[ir::normalize_axis(scan.axis, shape.size())] = 0;
  return builder.constant(row.type, shape, ir::ConstantData(std::vector<std::byte>{}));
}

std::optional<FinalAndInitial> joined_values(const ir::Node& node) {
  if (!node.is(ops::Concat) || node.inputs().size() != 2) return std::nullopt;
  ir::Value ran;
  FinalAndInitial found;
  const auto zeros_and_ones = [](ir::Value counts) { return ir::exact_values(counts).has_value(); };
  const auto repeats = [&](auto condition) {
    return op(ops::Select, condition, zeros_and_ones, zeros_and_ones);
  };
  const bool is_choice = matches(node.input(0), op(ops::Tile, any(found.final), repeats(any(ran)))) &&
                         matches(node.input(1), op(ops::Tile, any(found.initial), repeats(same(ran))));
  return is_choice ? std::optional(found) : std::nullopt;
}

ir::Value FinalOrInitial::emit_ran() {
  if (!ran_) ran_ = emit_first_iteration_condition(builder_, loop_);
  return ran_;
}

ir::Value FinalOrInitial::choose(ir::Value final, ir::Value initial, bool keeps_shape) {
  if (final.shape().is_static() && final.shape() == initial.shape())
    return passes::choose(builder_, emit_ran(), final, initial);
  return join(final, initial, keeps_shape);
}

/// If dimensions are dynamic, the final value of a zero-iteration loop may have any shape, and Select fails.
/// Instead, empty one of the two values and concatenate them along the axis on which they differ, or as flat
/// vectors. Tile copies whole blocks, Slice of a vector does not: 4 us instead of 25 us for 4096 elements.
ir::Value FinalOrInitial::join(ir::Value final, ir::Value initial, bool keeps_shape) {
  const auto axis = differing_axis(final.shape(), initial.shape());
  const auto keep_if_ran = [&](ir::Value value, bool ran) {
    const ir::Value elements = axis || value.shape().rank() == 1 ? value : ir::flatten(builder_, value);
    return keep_if(builder_, emit_ran(), ran, elements, axis.value_or(0));
  };
  ir::Value result = keep_if_ran(final, true);
  if (initial.shape().element_count() != 0) {
    const auto along = static_cast<std::int64_t>(axis.value_or(0));
    result = ir::concat(builder_, {result, keep_if_ran(initial, false)}, along);
  }
  return reshape_joined(result, final, initial, keeps_shape);
}

/// Reshapes `joined`, the elements of `final` or of `initial`, to the shape of the one that was selected.
ir::Value FinalOrInitial::reshape_joined(ir::Value joined, ir::Value final, ir::Value initial,
                                         bool keeps_shape) {
  const ir::PartialShape& shape = final.shape();
  if (shape.rank() == 1) return joined;
  if (dynamic_dimensions(shape) <= 1 && !shape.has(0))
    return ir::reshape(builder_, joined, shape.sizes_or(-1));
  const ir::Value initial_shape = ir::compute_shape_of(builder_, initial);
  const ir::Value shapes =
      keeps_shape
          ? initial_shape
          : builder_.op(ops::Select, {emit_ran(), ir::compute_shape_of(builder_, final), initial_shape});
  const ir::Value result = ir::reshape(builder_, joined, shapes);
  if (dynamic_dimensions(shape) == static_cast<std::ptrdiff_t>(shape.rank()) || shape.has(0)) return result;
  return ir::reshape_keeping(builder_, result, shape.sizes_or(0));
}

}  // namespace onnx2ir::passes
