// Workarounds for constants and conversions that are outputs of the model. The CPU plugin computes types such
// as f16 and i64 with numbers of another type, and OpenVINO removes a conversion to such a type and back. If
// both results are outputs of the model, the second one then has the names of both. If the model has an input
// of dynamic shape as an output after that, the CPU plugin writes beyond the memory of the output.
#include "ir/views/unary.hpp"
#include "passes/analysis/bounded_search.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/support/run_time_values.hpp"

namespace onnx2ir::passes {
namespace {

/// The type in which the CPU plugin computes numbers of `type`.
ir::ElementType computed_type(ir::ElementType type) {
  using enum ir::ElementType;
  constexpr unsigned kByte = 8;
  if (type == f16 || type == f64) return f32;
  if (type == boolean) return u8;
  return ir::is_integral(type) && ir::info(type).bits > kByte ? i32 : type;
}

/// Fault::converted_output_name: both conversions keep the type in which the CPU plugin computes.
bool converts_output_back(ir::ConvertView convert) {
  const ir::Output& back = convert.output(0);
  if (!is_read_by(back, {ops::Result})) return false;
  const auto is_output = [](ir::Value value) { return is_read_by(value.output(), {ops::Result}); };
  const auto is_between = [&](ir::Value value) {
    return value.node->is(ops::Convert) && value.type() != back.type &&
           computed_type(value.type()) == back.type;
  };
  const ir::Value first = follow(convert.data(), [&](ir::Value value) {
    return is_between(value) && !is_output(value) ? value.node->input(0) : ir::Value{};
  });
  return is_between(first) && is_output(first) && computed_type(first.node->input(0).type()) == back.type;
}

/// Fault::input_converted_to_output: the conversions between an input and an output leave the numbers as the
/// CPU plugin computes them, also around a Reshape. It converts an input of another type by itself.
bool converts_input_to_output(ir::ConvertView convert) {
  const ir::Output& result = convert.output(0);
  if (!is_read_by(result, {ops::Result}) || result.shape.is_static() ||
      computed_type(result.type) != result.type)
    return false;
  const ir::Value data = follow(convert.data(), [&](ir::Value converted) {
    const ir::Node& node = *converted.node;
    const bool is_passed = node.is(ops::Convert) || node.op().traits.reshapes;
    return is_passed && computed_type(converted.type()) == result.type ? node.input(0) : ir::Value{};
  });
  return data.node->is(ops::Parameter) && data.type() == result.type;
}

/// OpenVINO removes a Reshape together with the conversions around it, but not an opaque copy.
void keep_output_apart(ir::Builder& builder, ir::Node& convert) {
  const ir::Value data = ir::ConvertView(convert).data();
  if (data.type() == convert.output(0).type)
    ir::replace_all_uses(convert.value(), ir::reshape_to_itself(builder, data));
  else
    convert.set_input(ir::ConvertView::Input::data, copy_opaquely(builder, data));
}

/// Fault::small_constant_results. The CPU plugin copies a constant of 4 bits to an output with the halves of
/// each byte exchanged.
bool is_small_constant(const ir::Node& result) {
  const ir::Value value = result.input(0);
  return ir::is_integral(value.type()) && ir::info(value.type()).bits == 4 &&
         ir::is_computed_from_constants(value);
}

void convert_at_run_time(ir::Builder&, ir::Node& result) {
  const ir::Value value = result.input(0);
  const ir::ElementType wide =
      value.type() == ir::ElementType::i4 ? ir::ElementType::i8 : ir::ElementType::u8;
  ir::Builder builder = ir::builder_beside(*value.node);
  const ir::Value numbers = ir::convert(builder, value, wide);
  const ir::Value chosen =
      builder.op(ops::Select, {emit_run_time_truth(builder), numbers, builder.integer(0, wide)});
  ir::replace_results(value, ir::convert(builder, chosen, value.type()));
}

}  // namespace

Workaround legalize_outputs() {
  return {
      .stage = Stage::kernels,
      .summary =
          "Converts constant outputs of 4 bits at run time, and keeps conversions of outputs apart that "
          "OpenVINO would remove",
      .rows = {
          row<converts_output_back, separate_from_input>(Fault::converted_output_name, {ops::Convert}),
          row<converts_input_to_output, keep_output_apart>(Fault::input_converted_to_output, {ops::Convert}),
          row<is_small_constant, convert_at_run_time>(Fault::small_constant_results, {ops::Result})}};
}

}  // namespace onnx2ir::passes
