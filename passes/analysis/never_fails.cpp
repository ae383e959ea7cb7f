#include "passes/analysis/never_fails.hpp"

#include <algorithm>

namespace onnx2ir::passes {
namespace {

bool is_static(const ir::PartialShape& shape) {
  return shape.sizes().has_value();
}

/// Whether the operation computes integers or booleans without an error for all operands: the division of
/// integers by 0, and of the least one by -1, ends the process.
bool computes_any_integers(const ir::Node& node) {
  if (node.is_one_of({ops::Divide, ops::Mod, ops::FloorMod})) {
    const auto divisor = ir::known_scalar(node.input(1));
    return divisor && *divisor != 0 && *divisor != -1;
  }
  if (node.is(ops::Power)) return false;
  return node.op().traits.broadcasts ||
         node.is_one_of({ops::Convert, ops::Negative, ops::Abs, ops::LogicalNot});
}

}  // namespace

bool never_fails(const ir::Node& node) {
  if (node.is(ops::ShapeOf)) return true;
  const auto inputs = node.inputs();
  const auto outputs = node.outputs();
  const bool shapes_fit =
      std::ranges::all_of(inputs, [](ir::Value input) { return is_static(input.shape()); }) &&
      std::ranges::all_of(outputs, [](const ir::Output& output) { return is_static(output.shape); });
  if (!shapes_fit) return false;
  if (node.op().traits.reshapes || computes_any_integers(node)) return true;
  return std::ranges::all_of(outputs,
                             [](const ir::Output& output) { return ir::is_floating(output.type); }) &&
         std::ranges::all_of(inputs, [](ir::Value input) {
           return input.node->constant() != nullptr || ir::is_floating(input.type());
         });
}

}  // namespace onnx2ir::passes
