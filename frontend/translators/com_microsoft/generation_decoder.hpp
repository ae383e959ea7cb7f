// The decoders inside of GreedySearch, Sampling and BeamSearch: what one step reads and gives.
#pragma once

#include <cstdint>

#include "frontend/translators/com_microsoft/generation.hpp"

namespace onnx2ir::frontend {

/// What changes from step to step. Rows are those of the batch, or its beams.
struct DecoderState {
  Value tokens;     ///< i32 [rows, length]
  Value positions;  ///< i32 [rows, length]; null for T5
  Value mask;       ///< i32 [rows, length of the cache + length]; null for T5
  Values caches;

  /// The values as states of a Loop, and back; `like` says which ones there are.
  Values flat() const;
  static DecoderState of(const Values& values, const DecoderState& like);
};

struct Decoder {
  enum class Kind : std::uint8_t {
    gpt,  ///< input_ids, position_ids, attention_mask, past_* -> logits, present_*
    t5    ///< input_ids, encoder_attention_mask, past_*_self_*, past_*_cross_* -> logits, present_*_self_*
  } kind = Kind::gpt;
  /// The axis of the rows in caches.
  std::int64_t row_axis = 1;
  /// Of T5: the inputs that stay the same, before and behind the caches, in the node's graph.
  Values before = {};
  Values behind = {};
};

/// The scores of the next token, f32 [rows, vocabulary], and the state that the next step starts with,
/// without its tokens.
struct DecoderStep {
  Value logits;
  DecoderState next;
};

/// 1 where `tokens` (i32 [rows, length]) are not `pad_token`: the tokens that have positions.
Value token_mask(Builder& builder, Value tokens, std::int64_t pad_token);

/// The attention mask of T5's encoder: `mask` if given, else padding is at the beginning only, because the
/// end of a prompt may be the same token.
Value encoder_mask(Builder& builder, Value tokens, Value mask, std::int64_t pad_token);

/// The first step of a decoder of GPT-2, which reads the prompt; by init_decoder if the node has it. `mask`
/// is the attention mask, null: padding is hidden. Positions do not depend on it.
DecoderStep start_gpt(NodeContext& node, Value prompt, Value mask, std::int64_t pad_token);
/// A step of the Loop.
DecoderStep run_decoder(NodeContext& node, SearchScope& scope, const Decoder& decoder,
                        const DecoderState& state);

/// The first step of T5: the encoder reads `prompt`, the decoder the token that starts each row. Sets what
/// stays the same in `decoder`.
DecoderStep start_t5(NodeContext& node, Decoder& decoder, Value prompt, Value mask, Value start_tokens);

}  // namespace onnx2ir::frontend
