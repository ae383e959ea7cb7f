// The beams of BeamSearch and WhisperBeamSearch: which tokens continue them, and which sequences are
// finished. Rows are the beams of all prompts, grouped by prompt.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "frontend/translators/com_microsoft/score_rules.hpp"

namespace onnx2ir::frontend {

/// The inputs that do not change; values of the node's graph.
struct BeamSearch {
  ScoreRules rules;
  std::optional<TimestampRules> timestamps;
  std::int64_t pad_token;
  bool is_early = false;  ///< a prompt is done when its list is full
  Value length;           ///< i64 [1]
  Value beams;            ///< i64 [1], of each prompt
  Value prompts;          ///< i64 [1]
  Value length_penalty;   ///< f32 [1]; null: no penalty
  Decoder decoder = {};
};

/// The list of finished sequences of each prompt, the best one first.
struct FinishedSequences {
  Value scores;     ///< f32 [prompts, beams], -infinity for an empty entry
  Value sequences;  ///< i32 [prompts, beams, length]
  Value count;      ///< i32 [prompts, 1]
  Value is_done;    ///< boolean [prompts, 1]
};

/// The state between two steps.
struct BeamProgress {
  DecoderState decoder;
  Value sequences;  ///< i32 [rows, length so far]
  Value scores;     ///< f32 [prompts, beams]
  FinishedSequences ended;

  /// Converts to and from the states of a Loop; `like` determines which values the decoder has.
  Values flat();
  static BeamProgress of(const Values& values, const BeamProgress& like);

 private:
  /// All values but those of the decoder.
  std::array<Value*, 6> own();
};

/// The state before the first step. Only the first beam of each prompt is continued: all are equal.
BeamProgress start_progress(NodeContext& node, const BeamSearch& search, DecoderState state, Value sequences);

/// The results of a step besides the state.
struct BeamChoice {
  Value is_unfinished;  ///< boolean scalar: whether any prompt is unfinished
  Value scores;         ///< f32 [prompts, beams, vocabulary]
};

/// Selects tokens by `logits`.
BeamChoice choose_beams(SearchScope& scope, const BeamSearch& search, Value logits, BeamProgress& now,
                        bool is_first);

/// The best sequences of each prompt and their scores: finished ones, and the beams of unfinished prompts.
/// Input `count` is their number.
Values select_best_sequences(NodeContext& node, const BeamSearch& search, BeamProgress& last,
                             std::size_t count);

}  // namespace onnx2ir::frontend
