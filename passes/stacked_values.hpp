// Values that carry copies of themselves along a new first axis. The CPU runtime takes a shape that has not
// changed for a sign that nothing has; numbers of copies that differ make shapes that differ.
#pragma once

#include <cstddef>
#include <vector>

#include "ir/control_flow.hpp"

namespace onnx2ir::passes {

/// `copies` copies of `value`, which gets at least `rank` dimensions, along a new first axis.
ir::Value stacked(ir::Builder& builder, ir::Value value, std::size_t copies, std::size_t rank);

/// Whether `node` makes a stack from a value, or takes its first copy: it has been made here.
bool is_of_stack(const ir::Node& node);

/// The first copy of `stack`: what stacked() made it of, or a Gather.
ir::Value first_copy(ir::Builder& builder, ir::Value stack);

/// The first copy of `stack` if it is all that anybody reads of it.
ir::Value only_reader_of_first_copy(ir::Value stack);

/// Lets all readers of `stack` read its first copy, which takes the tensor names.
void read_first_copy(ir::Value stack);

/// Lets the state `carried` of `loop` pass the loop in a stack: the initial value has `copies` copies. The
/// body's Result must give a stack already. Types and shapes are inferred again.
void stack_state(ir::LoopView loop, const ir::Carried& carried, std::size_t copies);

/// The If whose output is the value of `result`, the Result of a body, provided that the output has rank
/// `rank` and no other uses. Returns null for all other values.
ir::Node* choice_behind(const ir::Node& result, std::size_t rank);

/// The shapes that the value of `result`, the Result of a body, may have: one for each branch if an If gives
/// the value, as long as there are few.
std::vector<ir::PartialShape> possible_shapes(const ir::Node& result);
/// Whether the value of `result` may have `shape` in a run.
bool may_have_shape(const ir::Node& result, const ir::PartialShape& shape);

}  // namespace onnx2ir::passes
