#include "backend_xml/iterator_trip_count.hpp"

#include "backend_xml/xml_values.hpp"
#include "ir/checked_arithmetic.hpp"
#include "ir/control_flow.hpp"
#include "ir/inference.hpp"
#include "ir/shape_tools.hpp"

namespace onnx2ir::backend_xml {
namespace {

/// The length of the slices: `of_size` times the size of the axis, plus `fixed`.
struct Length {
  std::int64_t of_size;
  std::int64_t fixed;
};

Length length_of(const ir::Slices& slices) {
  // A negative bound counts from the end: -1 is after the last element.
  const auto bound = [](std::int64_t value) { return value < 0 ? Length{1, value + 1} : Length{0, value}; };
  const Length start = bound(slices.start);
  const Length end = bound(slices.end);
  const Length from = slices.stride < 0 ? end : start;
  const Length to = slices.stride < 0 ? start : end;
  return {to.of_size - from.of_size, ir::checked_subtract(to.fixed, from.fixed)};
}

std::int64_t magnitude(std::int64_t value) {
  return value < 0 ? ir::checked_subtract(0, value) : value;
}

}  // namespace

ir::Value iterator_trip_count(ir::Builder& builder, const ir::LoopBody& body,
                              const std::vector<ir::Value>& inputs) {
  if (body.sliced.empty()) {
    if (body.scans.empty()) return builder.integer(1);
    const Length length = length_of(body.scans.front());
    const std::int64_t part = magnitude(body.scans.front().part_size);
    if (length.of_size != 0 || part == 0)
      refuse("a TensorIterator does not state the number of its iterations");
    return builder.integer(length.fixed / part);
  }
  const ir::Sliced& sliced = body.sliced.front();
  const Length length = length_of(sliced);
  const std::int64_t step = magnitude(sliced.stride);
  if (step == 0 || length.of_size < 0) refuse("the slices of a TensorIterator have no direction");
  const ir::Value input = inputs[sliced.input - ir::LoopView::kFirstMapped];
  if (length.of_size == 0) return builder.integer(length.fixed / step);
  if (!input.shape().has_rank()) refuse("a TensorIterator slices a value of dynamic rank");
  const auto axis = static_cast<std::int64_t>(ir::normalize_axis(sliced.axis, input.shape().rank()));
  const ir::Dimension& size = input.shape()[static_cast<std::size_t>(axis)];
  if (size.is_static()) return builder.integer(ir::checked_add(size.size(), length.fixed) / step);
  ir::Value count = ir::dimension_of(builder, input, axis);
  const auto with = [&](ir::Op op, std::int64_t operand) {
    count = builder.op(op, {count, builder.integer(operand)});
  };
  if (length.fixed != 0) with(ops::Add, length.fixed);
  if (step != 1) with(ops::Divide, step);
  return count;
}

}  // namespace onnx2ir::backend_xml
