// The OpenVINO releases that an IR is made for, and the faults that it has to avoid.
#pragma once

#include <optional>

#include "target/fault_set.hpp"
#include "target/release.hpp"

namespace onnx2ir::target {

/// A range of releases that must all be able to run the IR. Instruction sets are not part of a target: an IR
/// is moved between machines, so a fault of one instruction set counts for all.
class Target {
 public:
  /// All supported releases.
  Target() = default;
  explicit Target(const ReleaseRange& releases) : releases_(releases) {}

  const ReleaseRange& releases() const { return releases_; }
  Release oldest() const { return releases_.oldest; }
  Release newest() const { return releases_.newest; }

  /// The same releases with no other faults than `faults`, to find out what a model needs for them.
  Target with_only(const FaultSet& faults) const;

  /// Whether at least one release of the range has `fault`.
  bool has(Fault fault) const;
  /// Whether at least one release of the range has one of `faults`.
  bool has_any(const FaultSet& faults) const;

 private:
  ReleaseRange releases_;
  std::optional<FaultSet> only_ = {};
};

}  // namespace onnx2ir::target
