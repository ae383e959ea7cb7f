// The input `use_cache_branch` of decoders that Optimum has merged: it chooses between the decoder for the
// prompt, which has no past, and the one that reads caches. If the caches become variables (--stateful),
// callers cannot read them, and OpenVINO GenAI and Optimum do not set this input: its value is then computed
// from the caches.
#pragma once

#include "frontend/graph/graph_translator.hpp"
#include "frontend/reader/onnx_proto.hpp"

namespace onnx2ir::frontend {

/// Whether `input` is this input, and the caches become variables.
bool chooses_cache_branch(const onnx::ValueInfoProto& input, const GraphTranslator& translator);

/// The value of `input`: whether the caches have elements. Null if no cache has a length that grows: then
/// only the caller knows. The other inputs must be bound.
Value cache_branch_choice(const onnx::GraphProto& proto, const onnx::ValueInfoProto& input,
                          GraphTranslator& translator);

}  // namespace onnx2ir::frontend
