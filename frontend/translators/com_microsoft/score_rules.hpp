// Rules for the scores of tokens in searches: penalties, masks, and the timestamps in the sequences of
// Whisper, which are pairs of tokens after the text and never decrease.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "frontend/translators/com_microsoft/generation.hpp"

namespace onnx2ir::frontend {

/// Changes of the scores before tokens are selected. All values are in the node's graph; null: not given.
struct ScoreRules {
  Value repetition_penalty;  ///< f32 [1]
  std::int64_t ngram_size = 0;
  Value vocabulary;        ///< boolean [vocabulary]: tokens that are allowed
  Value first_vocabulary;  ///< boolean [rows, vocabulary]: tokens that may come first
  Value min_length;        ///< i64 [1]
  std::int64_t end_token = 0;
  Value temperature;  ///< f32 [1]; not applied unless positive
};

/// Applies the rules to `scores` [rows, vocabulary] after `sequences` (i32 [rows, length]).
Value apply_score_rules(SearchScope& scope, const ScoreRules& rules, Value scores, Value sequences,
                        bool is_first);

/// The indices of the inputs with rules.
struct RuleInputs {
  std::size_t min_length;
  std::size_t repetition_penalty;
  std::size_t vocab_mask;
  std::size_t prefix_vocab_mask;
};

/// The rules in the node's attributes and inputs.
ScoreRules read_rules(NodeContext& node, const RuleInputs& inputs);

/// The tokens that the rules are about. Timestamps are `first_timestamp` and all tokens after it; tokens
/// below `end` are text.
struct TimestampRules {
  std::int64_t end;
  std::int64_t start;
  std::int64_t translate;
  std::int64_t transcribe;
  std::int64_t start_of_lm;
  std::int64_t no_timestamps;
  std::int64_t first_timestamp;
  Value is_active;  ///< boolean [1], in the node's graph; null: the rules always apply
};

/// The rules in the attributes of `node` if its input `logits_processor` can choose them (value 1).
std::optional<TimestampRules> timestamp_rules_of(NodeContext& node, std::size_t logits_processor);

/// Masks tokens in `scores` (logarithms of probabilities, [rows, vocabulary]) that must not follow
/// `sequences` (i32 [rows, length]), and all tokens but timestamps where timestamps are more probable than
/// any other token.
Value apply_timestamp_rules(SearchScope& scope, const TimestampRules& rules, Value scores, Value sequences);

}  // namespace onnx2ir::frontend
