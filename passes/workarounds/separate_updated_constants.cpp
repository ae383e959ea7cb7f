// Workaround for updated_constants: the CPU plugin computes an operation on constants that OpenVINO does not
// fold in the first inference only, and writes the result of arithmetic into the memory of its first operand:
// the next inference then reads the result of the previous one. Here such a value is the second operand, or
// arithmetic for which the order matters reads a copy that is made in each inference.
#include "passes/analysis/foldable.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "passes/support/choose_boolean.hpp"
#include "passes/support/run_time_values.hpp"

namespace onnx2ir::passes {
namespace {

/// Arithmetic for which the order of the operands does not matter.
constexpr ir::OperationSet kCommutative{ops::Add, ops::Maximum, ops::Minimum, ops::Multiply,
                                        ops::SquaredDifference};

bool can_be_mended(const ir::Node& node) {
  return node.is_one_of(kCommutative) || can_be_selected(node.input(0).type());
}

bool may_update_operand(const ir::Node& node) {
  return !ir::is_computed_from_constants(node.input(1)) && can_be_mended(node) &&
         may_stay_unfolded(node.input(0));
}

void read_as_second(ir::Builder& builder, ir::Node& node) {
  const ir::Value once = node.input(0);
  if (node.is_one_of(kCommutative)) {
    node.set_input(0, node.input(1));
    node.set_input(1, once);
  } else {
    node.set_input(0, hide_value(builder, emit_run_time_truth(builder), once));
  }
}

}  // namespace

Workaround separate_updated_constants() {
  return {.stage = Stage::kernels,
          .summary = "Keeps arithmetic from writing into results of operations on constants",
          .rows = {row<may_update_operand, read_as_second>(
              Fault::updated_constants,
              operations_with([](const ir::Traits& traits) { return traits.is_arithmetic; }))}};
}

}  // namespace onnx2ir::passes
