// Finds tokens that would repeat a part of a sequence.
#pragma once

#include <cstdint>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// Which tokens would repeat an n-gram of `size` tokens in a row of `tokens` (i64 [rows, length]) if they
/// came next: boolean, in the shape of `scores` [rows, vocabulary].
Value repeated_ngrams(Builder& builder, Value tokens, Value scores, std::int64_t size);

}  // namespace onnx2ir::frontend
