#include "target/target.hpp"

#include <algorithm>

#include "target/faults.hpp"

namespace onnx2ir::target {

Target Target::with_only(const FaultSet& faults) const {
  Target target = *this;
  target.only_ = faults;
  return target;
}

bool Target::has(Fault fault) const {
  if (only_ && !only_->contains(fault)) return false;
  const FaultDescription& found = description(fault);
  return found.first <= newest() && (!found.last || *found.last >= oldest());
}

bool Target::has_any(const FaultSet& faults) const {
  return std::ranges::any_of(all_faults(), [&](const FaultDescription& known) {
    return faults.contains(known.fault) && has(known.fault);
  });
}

}  // namespace onnx2ir::target
