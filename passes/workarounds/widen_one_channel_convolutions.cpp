// Replaces convolutions of one input channel that the CPU plugin computes wrongly (measured by tests/faults)
// by larger ones that it computes correctly, and slices the result.
#include <algorithm>

#include "ir/known_values.hpp"
#include "ir/shape_tools.hpp"
#include "ir/views/joining.hpp"
#include "ir/views/spatial.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

using Sizes = ir::Integers;

struct Convolution {
  ir::Value data;
  ir::Value filter;
  Sizes kernel;
  Sizes strides;
  Sizes dilations;
  Sizes pads_begin;
  Sizes pads_end;
  std::string auto_pad;
};

/// The convolution of `node` if it has one input channel and at least two spatial axes; no value otherwise.
std::optional<Convolution> one_channel_convolution(ir::ConvolutionView convolution) {
  const auto filter = convolution.filters().shape().sizes();
  if (!filter || filter->size() < 4 || (*filter)[1] != 1) return std::nullopt;
  return Convolution{.data = convolution.data(),
                     .filter = convolution.filters(),
                     .kernel = Sizes(filter->begin() + 2, filter->end()),
                     .strides = convolution.strides().list(),
                     .dilations = convolution.dilations().list(),
                     .pads_begin = convolution.pads_begin().list(),
                     .pads_end = convolution.pads_end().list(),
                     .auto_pad = convolution.auto_pad()};
}

/// The larger one of the pads of the last axis. OpenVINO makes a Pad before the convolution a part of it.
/// A pad that auto_pad computes is smaller than the kernel and does not count.
std::int64_t larger_pad(const Convolution& convolution) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;  // larger than any size that fits into memory
  std::int64_t begin = 0;
  std::int64_t end = 0;
  if (convolution.auto_pad == "explicit") {
    begin = convolution.pads_begin[convolution.kernel.size() - 1];
    end = convolution.pads_end[convolution.kernel.size() - 1];
  }
  if (const auto pad = ir::match<ir::PadView>(convolution.data); pad && pad->pad_mode() == "constant") {
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
bool needs_second_filter(const Convolution& convolution) {
  if (convolution.filter.shape()[0] != ir::Dimension(1)) return false;
  const std::size_t last = convolution.kernel.size() - 1;
  const std::int64_t extent = (convolution.kernel[last] - 1) * convolution.dilations[last] + 1;
  if (larger_pad(convolution) > extent) return true;
  return last == 2 && convolution.kernel[0] > 1 && convolution.dilations[0] != convolution.dilations[1];
}

/// Fault::convolution_to_one_column.
bool may_have_one_column(const Convolution& convolution, const ir::PartialShape& result) {
  const std::size_t last = convolution.kernel.size() - 1;
  return convolution.strides[last - 1] == 1 && convolution.strides[last] > 1 &&
         convolution.dilations[last] == 1 && convolution.kernel[last] > 1 && result[last + 2].min <= 1 &&
         result[last + 1].max != 1;
}

ir::Value emit(ir::Builder& builder, const Convolution& convolution) {
  return builder.op(ops::Convolution, {convolution.data, convolution.filter},
                    {{"strides", convolution.strides.unchecked()},
                     {"dilations", convolution.dilations.unchecked()},
                     {"pads_begin", convolution.pads_begin.unchecked()},
                     {"pads_end", convolution.pads_end.unchecked()},
                     {"auto_pad", convolution.auto_pad}});
}

/// Adds a second input channel of zeros.
void add_channel(ir::Builder& builder, Convolution& convolution) {
  const Sizes none(convolution.kernel.size() + 2, 0);
  Sizes one_channel = none;
  one_channel[1] = 1;
  convolution.data = builder.op(ops::Pad,
                                {convolution.data, builder.integers(none), builder.integers(one_channel),
                                 builder.number_like(0, convolution.data)},
                                {{"pad_mode", "constant"}});
  convolution.filter = ir::concat(builder, {convolution.filter, convolution.filter}, 1);
}

/// Pads the data on the right, so that the result has one more column.
void add_column(Convolution& convolution) {
  if (convolution.auto_pad == "valid") {
    convolution.auto_pad = "explicit";
    convolution.pads_begin.assign(convolution.kernel.size(), 0);
    convolution.pads_end.assign(convolution.kernel.size(), 0);
  }
  convolution.pads_end.back() += convolution.strides.back();
}

/// All but the last element along `axis`.
ir::Value without_last(ir::Builder& builder, ir::Value value, std::size_t axis) {
  return ir::slice(builder, value, 0, -1, static_cast<std::int64_t>(axis));
}

bool reads_past_pads(const ir::Node& node) {
  const auto convolution = one_channel_convolution(node);
  return convolution && needs_second_filter(*convolution);
}

ir::Value with_second_filter(ir::Builder& builder, const ir::Node& node) {
  auto convolution = *one_channel_convolution(node);
  convolution.filter = ir::concat(builder, {convolution.filter, convolution.filter}, 0);
  return without_last(builder, emit(builder, convolution), 1);
}

bool may_have_one_column(const ir::Node& node) {
  const auto convolution = one_channel_convolution(node);
  return convolution && may_have_one_column(*convolution, node.output(0).shape);
}

ir::Value with_more_columns(ir::Builder& builder, const ir::Node& node) {
  auto convolution = *one_channel_convolution(node);
  // The pads that auto_pad computes cannot be extended.
  if (convolution.auto_pad != "explicit" && convolution.auto_pad != "valid") {
    add_channel(builder, convolution);
    return emit(builder, convolution);
  }
  add_column(convolution);
  return without_last(builder, emit(builder, convolution), convolution.kernel.size() + 1);
}

}  // namespace

Workaround widen_one_channel_convolutions() {
  return {.name = "widen_one_channel_convolutions",
          .stage = Stage::kernels,
          .summary =
              "Adds an output channel or column to convolutions of one channel that the CPU plugin computes "
              "wrongly",
          .rows = {row(Fault::convolution_of_one_channel, {ops::Convolution}, reads_past_pads,
                       replace<with_second_filter>),
                   row(Fault::convolution_to_one_column, {ops::Convolution}, may_have_one_column,
                       replace<with_more_columns>)}};
}

}  // namespace onnx2ir::passes
