// Workarounds for operations on strings. An operation that moves strings is applied to the positions of the
// strings instead, and a Gather then takes the strings from these positions. An unused byte is appended to
// the bytes of strings if these may be empty.
#include <vector>

#include "ir/views/string.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

using Values = std::vector<ir::Value>;

bool holds_strings(ir::Value value) {
  return value && value.type() == ir::ElementType::string;
}

/// Fault::moved_strings and Fault::transposed_strings. The CPU plugin copies strings as if they were bytes,
/// or does not compile the operation.
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

/// Fault::empty_string_bytes. The CPU plugin does not run an operation with an empty input, although the
/// strings may all be empty.
bool may_have_no_bytes(ir::StringTensorPackView pack) {
  return pack.bytes().shape()[0].min == 0;
}

ir::Value pad_bytes(ir::Builder& builder, ir::StringTensorPackView pack) {
  const ir::Value bytes = pack.bytes();
  const ir::Value more = ir::concat(builder, {bytes, builder.integers({0}, ir::ElementType::u8)});
  return ir::clone_with_input(builder, pack, ir::StringTensorPackView::Input::bytes, more);
}

}  // namespace

Workaround legalize_strings() {
  return {.stage = Stage::operations,
          .summary =
              "Moves strings by a Gather at positions that operations move, and appends a byte to bytes that "
              "may be none",
          .rows = {row<may_have_no_bytes, pad_bytes>(Fault::empty_string_bytes, {ops::StringTensorPack}),
                   row<moves_strings, move_by_gather>(
                       Fault::moved_strings,
                       {ops::Broadcast, ops::GatherElements, ops::GatherND, ops::Identity,
                        ops::ReverseSequence, ops::ScatterElementsUpdate, ops::ScatterNDUpdate, ops::Select,
                        ops::Slice, ops::Split, ops::Tile, ops::VariadicSplit}),
                   row<moves_strings, move_by_gather>(Fault::transposed_strings, {ops::Transpose})}};
}

}  // namespace onnx2ir::passes
