// The trip count of a TensorIterator, which is read as a Loop.
#pragma once

#include <vector>

#include "ir/builder.hpp"
#include "ir/graph.hpp"

namespace onnx2ir::backend_xml {

/// The number of iterations that the slices of the inputs give, as OpenVINO computes it. `inputs` are those
/// of the TensorIterator; the ports of `body` count from those of the Loop. Throws Failure (unreadable_ir).
ir::Value iterator_trip_count(ir::Builder& builder, const ir::LoopBody& body,
                              const std::vector<ir::Value>& inputs);

}  // namespace onnx2ir::backend_xml
