#include "target/target.hpp"

#include <algorithm>

#include "target/faults.hpp"
#include "target/only_fault.hpp"

namespace onnx2ir::target {

namespace {

/// The fault of the innermost OnlyFault of this thread; null if there is none.
thread_local const Fault* only_fault = nullptr;

}  // namespace

OnlyFault::OnlyFault(Fault fault) : fault_(fault), outer_(only_fault) {
  only_fault = &fault_;
}
OnlyFault::~OnlyFault() {
  only_fault = outer_;
}

bool Target::has(Fault fault) const {
  if (only_fault != nullptr && *only_fault != fault) return false;
  const FaultOccurrence& found = occurrence(fault);
  return found.first <= newest() && (!found.last || *found.last >= oldest());
}

bool Target::has_any(const FaultSet& faults) const {
  return std::ranges::any_of(all_faults(), [&](const FaultDescription& known) {
    return faults.contains(known.fault) && has(known.fault);
  });
}

}  // namespace onnx2ir::target
