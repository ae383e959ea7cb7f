// Workaround for indexed_pool_auto_pads: the CPU plugin pools without pads if a MaxPool has indices and
// OpenVINO cannot compute the pads of auto_pad at compile time. With the stride 1 the pads do not depend on
// the size, and become attributes. Otherwise a Pad adds them to the data, and the indices, which then count
// the pads, are looked up in a table of the positions of the data that is padded in the same way.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "ir/checked_arithmetic.hpp"
#include "ir/small_floats.hpp"
#include "ir/value_ranges.hpp"
#include "ir/views/spatial.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

double least_number(ir::ElementType type) {
  if (const auto limits = ir::integer_limits(type)) return static_cast<double>(limits->min);
  return -ir::largest_finite(type).value_or(0);
}

bool has_dynamic_pads(ir::MaxPoolView pool) {
  if (pool.auto_pad() != "same_upper" && pool.auto_pad() != "same_lower") return false;
  if (pool.node().outputs().size() < 2 || pool.output(1).uses.empty()) return false;
  const ir::PartialShape& shape = pool.data().shape();
  if (!shape.has_rank(pool.kernel().size() + 2)) return false;
  return std::any_of(shape.begin() + 2, shape.end(),
                     [](const ir::Dimension& size) { return size.is_dynamic(); });
}

/// The distance from the first to the last element of a window along a spatial axis, plus 1.
std::int64_t extent_of(ir::MaxPoolView pool, std::size_t axis) {
  return ir::checked_add(ir::checked_multiply(pool.kernel()[axis] - 1, pool.dilations()[axis]), 1);
}

struct Pads {
  ir::Value begins;
  ir::Value ends;
};

/// The pads of all axes, computed from the sizes of the data: i64 [rank].
Pads compute_pads(ir::Builder& builder, ir::MaxPoolView pool, ir::Value shape) {
  const auto rank = static_cast<std::int64_t>(pool.data().shape().rank());
  const ir::Integers strides = pool.strides().list();
  std::vector<std::int64_t> reaches;  // beyond the stride
  for (std::size_t i = 0; i < strides.size(); ++i) reaches.push_back(extent_of(pool, i) - strides[i]);
  const auto divide = [&](ir::Value value, ir::Value divisor) {
    return builder.op(ops::Divide, {value, divisor}, {{"m_pythondiv", true}});
  };
  const ir::Value sizes = ir::slice(builder, shape, 2, rank, 0);
  const ir::Value one = builder.integer(1);
  const ir::Value two = builder.integer(2);
  const ir::Value steps = builder.integers(strides.unchecked());
  // The last window begins at (places - 1) * stride.
  const ir::Value more = builder.op(ops::Subtract, {steps, one});
  const ir::Value places = divide(builder.op(ops::Add, {sizes, more}), steps);
  const ir::Value end =
      builder.op(ops::Add, {builder.op(ops::Multiply, {places, steps}), builder.integers(reaches)});
  const ir::Value total =
      builder.op(ops::Maximum, {builder.op(ops::Subtract, {end, sizes}), builder.integer(0)});
  const ir::Value smaller = divide(total, two);
  const ir::Value larger = divide(builder.op(ops::Add, {total, one}), two);
  const ir::Value none = builder.integers({0, 0});
  const bool upper = pool.auto_pad() == "same_upper";
  return {ir::concat(builder, {none, upper ? smaller : larger}),
          ir::concat(builder, {none, upper ? larger : smaller})};
}

/// Sets the pads as attributes if they do not depend on dynamic sizes. Returns whether it did.
bool set_static_pads(ir::Node& node) {
  const ir::MaxPoolView pool(node);
  ir::Integers begins;
  ir::Integers ends;
  for (std::size_t i = 0; i < pool.kernel().size(); ++i) {
    const ir::Dimension size = pool.data().shape()[i + 2];
    const std::int64_t stride = pool.strides()[i];
    if (size.is_dynamic() && stride != 1) return false;
    // The remainder of the size by the stride decides.
    const std::int64_t rest = size.is_dynamic() ? 0 : size.size() % stride;
    const std::int64_t last = rest == 0 ? stride : rest;
    const std::int64_t total = std::max<std::int64_t>(extent_of(pool, i) - last, 0);
    const std::int64_t smaller = total / 2;
    const bool upper = pool.auto_pad() == "same_upper";
    begins.push_back(upper ? smaller : total - smaller);
    ends.push_back(upper ? total - smaller : smaller);
  }
  node.set_attribute({"pads_begin", begins.unchecked()});
  node.set_attribute({"pads_end", ends.unchecked()});
  node.set_attribute({"auto_pad", "explicit"});
  return true;
}

/// `indices` into the padded data as indices into the data. Pads have the position of the nearest element,
/// which is the first element of a window that begins with pads: MaxPool returns the first maximum.
ir::Value remove_pads(ir::Builder& builder, ir::Value indices, ir::Value shape, const Pads& pads,
                      std::int64_t axis, std::int64_t rank) {
  const auto select_counted = [&](ir::Value list) {
    return axis == 0 ? list : ir::slice(builder, list, axis, rank, 0);
  };
  const ir::Value sizes = select_counted(shape);
  const ir::Value count = ir::reduce(builder, ops::ReduceProd, sizes, {0});
  const ir::Value positions = ir::reshape(builder, ir::emit_range(builder, count), sizes);
  const ir::Value padded = builder.op(
      ops::Pad, {positions, select_counted(pads.begins), select_counted(pads.ends), builder.integer(0)},
      {{"pad_mode", "edge"}});
  const ir::Value table = ir::convert(builder, ir::flatten(builder, padded), indices.type());
  return ir::gather(builder, table, indices);
}

void pad_data(ir::Builder& builder, ir::Node& node) {
  if (set_static_pads(node)) return;
  const ir::MaxPoolView pool(node);
  const ir::Value data = pool.data();
  const auto rank = static_cast<std::int64_t>(data.shape().rank());
  const std::int64_t axis = pool.axis() < 0 ? pool.axis() + rank : pool.axis();
  const ir::Value shape = ir::compute_shape_of(builder, data);
  const Pads pads = compute_pads(builder, pool, shape);
  const ir::Value least = builder.number_like(least_number(data.type()), data);
  const ir::Value padded =
      builder.op(ops::Pad, {data, pads.begins, pads.ends, least}, {{"pad_mode", "constant"}});
  const std::vector<std::int64_t> none(pool.kernel().size(), 0);
  node.set_attribute({"pads_begin", none});
  node.set_attribute({"pads_end", none});
  node.set_attribute({"auto_pad", "explicit"});
  node.set_input(ir::MaxPoolView::Input::data, padded);
  const ir::Value indices = node.value(1);
  const std::vector<ir::Use> uses(indices.output().uses.begin(), indices.output().uses.end());
  ir::replace_uses(uses, indices, remove_pads(builder, indices, shape, pads, axis, rank));
}

}  // namespace

Workaround pad_indexed_pools() {
  return {.stage = Stage::operations,
          .summary = "Computes the pads of a MaxPool with indices",
          .rows = {row<has_dynamic_pads, pad_data>(Fault::indexed_pool_auto_pads, {ops::MaxPool})}};
}

}  // namespace onnx2ir::passes
