// Sets the notes and marks of what earlier legalisations emitted, in a model that was read: the XML does not
// store them.
#pragma once

#include <span>

#include "ir/graph.hpp"
#include "target/target.hpp"

namespace onnx2ir::passes {

/// Recognises what legalisations emit, and gives the nodes the notes that they have when they are emitted.
void mark_finished_forms(ir::Model& model);

/// Sets Carried::is_guarded and Scan::is_guarded: whether guard_zero_iterations guards the output for one of
/// `targets`. The reader of XML marks states whose output has the shape of the body's result; those of Loops
/// that no release runs keep the mark, because no pass changes them.
void mark_guarded_outputs(ir::Model& model, std::span<const target::Target> targets);

// What passes and workarounds emit is recognised in their own files. (passes/support has headers for that.)

/// legalize_types: whether `value` is a Convert of rounded numbers to float8 or float4.
bool is_converted_from_rounded(ir::Value value);
/// separate_random_streams: whether `value` is a random number that shifts others.
bool is_shift_of_random_stream(ir::Value value);
/// skip_idle_loops: the condition without which a loop with this trip count does not run; null if unknown.
ir::Value condition_of_trip_count(ir::Value trip_count);
/// guard_empty_inputs: the value whose smallest size `size` is; null for other values.
ir::Value data_of_smallest_size(ir::Value size);

}  // namespace onnx2ir::passes
