// The faults of OpenVINO's runtime, as data: target/faults.txt has their names, target/fault_occurrences.txt
// the releases that have them. A workaround names its fault and runs only if the target has it:
// `target.has(Fault::zero_trip_final_values)`.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "target/fault_names.hpp"
#include "target/release.hpp"

namespace onnx2ir::target {

/// What is known about a fault.
struct FaultDescription {
  Fault fault;
  std::string_view name;     ///< the enumerator's name, and that of the experiment
  std::string_view summary;  ///< what the runtime does, in one sentence
  /// The oldest supported release that has it.
  Release first;
  /// The newest release that has it; no value if the newest supported release has it.
  std::optional<Release> last;
  /// The instruction sets that have it, as values of ONEDNN_MAX_CPU_ISA separated by spaces: "AVX2". Empty:
  /// all.
  std::string_view instruction_sets;
};

/// All faults, in the order of the enumeration.
std::span<const FaultDescription> all_faults();

inline const FaultDescription& description(Fault fault) {
  return all_faults()[static_cast<std::size_t>(fault)];
}

}  // namespace onnx2ir::target
