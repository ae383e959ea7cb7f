// Sets of faults, for code that does not name single faults: this header does not change if a fault is added.
// Code that names a fault includes target/faults.hpp.
#pragma once

#include <cstdint>

#include "base/enum_set.hpp"

namespace onnx2ir::target {

/// A fault of OpenVINO's runtime; target/faults.hpp has the enumerators.
enum class Fault : std::uint8_t;

using FaultSet = base::EnumSet<Fault, 256>;

}  // namespace onnx2ir::target
