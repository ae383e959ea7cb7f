// Runs single passes of the pipeline, for tests and tools.
#pragma once

#include <string_view>

#include "passes/pipeline.hpp"

namespace onnx2ir::passes {

/// The pass called `name`; null if there is none.
const Pass* find_pass(std::string_view name);

/// Runs `pass` as the pipeline does: a legalisation only if the target has one of its faults, without dead
/// nodes, and with the order and the types restored. Returns whether the pass changed the model.
bool run_pass(ir::Model& model, const Pass& pass, const PassContext& context);

}  // namespace onnx2ir::passes
