// Workaround for converted_output_name: OpenVINO removes a conversion to a wider type, or to f16, and back.
// If both results are outputs, the second one gets the names of the first one, too.
#include <algorithm>

#include "ir/views/unary.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

bool is_output(const ir::Output& output) {
  return std::ranges::any_of(output.uses, [](const ir::Use& use) { return use.node->is(ops::Result); });
}

/// Fault::converted_output_name.
bool converts_output_back(ir::ConvertView convert) {
  constexpr ir::ElementType kRemoved[] = {ir::ElementType::f16, ir::ElementType::f64, ir::ElementType::i64};
  const ir::Output& data = convert.data().output();
  return convert.data().node->is(ops::Convert) && std::ranges::count(kRemoved, data.type) > 0 &&
         is_output(data) && is_output(convert.output(0));
}

}  // namespace

Workaround separate_output_conversions() {
  return {
      .name = "separate_output_conversions",
      .stage = Stage::kernels,
      .summary =
          "Keeps OpenVINO from giving the names of one output to another one that is converted from it",
      .rows = {LegalizationRow{
          Fault::converted_output_name, {ops::Convert}, affects<converts_output_back>, separate_from_input}}};
}

}  // namespace onnx2ir::passes
