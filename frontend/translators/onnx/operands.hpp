// The places of inputs and outputs of ONNX's operators, with the names of their schemas:
// `node.input(inputs::Conv::W)`. Versions that lack the last ones share the struct. If versions have
// different operands, the name of the struct ends with the first version. tests/test_operand_names.py
// compares them with the schemas.
#pragma once

#include <cstddef>

// The names are spelled as in the schemas.
// NOLINTBEGIN(readability-identifier-naming)

namespace onnx2ir::frontend::inputs {

struct Attention {
  enum : std::size_t { Q, K, V, attn_mask, past_key, past_value, nonpad_kv_seqlen };
};

struct BatchNormalization {
  enum : std::size_t { X, scale, B, input_mean, input_var };
};

struct CausalConvWithState {
  enum : std::size_t { input, weight, bias, past_state };
};

struct Col2Im {
  enum : std::size_t { input, image_shape, block_shape };
};

struct Conv {
  enum : std::size_t { X, W, B };
};
using ConvTranspose = Conv;

struct ConvInteger {
  enum : std::size_t { x, w, x_zero_point, w_zero_point };
};

struct DFT {
  enum : std::size_t { input, dft_length, axis };
};

struct DeformConv {
  enum : std::size_t { X, W, offset, B, mask };
};

struct DequantizeLinear {
  enum : std::size_t { x, x_scale, x_zero_point };
};

struct Dropout {
  enum : std::size_t { data, ratio, training_mode };
};

struct Gemm {
  enum : std::size_t { A, B, C };
};

struct GroupNormalization {
  enum : std::size_t { X, scale, bias };
};

struct InstanceNormalization {
  enum : std::size_t { input, scale, B };
};

struct LSTM {
  enum : std::size_t { X, W, R, B, sequence_lens, initial_h, initial_c, P };
};
using GRU = LSTM;
using RNN = LSTM;

struct LayerNormalization {
  enum : std::size_t { X, Scale, B };
};

struct MatMulInteger {
  enum : std::size_t { A, B, a_zero_point, b_zero_point };
};

struct MaxUnpool {
  enum : std::size_t { X, I, output_shape };
};

struct MelWeightMatrix {
  enum : std::size_t { num_mel_bins, dft_length, sample_rate, lower_edge_hertz, upper_edge_hertz };
};

struct NonMaxSuppression {
  enum : std::size_t { boxes, scores, max_output_boxes_per_class, iou_threshold, score_threshold };
};

struct OneHot {
  enum : std::size_t { indices, depth, values };
};

struct Pad {
  enum : std::size_t { data, pads, constant_value, axes };
};

struct QLinearConv {
  enum : std::size_t { x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point, B };
};

struct QLinearMatMul {
  enum : std::size_t { a, a_scale, a_zero_point, b, b_scale, b_zero_point, y_scale, y_zero_point };
};

struct QuantizeLinear {
  enum : std::size_t { x, y_scale, y_zero_point };
};

struct Range {
  enum : std::size_t { start, limit, delta };
};

struct Resize11 {
  enum : std::size_t { X, roi, scales, sizes };
};

struct RoiAlign {
  enum : std::size_t { X, rois, batch_indices };
};

struct RotaryEmbedding {
  enum : std::size_t { X, cos_cache, sin_cache, position_ids };
};

struct STFT {
  enum : std::size_t { signal, frame_step, window, frame_length };
};

struct ScatterElements {
  enum : std::size_t { data, indices, updates };
};
using Scatter = ScatterElements;
using ScatterND = ScatterElements;

struct SequenceInsert {
  enum : std::size_t { input_sequence, tensor, position };
};

struct Slice {
  enum : std::size_t { data, starts, ends, axes, steps };
};

struct TensorScatter {
  enum : std::size_t { past_cache, update, write_indices };
};

struct Tile1 {
  enum : std::size_t { input, tiles, axis };
};

struct Tile6 {
  enum : std::size_t { input, repeats };
};

struct Where {
  enum : std::size_t { condition, X, Y };
};

}  // namespace onnx2ir::frontend::inputs

namespace onnx2ir::frontend::inputs::preview_training {

struct Adam {
  enum : std::size_t { R, T, inputs };
};
using Adagrad = Adam;
using Momentum = Adam;

}  // namespace onnx2ir::frontend::inputs::preview_training

namespace onnx2ir::frontend::outputs {

struct Attention {
  enum : std::size_t { Y, present_key, present_value, qk_matmul_output };
};

struct Dropout {
  enum : std::size_t { output, mask };
};

struct LSTM {
  enum : std::size_t { Y, Y_h, Y_c };
};

struct LayerNormalization {
  enum : std::size_t { Y, Mean, InvStdDev };
};

struct MaxPool {
  enum : std::size_t { Y, Indices };
};

}  // namespace onnx2ir::frontend::outputs

// NOLINTEND(readability-identifier-naming)
