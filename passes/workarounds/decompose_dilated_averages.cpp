// Workaround for no_average_dilations: an AvgPool with dilations becomes a Convolution with ones, which sums
// each window, divided by the number of elements that count.
#include <algorithm>
#include <numeric>

#include "ir/views/spatial.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

using ir::Value;

/// The number of elements in a window.
double kernel_size(ir::AvgPoolView pool) {
  const auto kernel = pool.kernel();
  return std::accumulate(kernel.begin(), kernel.end(), 1.0, std::multiplies<>());
}

/// An AvgPool and the values that its decomposition uses.
struct Average {
  ir::Builder& builder;
  ir::AvgPoolView pool;
  Value data;
  std::size_t spatial;
  bool ceil;

  /// Elements [begin, end) of the shape of `value`.
  Value slice_sizes(Value value, std::int64_t begin, std::int64_t end) const {
    const Value shape = ir::compute_shape_of(builder, value);
    const Value stop = builder.integers({end});
    return ir::slice(builder, shape, builder.integers({begin}), stop, 0);
  }
  std::int64_t rank() const { return static_cast<std::int64_t>(spatial) + 2; }

  /// The sum of each window of `value` [n, 1, sizes...]. If the number of windows is rounded up, the last
  /// window may begin after the end of the data.
  Value sum_windows(Value value, const ir::Integers& begins, ir::Integers ends) const {
    const ir::Integers strides = pool.strides().list();
    for (std::size_t i = 0; ceil && i < spatial; ++i) ends[i] += strides[i] - 1;
    ir::Integers filter{1, 1};
    const ir::Integers kernel = pool.kernel().list();
    filter.insert(filter.end(), kernel.begin(), kernel.end());
    const std::vector<double> ones(static_cast<std::size_t>(kernel_size(pool)), 1);
    return builder.op(ops::Convolution, {value, builder.numbers(ones, filter, value.type())},
                      {{"strides", strides.unchecked()},
                       {"dilations", pool.dilations()->list().unchecked()},
                       {"pads_begin", begins.unchecked()},
                       {"pads_end", ends.unchecked()},
                       {"auto_pad", "explicit"}});
  }

  /// The number of elements that count in each window: [1, 1, ...] or a scalar.
  Value count_elements() const {
    const ir::Integers begins = pool.pads_begin().list();
    const ir::Integers ends = pool.pads_end().list();
    const auto is_zero = [](auto pad) { return pad == 0; };
    const bool is_padded = !std::ranges::all_of(begins, is_zero) || !std::ranges::all_of(ends, is_zero);
    const bool counts_pads = !pool.exclude_pad();
    const Value one = builder.number_like(1, data);
    if (!ceil && (counts_pads || !is_padded)) return builder.number_like(kernel_size(pool), data);
    const Value shape = ir::concat(builder, {builder.integers({1, 1}), slice_sizes(data, 2, rank())});
    Value counted = ir::broadcast_to(builder, one, shape);
    if (!counts_pads) return builder.op(ops::Maximum, {sum_windows(counted, begins, ends), one});
    const auto in_front = [](ir::Integers pads) {
      pads.insert(pads.begin(), 2, 0);
      return pads;
    };
    counted = builder.op(ops::Pad,
                         {counted, builder.integers(in_front(begins)), builder.integers(in_front(ends)), one},
                         {{"pad_mode", "constant"}});
    const ir::Integers none(spatial, 0);
    return sum_windows(counted, none, none);
  }

  /// Removes windows that begin in the padding at the end. Only ceil_torch excludes them.
  Value remove_windows_in_padding(Value pooled) const {
    for (std::size_t i = 0; ceil && i < spatial; ++i) {
      const auto axis = static_cast<std::int64_t>(i + 2);
      const std::int64_t stride = pool.strides().list()[i];
      const Value reach = builder.op(
          ops::Add,
          {slice_sizes(data, axis, axis + 1), builder.integers({pool.pads_begin().list()[i] + stride - 1})});
      const Value places =
          builder.op(ops::Divide, {reach, builder.integers({stride})}, {{"m_pythondiv", true}});
      pooled = ir::slice(builder, pooled, builder.integers({0}), places, axis);
    }
    return pooled;
  }

  Value emit() const {
    const Value planes = ir::reduce_keep_dims(builder, ops::ReduceProd, slice_sizes(data, 0, 2), {0});
    const Value flat = ir::reshape(
        builder, data, ir::concat(builder, {planes, builder.integers({1}), slice_sizes(data, 2, rank())}));
    const Value sums = sum_windows(flat, pool.pads_begin().list(), pool.pads_end().list());
    const Value means = remove_windows_in_padding(builder.op(ops::Divide, {sums, count_elements()}));
    return ir::reshape(builder, means,
                       ir::concat(builder, {slice_sizes(data, 0, 2), slice_sizes(means, 2, rank())}));
  }
};

/// The decomposition stores a filter of the size of the kernel: larger ones are those of damaged models.
bool has_small_kernel(ir::AvgPoolView pool) {
  constexpr double kMost = 1 << 24;
  return kernel_size(pool) <= kMost;
}

bool has_dilations(ir::AvgPoolView pool) {
  return pool.dilations() && pool.data().shape().has_rank() && pool.auto_pad() == "explicit" &&
         has_small_kernel(pool);
}

Value decompose(ir::Builder& builder, ir::AvgPoolView pool) {
  const Value data = pool.data();
  return Average{builder, pool, data, data.shape().rank() - 2, pool.rounding_type() == "ceil_torch"}.emit();
}

}  // namespace

Workaround decompose_dilated_averages() {
  return {.stage = Stage::imported,
          .summary = "Decomposes AvgPool with dilations",
          .rows = {row<has_dilations, decompose>(Fault::no_average_dilations, {ops::AvgPool})}};
}

}  // namespace onnx2ir::passes
