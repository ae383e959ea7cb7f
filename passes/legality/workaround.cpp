#include "passes/legality/workaround.hpp"

#include <algorithm>

#include "passes/legality/all_workarounds.hpp"
#include "passes/support/run_time_values.hpp"

namespace onnx2ir::passes {

std::span<const Workaround> workarounds() {
  static const std::vector<Workaround> kWorkarounds = [] {
    std::vector<Workaround> made;
    for (const auto& [name, function] : kWorkaroundFunctions) made.emplace_back(function()).name = name;
    return made;
  }();
  return kWorkarounds;
}

const Workaround* find_workaround(std::string_view name) {
  const auto all = workarounds();
  const auto found = std::ranges::find(all, name, &Workaround::name);
  return found == all.end() ? nullptr : &*found;
}

target::FaultSet faults_of(const Workaround& workaround, Stage last) {
  target::FaultSet faults;
  for (const RowsOfStage& stage : workaround.stages) {
    for (const LegalizationRow& row : stage.rows) {
      if (stage.stage <= last) faults.add(row.fault);
    }
  }
  return faults;
}

target::FaultSet faults_up_to(Stage last) {
  target::FaultSet faults;
  for (const Workaround& workaround : workarounds()) faults.add(faults_of(workaround, last));
  return faults;
}

void separate_from_uses(ir::Builder& builder, ir::Node& node) {
  builder.set_name(node.name);
  const ir::Value copy = copy_opaquely(builder, node.value());
  ir::replace_uses_except(node.value(), copy, *copy.node);
}

void separate_from_input(ir::Builder& builder, ir::Node& node) {
  const ir::Value input = node.input(0);
  builder.set_name(input.node->name);
  node.set_input(0, copy_opaquely(builder, input));
}

void swap_operands(ir::Builder& /*builder*/, ir::Node& node) {
  const ir::Value first = node.input(0);
  node.set_input(0, node.input(1));
  node.set_input(1, first);
}

ir::OperationSet arithmetic_operations() {
  ir::OperationSet operations;
  for (const ir::OpDescriptor& op : ir::all_ops()) {
    if (op.traits.is_arithmetic) operations.add(op.id);
  }
  return operations;
}

}  // namespace onnx2ir::passes
