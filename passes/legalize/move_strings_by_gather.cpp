// Moves strings by Gather: the operation itself moves the positions of the strings. The CPU plugin copies
// strings as if they were bytes, or does not compile the operation (moved_strings, transposed_strings).
#include <algorithm>
#include <vector>

#include "ir/shape_tools.hpp"
#include "passes/passes.hpp"
#include "passes/rewrite.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

using Values = std::vector<ir::Value>;

bool holds_strings(ir::Value value) {
  return value && value.type() == ir::ElementType::string;
}

/// The strings of all inputs of a node as one vector, and the node's inputs with their positions in it.
struct Positions {
  Values strings;
  Values inputs;
};

Positions positions_of(ir::Builder& builder, const ir::Node& node) {
  Positions result;
  ir::Value begin = builder.integer(0);
  for (const ir::Value input : node.inputs()) {
    if (!holds_strings(input)) {
      result.inputs.push_back(input);
      continue;
    }
    const ir::Value strings = ir::flat(builder, input);
    const ir::Value end = builder.op(ops::Add, {begin, ir::size_of(builder, strings, 0)});
    const ir::Value positions =
        builder.op(ops::Range, {begin, end, builder.integer(1)}, {{"output_type", ir::ElementType::i64}});
    result.strings.push_back(strings);
    result.inputs.push_back(ir::reshape(builder, positions, ir::shape_of(builder, input)));
    begin = end;
  }
  return result;
}

/// The value that replaces the first output of `node`; the other outputs are replaced as well.
ir::Value moved(ir::Builder& builder, ir::Node& node, const PassContext& context) {
  if (!holds_strings(node.value(0))) return {};
  const Fault fault = node.is(ops::Transpose) ? Fault::transposed_strings : Fault::moved_strings;
  if (!context.has(fault)) return {};
  const Positions positions = positions_of(builder, node);
  const ir::Value strings = ir::concat(builder, positions.strings);
  ir::Node& mover = builder.clone(node, positions.inputs);
  for (std::size_t i = 1; i < node.outputs().size(); ++i)
    ir::replace_all_uses(node.value(i), ir::gather(builder, strings, mover.value(i)));
  return ir::gather(builder, strings, mover.value());
}

}  // namespace

bool move_strings_by_gather(ir::Model& model, PassContext& context) {
  return rewrite_values(model,
                        {ops::Broadcast, ops::GatherElements, ops::GatherND, ops::ReverseSequence,
                         ops::ScatterElementsUpdate, ops::ScatterNDUpdate, ops::Select, ops::Slice,
                         ops::Split, ops::Tile, ops::Transpose, ops::VariadicSplit},
                        [&](ir::Builder& builder, ir::Node& node) { return moved(builder, node, context); });
}

}  // namespace onnx2ir::passes
