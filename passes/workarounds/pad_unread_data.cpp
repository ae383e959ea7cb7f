// Workaround for unread_columns: the CPU plugin ends the process in a Convolution whose windows read only
// pads along the last axis. Here a Pad adds them, and a copy keeps OpenVINO from moving them back.
#include <algorithm>
#include <vector>

#include "ir/views/groups.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/support/run_time_values.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether no window reads an element of the data along the last axis, if that has its least size. Larger
/// sizes are not examined.
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

Workaround pad_unread_data() {
  return {.stage = Stage::kernels,
          .summary = "Pads the data before a Convolution that reads only pads",
          .rows = {row<reads_pads_only, pad_data>(Fault::unread_columns, kConvolutions)}};
}

}  // namespace onnx2ir::passes
