// Node::emitter: the pass or the workaround that emitted a node.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/origins.hpp"
#include "passes/pipeline.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {

/// The number of `pass`; 0 for a pass that is not in the pipeline.
std::uint16_t emitter_of(const Pass& pass);
/// The number of the workarounds for single nodes that a fault affects.
std::uint16_t emitter_of(Fault fault);

/// What the numbers stand for. The first one is the front end.
std::vector<ir::Emitter> emitters();

}  // namespace onnx2ir::passes
