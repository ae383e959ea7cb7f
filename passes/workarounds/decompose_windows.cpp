// Workarounds for operations over windows: convolutions with filters of dynamic sizes become products with
// gathered windows, a Col2Im of dynamic sizes adds by index, and AvgPool and LRN become operations that the
// CPU plugin computes correctly.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/portable_math.hpp"
#include "ir/gathered_windows.hpp"
#include "ir/views/groups.hpp"
#include "ir/views/normalization.hpp"
#include "ir/views/spatial.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

using ir::Value;

template <typename View>
ir::WindowSteps steps_of(const View& view, const std::string& auto_pad) {
  return {view.strides().list(), view.dilations().list(), view.pads_begin().list(), view.pads_end().list(),
          auto_pad};
}

bool has_dynamic_filter(ir::AnyConvolutionView convolution) {
  return convolution.data().shape().has_rank() && convolution.filters().shape().has_rank() &&
         !convolution.filters().shape().is_static();
}

Value unfold(ir::Builder& builder, ir::AnyConvolutionView convolution) {
  return ir::unfold_convolution(builder, convolution.data(), convolution.filters(),
                                steps_of(convolution, convolution.auto_pad()),
                                convolution.node().is(ops::GroupConvolution));
}

bool has_dynamic_sizes(ir::Col2ImView col2im) {
  return col2im.data().shape().has_rank(3) &&
         (!ir::exact_values(col2im.output_size()) || !ir::exact_values(col2im.kernel_size()));
}

Value fold(ir::Builder& builder, ir::Col2ImView col2im) {
  const auto gather_elements = [&](Value list) {
    const Value whole = ir::convert(builder, list, ir::ElementType::i64);
    ir::ValueList values;
    for (const std::int64_t i : {0, 1}) values.push_back(ir::gather(builder, whole, builder.integers({i})));
    return values;
  };
  const ir::ValueList sizes = gather_elements(col2im.output_size());
  return ir::fold_columns(builder, col2im.data(), sizes, gather_elements(col2im.kernel_size()),
                          steps_of(col2im, "explicit"));
}

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

/// A Convolution with ones sums each window. The sums are divided by the numbers of elements that count.
Value sum_by_convolution(ir::Builder& builder, ir::AvgPoolView pool) {
  const Value data = pool.data();
  return Average{builder, pool, data, data.shape().rank() - 2, pool.rounding_type() == "ceil_torch"}.emit();
}

/// Whether the LRN is across channels, as that of ONNX is.
bool is_across_channels(ir::LRNView lrn) {
  return ir::exact_values(lrn.axes()) == ir::Integers{1} && lrn.data().shape().has_rank();
}

bool has_even_size(ir::LRNView lrn) {
  return lrn.size() % 2 == 0 && is_across_channels(lrn);
}

bool has_fractional_bias(ir::LRNView lrn) {
  const double bias = lrn.bias();
  return std::trunc(bias) != bias && (lrn.size() % 2 != 0 || !is_across_channels(lrn));
}

/// Factors the bias out: (bias + sum)^beta = bias^beta * (1 + sum / bias)^beta.
Value set_bias_to_one(ir::Builder& builder, ir::LRNView lrn) {
  const double bias = lrn.bias();
  const double beta = lrn.beta();
  const Value y =
      builder.op(ops::LRN, {lrn.data(), lrn.axes()},
                 {{"alpha", lrn.alpha() / bias}, {"beta", beta}, {"bias", 1.0}, {"size", lrn.size()}});
  return builder.op(ops::Multiply, {y, builder.number_like(base::power(bias, -beta), y)});
}

/// Arithmetic with the average of the squares in a window.
Value average_squares(ir::Builder& builder, ir::LRNView lrn) {
  const Value x = lrn.data();
  const std::int64_t size = lrn.size();
  const Value batch = ir::dimension_of(builder, x, 0);
  const Value channels = ir::dimension_of(builder, x, 1);
  const Value squared = builder.op(ops::Multiply, {x, x});
  const Value one = builder.integers({1});
  const Value rest = builder.integers({-1});
  const Value flat = ir::reshape(builder, squared, ir::concat(builder, {batch, one, channels, rest}));
  const std::int64_t before = (size - 1) / 2;
  const Value mean = builder.op(ops::AvgPool, {flat},
                                {{"kernel", std::vector<std::int64_t>{size, 1}},
                                 {"strides", std::vector<std::int64_t>{1, 1}},
                                 {"pads_begin", std::vector<std::int64_t>{before, 0}},
                                 {"pads_end", std::vector<std::int64_t>{size - 1 - before, 0}},
                                 {"exclude-pad", false},
                                 {"auto_pad", "explicit"},
                                 {"rounding_type", "floor"}});
  const Value squares = ir::reshape(builder, mean, ir::shape_of(builder, x));
  const Value scaled = builder.op(ops::Multiply, {squares, builder.number_like(lrn.alpha(), x)});
  const Value base = builder.op(ops::Add, {scaled, builder.number_like(lrn.bias(), x)});
  const Value power = builder.op(ops::Power, {base, builder.number_like(lrn.beta(), x)});
  return builder.op(ops::Divide, {x, power}, {{"m_pythondiv", true}});
}

}  // namespace

Workaround decompose_windows() {
  return {.stage = Stage::imported,
          .summary =
              "Decomposes convolutions with dynamic filters, dynamic Col2Im, AvgPool with dilations, and LRN "
              "of even sizes or with a fractional bias",
          .rows = {row<has_dynamic_sizes, fold>(Fault::col2im_run_time_sizes, {ops::Col2Im}),
                   row<has_dynamic_filter, unfold>(Fault::convolution_dynamic_filter,
                                                   {ops::Convolution, ops::GroupConvolution}),
                   row<has_even_size, average_squares>(Fault::lrn_even_size, {ops::LRN}),
                   row<has_fractional_bias, set_bias_to_one>(Fault::lrn_fractional_bias, {ops::LRN}),
                   row<has_dilations, sum_by_convolution>(Fault::no_average_dilations, {ops::AvgPool})}};
}

}  // namespace onnx2ir::passes
