// OpenVINO removes a conversion to a type that the CPU plugin computes with the numbers of another one, such
// as f16 or i64, and back. If both results are outputs, the second one gets the names of the first one, too.
// If the output of dynamic shape is an input of the model then, the CPU plugin writes beyond its memory.

#include "ir/views/unary.hpp"
#include "passes/legality/all_workarounds.hpp"

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
  while (const auto inner = ir::match<ir::ConvertView>(data)) {
    if (data.type() == back.type || computed_type(data.type()) != back.type) return false;
    if (is_read_by(data.output(), {ops::Result})) return computed_type(inner->data().type()) == back.type;
    data = inner->data();
  }
  return false;
}

/// Fault::input_converted_to_output: the conversions between an input and an output leave the numbers as the
/// CPU plugin computes them. It converts an input of another type by itself.
bool converts_input_to_output(ir::ConvertView convert) {
  const ir::Output& result = convert.output(0);
  if (!is_read_by(result, {ops::Result}) || result.shape.is_static() ||
      computed_type(result.type) != result.type)
    return false;
  ir::Value data = convert.data();
  while (data.node->is(ops::Convert) && computed_type(data.type()) == result.type)
    data = ir::ConvertView(*data.node).data();
  return data.node->is(ops::Parameter) && data.type() == result.type;
}

void reshape_data(ir::Builder& builder, ir::Node& convert) {
  const ir::Value data = ir::reshape_to_itself(builder, ir::ConvertView(convert).data());
  if (data.type() == convert.output(0).type)
    ir::replace_all_uses(convert.value(), data);
  else
    convert.set_input(ir::ConvertView::Input::data, data);
}

}  // namespace

Workaround separate_output_conversions() {
  return {
      .stage = Stage::kernels,
      .summary = "Keeps OpenVINO from removing conversions between two outputs, or an input and an output",
      .rows = {
          row<converts_output_back, separate_from_input>(Fault::converted_output_name, {ops::Convert}),
          row<converts_input_to_output, reshape_data>(Fault::input_converted_to_output, {ops::Convert})}};
}

}  // namespace onnx2ir::passes
