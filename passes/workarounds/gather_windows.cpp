// Workarounds for convolution_dynamic_filter and col2im_run_time_sizes: a convolution with a filter of
// dynamic sizes becomes a product with gathered windows, and a Col2Im of dynamic sizes adds by index.
#include "ir/gathered_windows.hpp"
#include "ir/views/groups.hpp"
#include "ir/views/spatial.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

template <typename View>
ir::WindowSteps steps_of(const View& view, const std::string& auto_pad) {
  return {view.strides().list(), view.dilations().list(), view.pads_begin().list(), view.pads_end().list(),
          auto_pad};
}

bool has_dynamic_filter(ir::AnyConvolutionView convolution) {
  return convolution.data().shape().has_rank() && convolution.filters().shape().has_rank() &&
         !convolution.filters().shape().is_static();
}

ir::Value unfold(ir::Builder& builder, ir::AnyConvolutionView convolution) {
  return ir::unfold_convolution(builder, convolution.data(), convolution.filters(),
                                steps_of(convolution, convolution.auto_pad()),
                                convolution.node().is(ops::GroupConvolution));
}

bool has_dynamic_sizes(ir::Col2ImView col2im) {
  return col2im.data().shape().has_rank(3) &&
         (!ir::exact_values(col2im.output_size()) || !ir::exact_values(col2im.kernel_size()));
}

ir::Value fold(ir::Builder& builder, ir::Col2ImView col2im) {
  const auto gather_elements = [&](ir::Value list) {
    const ir::Value whole = ir::convert(builder, list, ir::ElementType::i64);
    ir::ValueList values;
    for (const std::int64_t i : {0, 1}) values.push_back(ir::gather(builder, whole, builder.integers({i})));
    return values;
  };
  const ir::ValueList sizes = gather_elements(col2im.output_size());
  return ir::fold_columns(builder, col2im.data(), sizes, gather_elements(col2im.kernel_size()),
                          steps_of(col2im, "explicit"));
}

}  // namespace

Workaround gather_windows() {
  return {.stage = Stage::imported,
          .summary = "Decomposes convolutions with filters of dynamic sizes, and Col2Im of dynamic sizes",
          .rows = {row<has_dynamic_sizes, fold>(Fault::col2im_run_time_sizes, {ops::Col2Im}),
                   row<has_dynamic_filter, unfold>(Fault::convolution_dynamic_filter,
                                                   {ops::Convolution, ops::GroupConvolution})}};
}

}  // namespace onnx2ir::passes
