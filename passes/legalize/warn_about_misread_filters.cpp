// On CPUs with AMX, the kernel of a Convolution of a few pixels reads sums of the filters from the memory
// after the filters. The sums correct the zero point of the data. If the first inference has a larger image,
// OpenVINO stores the filters without the sums, for another kernel, and keeps them (misread_filters). No IR
// is known that avoids this and is as fast on other CPUs: without the zero point, a Pad would have to add the
// pads. Padded filters of one column and of few channels are misread in the first inference, too, for images
// of certain widths, such as 16, 32 and 100.
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ir/views/elementwise.hpp"
#include "ir/views/quantization.hpp"
#include "ir/views/spatial.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// Results of more pixels, of one image, are right: the largest wrong ones in 288 convolutions had six.
constexpr std::int64_t kMostPixels = 8;

/// Whether the integers have a zero point for the plugin: a FakeQuantize whose numbers may be negative, or
/// integers with a sign. Inputs of the type u8 were right in all experiments.
bool may_be_negative(const ir::Node& integers) {
  if (const ir::Node* const quantization = quantization_of(integers))
    return ir::exact_number(ir::FakeQuantizeView(*quantization).output_low()) != 0.0;
  return std::ranges::none_of(integers.inputs(), [](ir::Value part) {
    const auto numbers = converted_integers(part);
    return numbers && numbers->integers.type() == ir::ElementType::u8;
  });
}

/// Whether a run may give `image`, [batch, channels, sizes...], few pixels, and another run other sizes.
bool may_be_small(const ir::PartialShape& image) {
  if (!image.has_rank()) return true;
  std::int64_t fewest = 1;
  bool is_dynamic = false;
  for (std::size_t axis = 2; axis < image.rank(); ++axis) {
    fewest =
        std::min(fewest * std::clamp<std::int64_t>(image[axis].min, 1, kMostPixels + 1), kMostPixels + 1);
    is_dynamic = is_dynamic || image[axis].is_dynamic();
  }
  return is_dynamic && fewest <= kMostPixels;
}

/// Whether the convolution has pads and filters [outputs, channels, rows, columns] of one column and several
/// rows. In the experiments, those of 4, 8, 12, 16 and 20 channels were wrong.
bool have_padded_column(ir::ConvolutionView convolution) {
  constexpr std::int64_t kMostChannels = 20;
  constexpr std::int64_t kVector = 4;
  const auto filters = convolution.filters().shape().sizes();
  const auto is_pad = [](std::int64_t size) { return size != 0; };
  return filters && filters->size() == 4 && (*filters)[3] == 1 && (*filters)[2] > 1 &&
         (*filters)[1] <= kMostChannels && (*filters)[1] % kVector == 0 &&
         (std::ranges::any_of(convolution.pads_begin(), is_pad) ||
          std::ranges::any_of(convolution.pads_end(), is_pad));
}

bool may_misread_filters(ir::ConvolutionView convolution) {
  const ir::Node* const integers = integers_of(*convolution.data().node);
  return integers != nullptr && may_be_negative(*integers) && dequantized_weights(convolution.filters()) &&
         (may_be_small(convolution.output(0).shape) || have_padded_column(convolution));
}

}  // namespace

bool warn_about_misread_filters(ir::Model& model, PassContext& context) {
  std::vector<std::string> notes;
  for (const ir::Node* node : nodes_of(model, {ops::Convolution})) {
    if (may_misread_filters(*node)) notes.push_back(fmt::format("Convolution '{}'", node->name));
  }
  context.warn(
      {DiagnosticCode::misread_filters,
       fmt::format("on CPUs with AMX, OpenVINO may compute {} quantised convolution{} wrongly, or crash, if "
                   "the result has a few pixels and an earlier run had a larger one, or the filters have one "
                   "column",
                   notes.size(), notes.size() == 1 ? "" : "s"),
       "if the model runs on such CPUs with such images, give its inputs static or larger sizes with "
       "--input, convert with --quantization exact, or set ONEDNN_MAX_CPU_ISA=AVX512_CORE_VNNI"},
      notes);
  return false;
}

}  // namespace onnx2ir::passes
