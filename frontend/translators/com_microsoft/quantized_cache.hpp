// Caches of keys and values in 8 bits, or in 4 bits with two numbers in each byte.
#pragma once

#include <cstdint>
#include <string_view>

#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// How a cache holds numbers: as they are, or as codes that are multiplied with a scale.
struct QuantizedCache {
  Value scale = {};  ///< f32, broadcasts to [B, K, T, h]; null: the cache is not quantised
  std::int64_t bits = 8;
};

/// What attribute `type` and the scale, input `index`, say of a cache with `heads` heads.
QuantizedCache read_cache_quantization(NodeContext& node, std::string_view type, std::size_t index,
                                       std::int64_t heads);
/// `values` [B, K, S, h] as the cache holds them: i8 [B, K, S, h], u8 [B, K, S, h / 2], or as they are.
Value quantized(NodeContext& node, const QuantizedCache& cache, Value values);
/// The numbers that `stored` stands for; `size` is h.
Value dequantized(NodeContext& node, const QuantizedCache& cache, Value stored, ir::Dimension size);

}  // namespace onnx2ir::frontend
