// The decoders inside of GreedySearch, Sampling, BeamSearch and WhisperBeamSearch: inputs and outputs of one
// step.
#pragma once

#include <cstdint>

#include "frontend/translators/com_microsoft/generation.hpp"

namespace onnx2ir::frontend {

/// The state of a decoder. Rows are those of the batch, or its beams.
struct DecoderState {
  Value tokens;     ///< i32 [rows, length]
  Value positions;  ///< i32 [rows, length]; null for T5 and Whisper
  Value mask;       ///< i32 [rows, length of the cache + length]; null for T5 and Whisper
  Values caches;

  /// Converts to and from the states of a Loop; `like` determines which values are present.
  Values flat() const;
  static DecoderState of(const Values& values, const DecoderState& like);
};

/// A decoder of GPT-2 (input_ids, position_ids, attention_mask, past_* -> logits, present_*), of T5 or
/// Whisper (input_ids, [encoder_attention_mask], [encoder_hidden_states], past_*_self_*, past_*_cross_* ->
/// logits, present_*_self_*).
struct Decoder {
  /// The axis of the rows in caches.
  std::int64_t row_axis = 1;
  /// For T5 and Whisper: the inputs that do not change, before and after the caches, in the node's graph.
  Values before = {};
  Values after = {};
  /// For T5 and Whisper: input_ids is the whole sequence instead of its last token.
  bool reads_sequences = false;
};

/// The scores of the next token, f32 [rows, vocabulary], and the state for the next step, without its tokens.
struct DecoderStep {
  Value logits;
  DecoderState next;
};

/// The attention mask of T5's encoder: `mask` if given. Otherwise only leading padding is hidden, because the
/// end of a prompt may be the same token.
Value emit_encoder_mask(Builder& builder, Value tokens, Value mask, std::int64_t pad_token);

/// The first step of a decoder of GPT-2, which reads the prompt; uses init_decoder if the node has it. `mask`
/// is the attention mask; null: padding is hidden. Positions do not depend on it.
DecoderStep start_gpt(NodeContext& node, Value prompt, Value mask, std::int64_t pad_token);
/// A step of the Loop.
DecoderStep run_decoder(NodeContext& node, SearchScope& scope, const Decoder& decoder,
                        const DecoderState& state);

/// The first step of T5 or Whisper: the encoder reads `source`, the decoder reads `start`, the first tokens
/// of each row. `mask` is the attention mask of T5's encoder; null for Whisper. Sets the inputs in `decoder`
/// that do not change.
DecoderStep start_with_encoder(NodeContext& node, Decoder& decoder, Value source, Value mask, Value start);

}  // namespace onnx2ir::frontend
