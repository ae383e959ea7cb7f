// The timestamps in the sequences of Whisper: pairs of tokens after the text, which never decrease.
#pragma once

#include <cstdint>
#include <optional>

#include "frontend/translators/com_microsoft/generation.hpp"

namespace onnx2ir::frontend {

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
