// Operations that slide a window over spatial axes: convolutions and pooling.
#include "ir/views/spatial.hpp"

#include <algorithm>
#include <limits>

#include "ir/checked_arithmetic.hpp"
#include "ir/inference.hpp"
#include "ir/ops/families.hpp"
#include "ir/ops/known_elements.hpp"
#include "ir/size_expression.hpp"
#include "ir/views/groups.hpp"

namespace onnx2ir::ir {
namespace {

/// How a window moves along one axis.
struct AxisWindow {
  std::int64_t kernel;
  std::int64_t stride;
  std::int64_t dilation;
  std::int64_t pad;  ///< sum of both sides
  std::int64_t pad_begin;
};

std::int64_t extent(const AxisWindow& window) {
  return checked_add(checked_multiply(window.kernel - 1, window.dilation), 1);
}

enum class Rounding : std::uint8_t { floor, ceil, ceil_torch };

/// The number of positions of the window on `size` elements.
std::int64_t places(std::int64_t size, const AxisWindow& window, Rounding rounding) {
  const std::int64_t room = checked_subtract(checked_add(size, window.pad), extent(window));
  if (room < 0) return -1;
  std::int64_t last = room / window.stride;
  if (rounding != Rounding::floor && room % window.stride != 0) ++last;
  // A window that begins in the padding at the end does not count.
  if (rounding == Rounding::ceil_torch &&
      checked_multiply(last, window.stride) >= checked_add(size, window.pad_begin))
    --last;
  return checked_add(last, 1);
}

/// (size + `added`) / `stride` + `more`, rounded down; null if nothing is known of the size.
Size strides_in(const Dimension& size, std::int64_t added, std::int64_t stride, std::int64_t more) {
  if (size.expression() == nullptr) return nullptr;
  SizeTable& table = *size.expression()->table;
  const Size room = table.sum(size.expression(), table.constant(added));
  return table.sum(table.floor_quotient(room, table.constant(stride)), table.constant(more));
}

/// size * `stride` + `added`; null if nothing is known of the size.
Size spread_over(const Dimension& size, std::int64_t stride, std::int64_t added) {
  if (size.expression() == nullptr) return nullptr;
  SizeTable& table = *size.expression()->table;
  return table.sum(table.product(size.expression(), table.constant(stride)), table.constant(added));
}

/// The runtime rejects axes on which the window has no place.
Dimension window_positions(Dimension size, const AxisWindow& window, Rounding rounding) {
  if (size.is_static()) {
    const std::int64_t count = places(size.size(), window, rounding);
    require(count >= 0, "the window is larger than the padded input");
    return count;
  }
  const Dimension positions = mapped(
      size, [&](std::int64_t length) { return std::max<std::int64_t>(places(length, window, rounding), 1); });
  if (rounding != Rounding::floor) return positions;
  return positions.with_expression(
      strides_in(size, checked_subtract(window.pad, extent(window)), window.stride, 1));
}

Dimension same_padded(Dimension size, std::int64_t stride) {
  const Dimension result = mapped(
      size, [&](std::int64_t length) { return checked_divide(checked_add(length, stride - 1), stride); });
  return result.is_static() ? result : result.with_expression(strides_in(size, stride - 1, stride, 0));
}

bool is_same(const Node& node) {
  return node.text("auto_pad") == "same_upper" || node.text("auto_pad") == "same_lower";
}

/// Infers the spatial sizes of the output of a sliding window from strides, dilations and pads of the node.
void slide(const Node& node, Dimensions& result, const PartialShape& data, std::span<const Dimension> kernel,
           Rounding rounding) {
  const auto& strides = node.integers("strides");
  const auto& begins = node.integers("pads_begin");
  const auto& ends = node.integers("pads_end");
  const bool is_dilated = node.has_attribute("dilations");
  for (std::size_t i = 0; i + 2 < data.rank(); ++i) {
    const Dimension size = data[i + 2];
    if (is_same(node)) {
      result.push_back(same_padded(size, strides[i]));
    } else if (kernel[i].is_dynamic()) {
      result.emplace_back();
    } else {
      const std::int64_t dilation = is_dilated ? node.integers("dilations")[i] : 1;
      const bool valid = node.text("auto_pad") == "valid";
      const std::int64_t begin = valid ? 0 : begins[i];
      const std::int64_t end = valid ? 0 : ends[i];
      result.push_back(window_positions(
          size, {kernel[i].size(), strides[i], dilation, checked_add(begin, end), begin}, rounding));
    }
  }
}

/// Checks the lists that the operation has.
void check_lists(const Node& node, std::size_t spatial) {
  constexpr std::int64_t kMost =
      std::numeric_limits<std::int32_t>::max();  // as in the kernels of the runtime
  for (const AttributeName name : std::initializer_list<AttributeName>{"strides", "dilations", "pads_begin",
                                                                       "pads_end", "output_padding"}) {
    if (node.has_attribute(name) && node.integers(name).size() != spatial) {
      invalid(std::string(name.text()) + " needs one value for each of the " + std::to_string(spatial) +
              " spatial axes");
    }
  }
  for (const AttributeName name : std::initializer_list<AttributeName>{"strides", "dilations", "kernel"}) {
    const auto is_invalid = [](std::int64_t step) { return step <= 0 || step > kMost; };
    if (node.has_attribute(name) && std::ranges::any_of(node.integers(name), is_invalid))
      invalid(std::string(name.text()) + " must be between 1 and " + std::to_string(kMost));
  }
}

/// Whether the filters begin with an axis of groups.
bool is_grouped(const Node& node) {
  return node.is_one_of({ops::GroupConvolution, ops::GroupConvolutionBackpropData});
}

/// The batch and the channels of the output. `inputs` and `outputs` are the axes of the channels in filters
/// without groups. If the rank of input or filter is dynamic, so is the output, and there is no value.
std::optional<Dimensions> batch_and_channels(Node& node, std::size_t inputs, std::size_t outputs) {
  const ElementType type = same_type(node, 0, 2);
  const PartialShape& data = node.input(0).shape();
  const PartialShape& filter = node.input(1).shape();
  if (!data.has_rank() || !filter.has_rank()) {
    set_output(node, 0, type, PartialShape::unknown_rank());
    return std::nullopt;
  }
  const bool grouped = is_grouped(node);
  if (data.rank() < 3 || filter.rank() != data.rank() + (grouped ? 1 : 0))
    invalid("input of shape " + to_string(data) + " and filter of shape " + to_string(filter) +
            " do not fit");
  check_lists(node, data.rank() - 2);
  const auto channels = [&](std::size_t axis) {
    return grouped ? multiply(filter[0], filter[axis + 1]) : filter[axis];
  };
  if (const Dimension taken = channels(inputs); !intersect(data[1], taken))
    invalid("the input has " + to_string(data[1]) + " channels, the filter takes " + to_string(taken));
  return Dimensions{data[0], channels(outputs)};
}

/// The sizes of the filters along the spatial axes.
std::span<const Dimension> kernel_of(const Node& node) {
  return node.input(1).shape().dimensions().subspan(is_grouped(node) ? 3 : 2);
}

/// Filters [O, I, k...], or [G, O, I, k...].
void infer_convolution(Node& node) {
  const Value data = node.input(0);
  auto result = batch_and_channels(node, 1, 0);
  if (!result) return;
  slide(node, *result, data.shape(), kernel_of(node), Rounding::floor);
  set_output(node, 0, data.type(), PartialShape(*std::move(result)));
}

/// Filters [I, O, k...], or [G, I, O, k...]. The optional input 2 is the spatial shape of the output.
void infer_convolution_backprop(Node& node) {
  const PartialShape& data = node.input(0).shape();
  const ElementType type = node.input(0).type();
  auto sizes_of_output = batch_and_channels(node, 0, 1);
  if (!sizes_of_output) return;
  Dimensions& result = *sizes_of_output;
  const std::size_t spatial = data.rank() - 2;
  if (node.inputs().size() > 2) {
    const auto sizes = known_integers(node, 2);
    for (std::size_t i = 0; i < spatial; ++i) {
      result.push_back(sizes && i < sizes->size() ? to_dimension((*sizes)[i]) : Dimension());
    }
    return set_output(node, 0, type, PartialShape(std::move(result)));
  }
  const auto& strides = node.integers("strides");
  const auto& dilations = node.integers("dilations");
  const auto& begins = node.integers("pads_begin");
  const auto& ends = node.integers("pads_end");
  const auto& more = node.integers("output_padding");
  for (std::size_t i = 0; i < spatial; ++i) {
    const Dimension size = data[i + 2];
    const Dimension kernel = kernel_of(node)[i];
    if (kernel.is_dynamic()) {
      result.emplace_back();
      continue;
    }
    const std::int64_t reach = checked_add(checked_multiply(kernel.size() - 1, dilations[i]), 1);
    const std::int64_t added = checked_subtract(checked_add(reach, more[i]), checked_add(begins[i], ends[i]));
    const auto spread = [&](std::int64_t value) {
      return std::max<std::int64_t>(checked_add(checked_multiply(value - 1, strides[i]), added), 0);
    };
    // The runtime takes an axis of dynamic size for one that is not empty.
    const std::int64_t least = size.is_static() ? size.min : std::max<std::int64_t>(size.min, 1);
    const Dimension spread_size = mapped({least, size.max}, spread);
    result.push_back(spread_size.min == 0 ? spread_size
                                          : spread_size.with_expression(spread_over(
                                                size, strides[i], checked_subtract(added, strides[i]))));
  }
  set_output(node, 0, type, PartialShape(std::move(result)));
}

Rounding rounding_of(const Node& node) {
  const std::string& text = node.text("rounding_type");
  return text == "floor" ? Rounding::floor : text == "ceil" ? Rounding::ceil : Rounding::ceil_torch;
}

void infer_pool(Node& node) {
  const AnyPoolView any_pool = node;
  const PartialShape& data = any_pool.data().shape();
  PartialShape result;
  if (data.has_rank()) {
    const auto& kernel = any_pool.kernel();
    if (data.rank() < 3 || kernel.size() != data.rank() - 2)
      invalid("kernel and input of shape " + to_string(data) + " do not fit");
    check_lists(node, kernel.size());
    const Dimensions window(kernel.begin(), kernel.end());
    Dimensions dimensions{data[0], data[1]};
    slide(node, dimensions, data, window, rounding_of(node));
    result = PartialShape(std::move(dimensions));
  }
  set_output(node, 0, any_pool.data().type(), result);
  if (node.outputs().size() == 1) return;
  const ElementType index_type = node.type("index_element_type");
  require_index_type(index_type);
  set_output(node, 1, index_type, result);
}

void infer_deformable_convolution(Node& node) {
  const DeformableConvolutionView deformable_convolution = node;
  const PartialShape& data = deformable_convolution.data().shape();
  const PartialShape& filter = deformable_convolution.filters().shape();
  const ElementType type = deformable_convolution.data().type();
  if (!data.has_rank() || !filter.has_rank()) return set_output(node, 0, type, PartialShape::of_rank(4));
  check_lists(node, 2);
  Dimensions result{data[0], filter[0]};
  slide(node, result, data, filter.dimensions().subspan(2), Rounding::floor);
  set_output(node, 0, type, PartialShape(std::move(result)));
}

/// [N, C * kernel, L] to [N, C, output size].
void infer_col2im(Node& node) {
  const Col2ImView col2_im = node;
  const PartialShape& data = col2_im.data().shape();
  for (const std::size_t list : {1, 2}) {
    const auto count = node.input(list).shape().element_count();
    require(!count || *count == 2, "Col2Im: image and block need two sizes each");
  }
  const auto sizes = known_integers(node, 1);
  const auto kernel = exact_values(col2_im.kernel_size());
  Dimensions result(4);
  if (data.has_rank() && data.rank() == 3) {
    result[0] = data[0];
    if (kernel && kernel->size() == 2 && data[1].is_static())
      result[1] = checked_divide(data[1].size(), checked_multiply((*kernel)[0], (*kernel)[1]));
  }
  for (std::size_t i = 0; sizes && i < 2; ++i) result[2 + i] = to_dimension((*sizes)[i]);
  set_output(node, 0, col2_im.data().type(), PartialShape(std::move(result)));
}

}  // namespace

std::vector<OpFunction> spatial_functions() {
  return {
      {{ops::Convolution, ops::GroupConvolution}, infer_convolution},
      {{ops::ConvolutionBackpropData, ops::GroupConvolutionBackpropData}, infer_convolution_backprop},
      {{ops::MaxPool, ops::AvgPool}, infer_pool},
      {ops::DeformableConvolution, infer_deformable_convolution},
      {ops::Col2Im, infer_col2im},
  };
}

}  // namespace onnx2ir::ir
