// Shared by GreedySearch, Sampling, BeamSearch and WhisperBeamSearch: runs their encoders and decoders, which
// are graphs in attributes, and builds the Loop of the search. The first step of a search is emitted before
// the Loop, because it reads the whole prompt and has no cache; the body reads one token per row.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "frontend/graph/graph_translator.hpp"
#include "frontend/graph/node_context.hpp"
#include "frontend/translators/onnx/control_flow.hpp"

namespace onnx2ir::frontend {

/// The graph that a search emits operations into: the graph of its node, or the body of its Loop.
class SearchScope : public Builder {
 public:
  SearchScope(GraphTranslator& translator, bool is_body)
      : Builder(translator.graph()), translator_(&translator), is_body_(is_body) {}

  /// The value in this graph for a value of the node's graph.
  Value outer(Value value) const;
  GraphTranslator& translator() const { return *translator_; }

 private:
  GraphTranslator* translator_;
  bool is_body_;
};

/// Repeats `step` in a Loop of at most `count` iterations (i64 scalar), or of none if `condition` (boolean
/// scalar) is false. A step takes the states and gives `row_count` rows.
LoopOutputs repeat(NodeContext& node, Value count, Value condition, const Values& initial,
                   const std::function<Iteration(SearchScope& scope, const Values& states)>& step,
                   std::size_t row_count = 0);

/// Pads `sequences` [..., length] with `filler` to `length` (i64 [1]), i32.
Value fill_sequences(Builder& builder, Value sequences, Value length, std::int64_t filler);

/// The best `count` (i64) elements along the last axis of a matrix, in descending order; of equal elements
/// the first one comes first.
struct Best {
  Value values;
  Value indices;  ///< i32
};
Best find_best(Builder& builder, Value scores, Value count);

/// The state of a decoder. Rows are those of the batch, or its beams.
struct DecoderState {
  Value tokens;     ///< i32 [rows, length]
  Value positions;  ///< i32 [rows, length]; null for T5 and Whisper
  Value mask;       ///< i32 [rows, length of the cache + length]; null for T5 and Whisper
  Values caches;

  /// The values that are not null, in their order as states of a Loop.
  std::vector<Value*> parts();
};

/// The parts of the state of a search as the states of a Loop, and `state` with other values of its parts.
template <typename State>
Values values_of(State& state) {
  Values values;
  for (const Value* part : state.parts()) values.push_back(*part);
  return values;
}
template <typename State>
State restored(State state, const Values& values) {
  const Value* next = values.begin();
  for (Value* part : state.parts()) *part = *next++;
  return state;
}

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
