// Workaround for converted_output_name: OpenVINO removes a conversion to a type that the CPU plugin computes
// with the numbers of another one, such as f16 or i64, and back. If both results are outputs, the second one
// gets the names of the first one, too.

#include "ir/views/unary.hpp"
#include "passes/analysis/uses.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

/// The type in which the CPU plugin computes numbers of `type`.
ir::ElementType computed_type(ir::ElementType type) {
  using ir::ElementType;
  switch (type) {
    case ElementType::f16:
    case ElementType::f64:
      return ElementType::f32;
    case ElementType::i16:
    case ElementType::i64:
    case ElementType::u16:
    case ElementType::u32:
    case ElementType::u64:
      return ElementType::i32;
    case ElementType::boolean:
      return ElementType::u8;
    default:
      return type;
  }
}

/// Fault::converted_output_name: both conversions keep the type in which the CPU plugin computes.
bool converts_output_back(ir::ConvertView convert) {
  const ir::Output& back = convert.output(0);
  if (!is_read_by(back, {ops::Result})) return false;
  ir::Value data = convert.data();
  for (; data.type() != back.type && computed_type(data.type()) == back.type;
       data = ir::ConvertView(*data.node).data()) {
    if (!data.node->is(ops::Convert)) return false;
    if (is_read_by(data.output(), {ops::Result}))
      return computed_type(data.node->input(0).type()) == back.type;
  }
  return false;
}

}  // namespace

Workaround separate_output_conversions() {
  return {.name = "separate_output_conversions",
          .stage = Stage::kernels,
          .summary =
              "Keeps OpenVINO from giving the names of one output to another one that is converted from it",
          .rows = {row(Fault::converted_output_name, {ops::Convert}, affects<converts_output_back>,
                       separate_from_input)}};
}

}  // namespace onnx2ir::passes
