// Replaces convolutions that the CPU plugin computes wrongly (measured by tests/faults) by larger ones, or
// ones of padded data, that it computes correctly.
#include <algorithm>
#include <array>
#include <vector>

#include "ir/views/groups.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/spatial.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

/// The sizes of the kernel of a convolution with one input channel and at least two spatial axes; no value
/// for others.
std::optional<ir::Integers> kernel_of(ir::ConvolutionView convolution) {
  const auto filter = convolution.filters().shape().sizes();
  if (!filter || filter->size() < 4 || (*filter)[1] != 1) return std::nullopt;
  return ir::Integers(filter->begin() + 2, filter->end());
}

/// The larger one of the pads of the last axis. OpenVINO makes a Pad before the convolution a part of it.
/// A pad that auto_pad computes is smaller than the kernel and does not count.
std::int64_t larger_pad(ir::ConvolutionView convolution, std::size_t last) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;  // larger than any size that fits into memory
  std::int64_t begin = 0;
  std::int64_t end = 0;
  if (convolution.auto_pad() == "explicit") {
    begin = convolution.pads_begin()[last];
    end = convolution.pads_end()[last];
  }
  if (const auto pad = ir::match<ir::PadView>(convolution.data()); pad && pad->pad_mode() == "constant") {
    const auto begins = ir::exact_values(pad->begins());
    const auto ends = ir::exact_values(pad->ends());
    if (begins && ends && !begins->empty() && !ends->empty()) {
      begin = std::clamp(begin, -kMost, kMost) + std::clamp(begins->back(), -kMost, kMost);
      end = std::clamp(end, -kMost, kMost) + std::clamp(ends->back(), -kMost, kMost);
    }
  }
  return std::max(begin, end);
}

/// Fault::convolution_of_one_channel.
bool reads_past_pads(ir::ConvolutionView convolution) {
  const auto kernel = kernel_of(convolution);
  if (!kernel || convolution.filters().shape()[0] != ir::Dimension(1)) return false;
  const auto dilations = convolution.dilations();
  const std::size_t last = kernel->size() - 1;
  const std::int64_t extent = ((*kernel)[last] - 1) * dilations[last] + 1;
  if (larger_pad(convolution, last) > extent) return true;
  return last == 2 && (*kernel)[0] > 1 && dilations[0] != dilations[1];
}

/// Fault::convolution_to_one_column.
bool may_have_one_column(ir::ConvolutionView convolution) {
  const auto kernel = kernel_of(convolution);
  if (!kernel) return false;
  const auto strides = convolution.strides();
  const ir::PartialShape& result = convolution.output(0).shape;
  const std::size_t last = kernel->size() - 1;
  return strides[last - 1] == 1 && strides[last] > 1 && convolution.dilations()[last] == 1 &&
         (*kernel)[last] > 1 && result[last + 2].min <= 1 && result[last + 1].max != 1;
}

/// All but the last element along `axis`.
ir::Value remove_last(ir::Builder& builder, ir::Value value, std::size_t axis) {
  return ir::slice(builder, value, 0, -1, static_cast<std::int64_t>(axis));
}

ir::Value add_second_filter(ir::Builder& builder, ir::ConvolutionView convolution) {
  const ir::Value filters = ir::concat(builder, {convolution.filters(), convolution.filters()}, 0);
  const ir::Value wide =
      ir::clone_with_input(builder, convolution, ir::ConvolutionView::Input::filters, filters);
  return remove_last(builder, wide, 1);
}

/// Adds a second input channel of zeros.
ir::Value add_second_channel(ir::Builder& builder, ir::ConvolutionView convolution) {
  const ir::Value data = convolution.data();
  const ir::Integers none(convolution.filters().shape().rank(), 0);
  ir::Integers one_channel = none;
  one_channel[1] = 1;
  const ir::Value padded = builder.op(
      ops::Pad, {data, builder.integers(none), builder.integers(one_channel), builder.number_like(0, data)},
      {{"pad_mode", "constant"}});
  const std::array inputs = {padded, ir::concat(builder, {convolution.filters(), convolution.filters()}, 1)};
  return builder.clone(convolution, inputs).value();
}

