// Finds tokens that would repeat a part of a sequence.
#pragma once

#include <cstdint>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// The most tokens of an n-gram: each of them is emitted as operations of its own.
inline constexpr std::int64_t kMaxNgram = 1024;

/// Which tokens would repeat an n-gram of `size` tokens, 1 to kMaxNgram, in a row of `tokens` (i64 [rows,
/// length]) if they came next: boolean, in the shape of `scores` [rows, vocabulary].
Value find_repeated_ngrams(Builder& builder, Value tokens, Value scores, std::int64_t size);

}  // namespace onnx2ir::frontend
