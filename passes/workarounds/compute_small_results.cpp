// Workaround for small_constant_results: the CPU plugin copies a constant of 4 bits to an output with the
// halves of each byte exchanged. Here such an output is converted from 8 bits at run time.
#include "passes/legality/all_workarounds.hpp"
#include "passes/support/run_time_values.hpp"

namespace onnx2ir::passes {
namespace {

bool is_affected(const ir::Node& result) {
  const ir::Value value = result.input(0);
  return ir::is_integral(value.type()) && ir::info(value.type()).bits == 4 &&
         ir::is_computed_from_constants(value);
}

void compute(ir::Builder&, ir::Node& result) {
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

Workaround compute_small_results() {
  return {.stage = Stage::kernels,
          .summary = "Converts constant model outputs of 4 bits at run time",
          .rows = {row<is_affected, compute>(Fault::small_constant_results, {ops::Result})}};
}

}  // namespace onnx2ir::passes
