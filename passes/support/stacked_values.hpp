// Values stacked with copies of themselves along a new first axis. The CPU plugin takes an unchanged shape as
// a sign that the value has not changed; different numbers of copies make different shapes.
#pragma once

#include <cstddef>

#include "ir/control_flow.hpp"

namespace onnx2ir::passes {

/// Declares that the shape of `value`, a Parameter or an output of a Loop, has a further first axis.
void declare_first_axis(ir::Value value, ir::Dimension size);

/// `copies` copies of `value`, stacked along a new first axis. `value` is raised to at least `rank`
/// dimensions.
ir::Value stack_copies(ir::Builder& builder, ir::Value value, std::size_t copies, std::size_t rank);

/// Whether `node` creates a stack or takes its first copy, and was created by these functions.
bool is_of_stack(const ir::Node& node);

/// The first copy of `stack`: the input of stack_copies() if known, otherwise a Gather.
ir::Value take_first_copy(ir::Builder& builder, ir::Value stack);

/// The first copy of `stack` if all uses take only that.
ir::Value only_first_copy(ir::Value stack);

/// Makes all uses of `stack` use its first copy, which takes the tensor names.
void read_first_copy(ir::Value stack);

/// Stacks the state `carried` of `loop`: the initial value gets `copies` copies. The body's Result must
/// already give a stack. The loop becomes stale.
void stack_state(ir::LoopView loop, const ir::Carried& carried, std::size_t copies);
/// Recognises a state that has been stacked, and adds Note::stacked to the nodes that copy its values or take
/// the first copy.
void mark_if_stacked(ir::LoopView loop, const ir::Carried& carried);

}  // namespace onnx2ir::passes
