// Marks what legalisations have finished in a model that was read: the XML does not have these marks.
#pragma once

#include <span>

#include "ir/graph.hpp"
#include "target/target.hpp"

namespace onnx2ir::passes {

/// Recognises what legalisations emit, and sets LoopBody::is_known_to_run of loops and Node::notes.
void mark_finished_forms(ir::Model& model);

/// Sets Carried::is_guarded and Scan::is_guarded: whether guard_zero_iterations guards the output for one of
/// `targets`. The reader of XML marks states whose output has the shape of the body's result; those of Loops
/// that no release runs keep the mark, because no pass changes them.
void mark_guarded_outputs(ir::Model& model, std::span<const target::Target> targets);

}  // namespace onnx2ir::passes
