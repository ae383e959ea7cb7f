// Which outputs of a loop that may run zero times are guarded: operations after the loop select the right
// value (guard_zero_iterations).
#pragma once

#include "ir/control_flow.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {

/// Whether the final value of `state` is guarded in a model that is made for `faults`, a predicate of a
/// fault.
template <typename Faults>
bool is_guarded_for(const ir::Carried& state, Faults faults) {
  const bool is_unread = !ir::is_read(state.parameter->value());
  return faults(target::Fault::zero_trip_final_values) ||
         (is_unread && faults(target::Fault::zero_trip_unread_states));
}

/// The same for the scan outputs of all loops.
template <typename Faults>
bool has_guarded_scans(Faults faults) {
  return faults(target::Fault::zero_trip_scan_outputs);
}

}  // namespace onnx2ir::passes
