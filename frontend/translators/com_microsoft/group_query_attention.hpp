// The inputs and outputs of GroupQueryAttention, in order.
#pragma once

#include <cstddef>

namespace onnx2ir::frontend {

struct GroupQueryInput {
  enum : std::size_t {
    query,
    key,
    value,
    past_key,
    past_value,
    seqlens_k,
    total_sequence_length,
    cos_cache,
    sin_cache,
    position_ids,
    attention_bias,
    head_sink,
    k_scale,
    v_scale,
    q_norm_weight,
    k_norm_weight
  };
};

struct GroupQueryOutput {
  enum : std::size_t { result, present_key, present_value, scores };
};

}  // namespace onnx2ir::frontend
