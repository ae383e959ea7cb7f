// What GreedySearch, Sampling and BeamSearch have in common: graphs that are attributes, rules for the scores
// of tokens, and the Loop. The first step of a search is emitted in front of the Loop, because it reads the
// whole prompt and has no cache; the body reads one token for each row.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "frontend/graph/graph_translator.hpp"
#include "frontend/graph/node_context.hpp"

namespace onnx2ir::frontend {

/// Where a search emits operations: in the graph of its node, or in the body of its Loop.
class SearchScope {
 public:
  SearchScope(GraphTranslator& translator, bool is_body)
      : builder_(translator.graph()), translator_(&translator), is_body_(is_body) {}

  Builder& builder() { return builder_; }
  /// The value that stands here for a value of the node's graph.
  Value outer(Value value) const;
  GraphTranslator& translator() const { return *translator_; }

 private:
  Builder builder_;
  GraphTranslator* translator_;
  bool is_body_;
};

/// The outputs of the graph that is attribute `attribute` of `node`, run on `inputs`.
Values run_graph(NodeContext& node, SearchScope& scope, std::string_view attribute, const Values& inputs);

/// Repeats `step` in a Loop of at most `count` iterations (i64 scalar), none if `goes_on` (boolean scalar) is
/// false. A step takes and returns the states; it sets its last argument to whether another one follows.
/// Returns the last states.
Values repeat(NodeContext& node, Value count, Value goes_on, const Values& initial,
              const std::function<Values(SearchScope& scope, const Values& states, Value& goes_on)>& step);

/// How scores are changed before tokens are chosen. All values are of the node's graph; null: not given.
struct ScoreRules {
  Value repetition_penalty;  ///< f32 [1]
  std::int64_t ngram_size = 0;
  Value vocabulary;        ///< boolean [vocabulary]: tokens that may be chosen
  Value first_vocabulary;  ///< boolean [rows, vocabulary]: tokens that may be chosen first
  Value min_length;        ///< i64 [1]
  std::int64_t end_token = 0;
  double temperature = 0;  ///< 0: not given
};

/// `scores` [rows, vocabulary] by the rules, after `sequences` (i32 [rows, length]).
Value by_rules(SearchScope& scope, const ScoreRules& rules, Value scores, Value sequences, bool is_first);

/// An input of one element as i64 [1] or f32 [1]; null when absent.
Value parameter_of(NodeContext& node, std::size_t index, ElementType type);
/// The rules that the node's attributes and inputs give: the minimum length is input 2; the repetition
/// penalty is input `penalty`, and the masks of the vocabulary are the two inputs after it.
ScoreRules rules_of(NodeContext& node, std::size_t penalty);

/// `sequences` [..., length] with `filler` behind them, up to `length` (i64 [1]) in all, i32.
Value filled_sequences(Builder& builder, Value sequences, Value length, std::int64_t filler);

/// The best `count` (i64) along the last axis of a matrix, in falling order; the first one of equals comes
/// first.
struct Best {
  Value values;
  Value indices;  ///< i32
};
Best best(Builder& builder, Value scores, Value count);

}  // namespace onnx2ir::frontend
