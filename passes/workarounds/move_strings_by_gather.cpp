// Moves strings by Gather: the operation itself moves the positions of the strings. The CPU plugin copies
// strings as if they were bytes, or does not compile the operation (moved_strings, transposed_strings).
#include <vector>

#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

using Values = std::vector<ir::Value>;

bool holds_strings(ir::Value value) {
  return value && value.type() == ir::ElementType::string;
}

bool moves_strings(const ir::Node& node) {
  return node.output(0).type == ir::ElementType::string;
}

/// The strings of all inputs of a node as one vector, and the node's inputs with their positions in it.
struct StringPositions {
  Values strings;
  Values inputs;
};

StringPositions emit_positions(ir::Builder& builder, const ir::Node& node) {
  StringPositions result;
  ir::Value begin = builder.integer(0);
  for (const ir::Value input : node.inputs()) {
    if (!holds_strings(input)) {
      result.inputs.push_back(input);
      continue;
    }
    const ir::Value strings = ir::flatten(builder, input);
    const ir::Value end = builder.op(ops::Add, {begin, ir::size_of(builder, strings, 0)});
    const ir::Value positions =
        builder.op(ops::Range, {begin, end, builder.integer(1)}, {{"output_type", ir::ElementType::i64}});
    result.strings.push_back(strings);
    result.inputs.push_back(ir::reshape(builder, positions, ir::shape_of(builder, input)));
    begin = end;
  }
  return result;
}

void move_by_gather(ir::Builder& builder, ir::Node& node) {
  const StringPositions positions = emit_positions(builder, node);
  const ir::Value strings = ir::concat(builder, positions.strings);
  ir::Node& mover = builder.clone(node, positions.inputs);
  for (std::size_t i = 0; i < node.outputs().size(); ++i) {
    ir::replace_all_uses(node.value(i), ir::gather(builder, strings, mover.value(i)));
  }
}

}  // namespace

Workaround move_strings_by_gather() {
  return {.stage = Stage::operations,
          .summary = "Replaces operations that move strings by the same on their positions, and a Gather",
          .rows = {row<moves_strings, move_by_gather>(
                       Fault::moved_strings,
                       {ops::Broadcast, ops::GatherElements, ops::GatherND, ops::ReverseSequence,
                        ops::ScatterElementsUpdate, ops::ScatterNDUpdate, ops::Select, ops::Slice, ops::Split,
                        ops::Tile, ops::VariadicSplit}),
                   row<moves_strings, move_by_gather>(Fault::transposed_strings, {ops::Transpose})}};
}

}  // namespace onnx2ir::passes
