// Workaround for negative_gather_elements and negative_gather_nd: OpenVINO reads outside of the data, or
// nothing, for indices that count from the end. Here sizes are added to negative indices first.
#include <vector>

#include "ir/views/elementwise.hpp"
#include "ir/views/reduction.hpp"
#include "ir/views/selection.hpp"
#include "ir/views/unary.hpp"
#include "passes/analysis/constant_values.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether these are indices to which their size has been added if they are negative.
bool are_counted_from_start(ir::Value indices) {
  const auto select = ir::match<ir::SelectView>(indices);
  const auto less = select ? ir::match<ir::LessView>(select->condition()) : std::nullopt;
  return less && less->a() == select->else_value() && ir::known_scalar(less->b()) == 0;
}

bool is_never_negative(ir::Value value) {
  const ir::Node& maker = *value.node;
  if (are_at_least(value, 0) || known_number(value).value_or(-1) >= 0 || are_counted_from_start(value))
    return true;
  if (maker.is_one_of({ops::NonZero, ops::ShapeOf})) return true;
  if (maker.is(ops::Maximum)) return are_at_least(maker.input(0), 0) || are_at_least(maker.input(1), 0);
  if (const auto range = ir::match<ir::RangeView>(value))
    return are_at_least(range->start(), 0) && are_at_least(range->step(), 0);
  const auto clamp = ir::match<ir::ClampView>(value);
  return (maker.is(ops::TopK) && value.index == 1) || (clamp && clamp->min() >= 0);
}

/// Whether the numbers are provably not negative: they are positions or sizes, or clamped.
bool are_never_negative(ir::Value numbers) {
  // Operations whose results are not negative if their first input is not, or if no input is. A sum or
  // product that overflows was no index before.
  constexpr ir::OperationSet kOfFirst = {ops::Broadcast, ops::Ceiling,   ops::Convert, ops::Floor,
                                         ops::Gather,    ops::Reshape,   ops::Round,   ops::Slice,
                                         ops::Squeeze,   ops::Transpose, ops::Tile,    ops::Unsqueeze};
  constexpr ir::OperationSet kOfAll = {ops::Add,      ops::Concat,  ops::Divide,
                                       ops::FloorMod, ops::Minimum, ops::Multiply};
  constexpr std::size_t kMaxValues = 32;
  std::vector<ir::Value> sources{numbers};
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const ir::Value value = sources[i];
    if (is_never_negative(value)) continue;
    const auto inputs = value.node->inputs();
    if (value.node->is_one_of(kOfAll)) {
      sources.insert(sources.end(), inputs.begin(), inputs.end());
    } else if (value.node->is_one_of(kOfFirst)) {
      sources.push_back(inputs.front());
    } else {
      return false;
    }
    if (sources.size() > kMaxValues) return false;
  }
  return true;
}

/// `indices`, to which `sizes` are added where they are negative.
ir::Value count_from_start(ir::Builder& builder, ir::Value indices, ir::Value sizes) {
  const ir::Value is_negative = builder.op(ops::Less, {indices, builder.integer(0, indices.type())});
  const ir::Value shifted = builder.op(ops::Add, {indices, ir::convert(builder, sizes, indices.type())});
  return builder.op(ops::Select, {is_negative, shifted, indices});
}

/// Strings are moved by gathers of their positions (moved_strings).
bool has_numbers(ir::Value data) {
  return data.type() != ir::ElementType::string;
}

bool gathers_negative_elements(ir::GatherElementsView gather) {
  return has_numbers(gather.data()) && !are_never_negative(gather.indices());
}

/// The size along `axis`, also of data of unknown rank: i64 [1].
ir::Value size_along(ir::Builder& builder, ir::Value data, std::int64_t axis) {
  if (data.shape().has_rank()) return ir::dimension_of(builder, data, axis);
  const ir::Value sizes = ir::shape_of(builder, data);
  return ir::gather(builder, sizes, builder.integers({axis}));
}

ir::Value gather_elements(ir::Builder& builder, ir::GatherElementsView gather) {
  const ir::Value data = gather.data();
  const ir::Value size = size_along(builder, data, gather.axis());
  const ir::Value indices = count_from_start(builder, gather.indices(), size);
  return ir::clone_with_input(builder, gather, ir::GatherElementsView::Input::indices, indices);
}

bool gathers_negative_rows(ir::GatherNDView gather) {
  const ir::PartialShape& shape = gather.indices().shape();
  return has_numbers(gather.data()) && shape.has_rank() && shape.rank() > 0 &&
         shape[shape.rank() - 1].is_static() && !are_never_negative(gather.indices());
}

ir::Value gather_rows(ir::Builder& builder, ir::GatherNDView gather) {
  const ir::PartialShape& shape = gather.indices().shape();
  const std::int64_t first = gather.batch_dims();
  const std::int64_t count = shape[shape.rank() - 1].size();
  const ir::Value sizes = ir::slice(builder, ir::shape_of(builder, gather.data()), first, first + count, 0);
  const ir::Value indices = count_from_start(builder, gather.indices(), sizes);
  return ir::clone_with_input(builder, gather, ir::GatherNDView::Input::indices, indices);
}

}  // namespace

Workaround count_indices_from_start() {
  return {.stage = Stage::operations,
          .summary = "Adds sizes to negative indices of GatherElements and GatherND",
          .rows = {row<gathers_negative_elements, gather_elements>(Fault::negative_gather_elements,
                                                                   {ops::GatherElements}),
                   row<gathers_negative_rows, gather_rows>(Fault::negative_gather_nd, {ops::GatherND})}};
}

}  // namespace onnx2ir::passes
