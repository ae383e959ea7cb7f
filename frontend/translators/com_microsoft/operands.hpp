// The places of inputs and outputs of onnxruntime's operators, with the names of their schemas:
// `node.input(inputs::microsoft::QGemm::a_scale)`. tests/test_operand_names.py compares them with the
// schemas.
#pragma once

#include <cstddef>

#include "frontend/translators/onnx/operands.hpp"

// The names are spelled as in the schemas.
// NOLINTBEGIN(readability-identifier-naming)

namespace onnx2ir::frontend::inputs::microsoft {

struct Attention {
  enum : std::size_t { input, weights, bias, mask_index, past, attention_bias, past_sequence_length };
};

struct BiasAdd {
  enum : std::size_t { X, bias, skip };
};

struct BifurcationDetector {
  enum : std::size_t { src_tokens, cur_tokens, prev_suffix_match_idx, pred_tokens };
};

struct BranchwiseRMSNorm {
  enum : std::size_t { X, scale };
};

struct ConvTransposeWithDynamicPads {
  enum : std::size_t { X, W, Pads, B };
};

struct CropAndResize {
  enum : std::size_t { X, rois, batch_indices, crop_size };
};

struct DecoderMaskedMultiHeadAttention {
  enum : std::size_t {
    query,
    key,
    value,
    mask_index,
    attention_bias,
    past_key,
    past_value,
    past_sequence_length,
    beam_width,
    cache_indirection,
    bias
  };
};

struct DynamicQuantizeLSTM {
  enum : std::size_t {
    X,
    W,
    R,
    B,
    sequence_lens,
    initial_h,
    initial_c,
    P,
    W_scale,
    W_zero_point,
    R_scale,
    R_zero_point
  };
};

struct DynamicQuantizeMatMul {
  enum : std::size_t { A, B, b_scale, b_zero_point, bias };
};

struct EmbedLayerNormalization {
  enum : std::size_t {
    input_ids,
    segment_ids,
    word_embedding,
    position_embedding,
    segment_embedding,
    gamma,
    beta,
    mask,
    position_ids
  };
};

struct EngramGate {
  enum : std::size_t { key, query, value, key_norm_scale, query_norm_scale, conv_norm_scale };
};

using FusedGemm = inputs::Gemm;
using NhwcConv = inputs::Conv;
using Range = inputs::Range;

struct FusedConv {
  enum : std::size_t { X, W, B, Z };
};

struct GatedAdd {
  enum : std::size_t { X, Y, gate };
};

struct GatedRMSNorm {
  enum : std::size_t { X, scale, gate };
};

struct GatherBlockQuantized {
  enum : std::size_t { data, indices, scales, zero_points };
};

struct GemmFastGelu {
  enum : std::size_t { X, W, bias };
};

struct GroupQueryAttention {
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

struct HyperConnectionPostMix {
  enum : std::size_t { streams, block_output, post_mix, stream_mix };
};

struct HyperConnectionPreMix {
  enum : std::size_t { streams, pre_mix };
};

struct LinearAttentionGate {
  enum : std::size_t { a, dt_bias, decay_scale, b };
};

struct MatMulBnb4 {
  enum : std::size_t { A, B, absmax };
};

struct MatMulIntegerToFloat {
  enum : std::size_t { A, B, a_scale, b_scale, a_zero_point, b_zero_point, bias };
};

struct MatMulNBits {
  enum : std::size_t { A, B, scales, zero_points, g_idx, bias };
};

struct MoE {
  enum : std::size_t {
    input,
    router_probs,
    fc1_experts_weights,
    fc1_experts_bias,
    fc2_experts_weights,
    fc2_experts_bias,
    fc3_experts_weights,
    fc3_experts_bias
  };
};

struct MultiHeadAttention {
  enum : std::size_t {
    query,
    key,
    value,
    bias,
    key_padding_mask,
    attention_bias,
    past_key,
    past_value,
    past_sequence_length,
    cache_indirection
  };
};

struct QAttention {
  enum : std::size_t {
    input,
    weight,
    bias,
    input_scale,
    weight_scale,
    mask_index,
    input_zero_point,
    weight_zero_point,
    past
  };
};

struct QEmbedLayerNormalization {
  enum : std::size_t {
    input_ids,
    segment_ids,
    word_embedding_quant,
    position_embedding_quant,
    segment_embedding,
    gamma_quant,
    beta_quant,
    mask,
    word_embedding_scale,
    position_embedding_scale,
    segment_embedding_scale,
    gamma_scale,
    beta_scale,
    word_embedding_zero_point,
    position_embedding_zero_point,
    segment_embedding_zero_point,
    gamma_zero_point,
    beta_zero_point
  };
};

struct QGemm {
  enum : std::size_t { A, a_scale, a_zero_point, B, b_scale, b_zero_point, C, y_scale, y_zero_point };
};

struct QLinearAdd {
  enum : std::size_t { A, A_scale, A_zero_point, B, B_scale, B_zero_point, C_scale, C_zero_point };
};
using QLinearMul = QLinearAdd;

// QLinearReduceMean has the same inputs with other names.
struct QLinearAveragePool {
  enum : std::size_t { X, x_scale, x_zero_point, y_scale, y_zero_point };
};
using QLinearGlobalAveragePool = QLinearAveragePool;
using QLinearLeakyRelu = QLinearAveragePool;
using QLinearSigmoid = QLinearAveragePool;
using QLinearSoftmax = QLinearAveragePool;

struct QLinearConcat {
  enum : std::size_t { Y_scale, Y_zero_point, inputs };
};

struct QLinearWhere {
  enum : std::size_t { condition, X, x_scale, x_zero_point, Y, y_scale, y_zero_point, z_scale, z_zero_point };
};

struct QMoE {
  enum : std::size_t {
    input,
    router_probs,
    fc1_experts_weights,
    fc1_scales,
    fc1_experts_bias,
    fc2_experts_weights,
    fc2_scales,
    fc2_experts_bias,
    fc3_experts_weights,
    fc3_scales,
    fc3_experts_bias,
    fc1_zero_points,
    fc2_zero_points,
    fc3_zero_points,
    router_weights,
    fc1_global_scale,
    fc2_global_scale,
    fc1_act_scale,
    fc2_act_scale,
    fc1_act_block_scale,
    fc2_act_block_scale
  };
};

struct RelativePositionBias {
  enum : std::size_t { bias_table, query_length, key_length };
};

struct RotaryEmbedding {
  enum : std::size_t { input, position_ids, cos_cache, sin_cache };
};
using MRotaryEmbedding = RotaryEmbedding;

struct Sampling {
  enum : std::size_t {
    input_ids,
    max_length,
    min_length,
    repetition_penalty,
    vocab_mask,
    prefix_vocab_mask,
    attention_mask,
    presence_mask,
    seed
  };
};
using GreedySearch = Sampling;

struct ScaledSiLU {
  enum : std::size_t { X, scale };
};

struct SkipGroupNorm {
  enum : std::size_t { X, gamma, beta, skip, bias };
};
using GroupNorm = SkipGroupNorm;

struct SkipLayerNormalization {
  enum : std::size_t { input, skip, gamma, beta, bias };
};

struct SkipSimplifiedLayerNormalization {
  enum : std::size_t { input, skip, gamma, bias };
};

struct WhisperBeamSearch {
  enum : std::size_t {
    input_ids,
    max_length,
    min_length,
    num_beams,
    num_return_sequences,
    length_penalty,
    repetition_penalty,
    vocab_mask,
    prefix_vocab_mask,
    attention_mask,
    decoder_input_ids,
    logits_processor,
    cross_qk_layer_head,
    extra_decoding_ids,
    temperature
  };
};
using BeamSearch = WhisperBeamSearch;

struct WordConvEmbedding {
  enum : std::size_t { Sequence, W, B, C };
};

}  // namespace onnx2ir::frontend::inputs::microsoft

namespace onnx2ir::frontend::outputs::microsoft {

struct Attention {
  enum : std::size_t { output, present };
};
using QAttention = Attention;

struct EngramGate {
  enum : std::size_t { output, gated_value_normed };
};

struct GroupQueryAttention {
  enum : std::size_t { output, present_key, present_value, output_qk };
};

struct LinearAttentionGate {
  enum : std::size_t { decay, beta };
};

struct MultiHeadAttention {
  enum : std::size_t { output, present_key, present_value, qk };
};
using DecoderMaskedMultiHeadAttention = MultiHeadAttention;

struct Sampling {
  enum : std::size_t { sequences, filtered_logits };
};

struct WhisperBeamSearch {
  enum : std::size_t { sequences, sequences_scores, scores, cross_qk, non_speech_probs };
};
using BeamSearch = WhisperBeamSearch;

}  // namespace onnx2ir::frontend::outputs::microsoft

// NOLINTEND(readability-identifier-naming)
