// Shared by GreedySearch, Sampling, BeamSearch and WhisperBeamSearch: graphs in attributes, rules for the
// scores of tokens, and the Loop. The first step of a search is emitted before the Loop, because it reads the
// whole prompt and has no cache; the body reads one token per row.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "frontend/graph/graph_translator.hpp"
#include "frontend/graph/node_context.hpp"
#include "frontend/translators/onnx/loop_builder.hpp"

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

/// Runs the graph in attribute `attribute` of `node` on `inputs` and returns its outputs.
Values run_graph(NodeContext& node, SearchScope& scope, std::string_view attribute, const Values& inputs);

/// Repeats `step` in a Loop of at most `count` iterations (i64 scalar), or of none if `condition` (boolean
/// scalar) is false. A step takes the states and gives `row_count` rows.
LoopOutputs repeat(NodeContext& node, Value count, Value condition, const Values& initial,
                   const std::function<Iteration(SearchScope& scope, const Values& states)>& step,
                   std::size_t row_count = 0);

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

/// Pads `sequences` [..., length] with `filler` to `length` (i64 [1]), i32.
Value fill_sequences(Builder& builder, Value sequences, Value length, std::int64_t filler);

/// The best `count` (i64) elements along the last axis of a matrix, in descending order; of equal elements
/// the first one comes first.
struct Best {
  Value values;
  Value indices;  ///< i32
};
Best find_best(Builder& builder, Value scores, Value count);

}  // namespace onnx2ir::frontend
