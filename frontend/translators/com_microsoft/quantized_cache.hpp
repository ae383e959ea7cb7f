// Caches of keys and values in 8 bits, or in 4 bits with two numbers per byte.
#pragma once

#include <cstdint>
#include <string_view>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// The format of a cache: numbers, or codes that are multiplied with a scale.
struct QuantizedCache {
  Value scale = {};  ///< f32, broadcasts to [B, K, T, h]; null: the cache is not quantised
  std::int64_t bits = 8;
};

/// The format given by attribute `type` and the scale, input `index`, for a cache with `heads` heads.
QuantizedCache read_cache_quantization(NodeContext& node, std::string_view type, std::size_t index,
                                       std::int64_t heads);
/// Converts `values` [B, K, S, h] to the format of the cache: i8 [B, K, S, h], u8 [B, K, S, h / 2], or
/// unchanged.
Value quantize_cache(NodeContext& node, const QuantizedCache& cache, Value values);
/// Converts `stored` to numbers of the type of input 0; `size` is h.
Value dequantize_cache(NodeContext& node, const QuantizedCache& cache, Value stored, ir::Dimension size);

}  // namespace onnx2ir::frontend