/// Pads the data on the right, so that the result has one more column, which is removed.
ir::Value add_column(ir::Builder& builder, ir::ConvolutionView convolution) {
  const bool is_padded = convolution.auto_pad() == "explicit";
  // The pads that auto_pad computes cannot be extended.
  if (!is_padded && convolution.auto_pad() != "valid") return add_second_channel(builder, convolution);
  const std::size_t axes = convolution.strides().size();
  const ir::Integers begins = is_padded ? convolution.pads_begin().list() : ir::Integers(axes, 0);
  ir::Integers ends = is_padded ? convolution.pads_end().list() : ir::Integers(axes, 0);
  ends.back() += convolution.strides()[axes - 1];
  const ir::Value wide = builder.op(ops::Convolution, {convolution.data(), convolution.filters()},
                                    {{"strides", convolution.strides().list().unchecked()},
                                     {"dilations", convolution.dilations().list().unchecked()},
                                     {"pads_begin", begins.unchecked()},
                                     {"pads_end", ends.unchecked()},
                                     {"auto_pad", "explicit"}});
  return remove_last(builder, wide, axes + 1);
}

/// Fault::unread_columns. The CPU plugin ends the process in a Convolution whose windows read only pads along
/// the last axis. The axis is examined in its least size, not in larger ones.
bool reads_pads_only(ir::AnyConvolutionView convolution) {
  constexpr std::int64_t kMostReads = 4096;
  const ir::PartialShape& data = convolution.data().shape();
  const ir::PartialShape& filters = convolution.filters().shape();
  if (!data.has_rank() || !filters.has_rank() || filters.rank() < 3) return false;
  // Other pads are computed from the sizes, which a Pad would change.
  if (convolution.auto_pad() != "explicit") return false;
  const std::int64_t width = std::max(data[data.rank() - 1].min, std::int64_t{1});
  const ir::Dimension taps = filters[filters.rank() - 1];
  if (taps.is_dynamic()) return false;
  const std::size_t axis = convolution.strides().size() - 1;
  const std::int64_t stride = convolution.strides()[axis];
  const std::int64_t dilation = convolution.dilations()[axis];
  const std::int64_t before = convolution.pads_begin()[axis];
  const std::int64_t after = convolution.pads_end()[axis];
  const auto is_read = [](std::int64_t size) { return size > 0 && size <= kMostReads; };
  if (!is_read(before) || after > kMostReads || !is_read(taps.min) || !is_read(dilation)) return false;
  if (width > kMostReads) return false;
  const std::int64_t last = width + after - 1 - dilation * (taps.min - 1);
  for (std::int64_t start = -before; start <= last; start += stride) {
    for (std::int64_t tap = 0; tap < taps.min; ++tap) {
      const std::int64_t column = start + tap * dilation;
      if (column >= 0 && column < width) return false;
    }
  }
  return true;
}

/// A Pad adds the pads, and a copy keeps OpenVINO from moving them back.
void pad_data(ir::Builder& builder, ir::Node& node) {
  const ir::AnyConvolutionView convolution = node;
  const ir::Value data = convolution.data();
  const std::size_t rank = data.shape().rank();
  ir::Integers begins = convolution.pads_begin().list();
  ir::Integers ends = convolution.pads_end().list();
  std::vector<std::int64_t> added_before(rank, 0);
  std::vector<std::int64_t> added_after(rank, 0);
  added_before.back() = begins.back();
  added_after.back() = ends.back();
  begins.back() = 0;
  ends.back() = 0;
  node.set_attribute({"pads_begin", begins.unchecked()});
  node.set_attribute({"pads_end", ends.unchecked()});
  const ir::Value padded = builder.op(
      ops::Pad,
      {data, builder.integers(added_before), builder.integers(added_after), builder.number_like(0, data)},
      {{"pad_mode", "constant"}});
  node.set_input(ir::AnyConvolutionView::Input::data, copy_opaquely(builder, padded));
}

}  // namespace

Workaround widen_convolutions() {
  return {
      .summary =
          "Adds an output channel, columns or pads to convolutions that the CPU plugin computes wrongly",
      .stages = {
          {Stage::kernels,
           {row<reads_past_pads, add_second_filter>(Fault::convolution_of_one_channel, {ops::Convolution}),
            row<may_have_one_column, add_column>(Fault::convolution_to_one_column, {ops::Convolution}),
            row<reads_pads_only, pad_data>(Fault::unread_columns, kConvolutions)}}}};
}

}  // namespace onnx2ir::passes
