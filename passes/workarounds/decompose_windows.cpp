// Workarounds for operations over windows: convolutions with filters of dynamic sizes become products with
// gathered windows, a Col2Im of dynamic sizes adds by index, and AvgPool and LRN become operations that the
// CPU plugin computes correctly. The pads of a MaxPool with indices are computed.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/portable_math.hpp"
#include "ir/checked_arithmetic.hpp"
#include "ir/gathered_windows.hpp"
#include "ir/small_floats.hpp"
#include "ir/value_ranges.hpp"
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
    ir::Values values;
    for (const std::int64_t i : {0, 1}) values.push_back(ir::gather(builder, whole, builder.integers({i})));
    return values;
  };
  const ir::Values sizes = gather_elements(col2im.output_size());
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
bool has_dilations(ir::AvgPoolView pool) {
  constexpr double kMostElements = 1 << 24;
  return pool.dilations() && pool.data().shape().has_rank() && pool.auto_pad() == "explicit" &&
         kernel_size(pool) <= kMostElements;
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

double least_number(ir::ElementType type) {
  if (const auto limits = ir::integer_limits(type)) return static_cast<double>(limits->min);
  return -ir::largest_finite(type).value_or(0);
}

/// Fault::indexed_pool_auto_pads. The CPU plugin pools without pads if a MaxPool has indices and OpenVINO
/// cannot compute the pads of auto_pad at compile time. With the stride 1 the pads do not depend on the size,
/// and become attributes. Otherwise a Pad adds them to the data, and the indices, which then count the pads,
/// are looked up in a table of the positions of the data that is padded in the same way.
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

Workaround decompose_windows() {
  return {.summary =
              "Decomposes convolutions with dynamic filters, dynamic Col2Im, AvgPool with dilations, and LRN "
              "of even sizes or with a fractional bias, and computes the pads of a MaxPool with indices",
          .stages = {{Stage::imported,
                      {row<has_dynamic_sizes, fold>(Fault::col2im_run_time_sizes, {ops::Col2Im}),
                       row<has_dynamic_filter, unfold>(Fault::convolution_dynamic_filter,
                                                       {ops::Convolution, ops::GroupConvolution}),
                       row<has_even_size, average_squares>(Fault::lrn_even_size, {ops::LRN}),
                       row<has_fractional_bias, set_bias_to_one>(Fault::lrn_fractional_bias, {ops::LRN}),
                       row<has_dilations, sum_by_convolution>(Fault::no_average_dilations, {ops::AvgPool})}},
                     {Stage::operations,
                      {row<has_dynamic_pads, pad_data>(Fault::indexed_pool_auto_pads, {ops::MaxPool})}}}};
}

}  // namespace onnx2ir::passes
