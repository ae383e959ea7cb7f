#include "frontend/translators/com_microsoft/generation.hpp"

#include <limits>
#include <string>

#include "frontend/reader/onnx_proto.hpp"
#include "frontend/translators/com_microsoft/repeated_ngrams.hpp"
#include "frontend/translators/onnx/control_flow.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"

namespace onnx2ir::frontend {

Value SearchScope::outer(Value value) const {
  return is_body_ ? as_tensor(translator_->capture(value)) : value;
}

namespace {

/// Counts the searches around the current node.
class NestedSearch {
 public:
  explicit NestedSearch(NodeContext& node) : searches_(node.translator().attempt().repeated.searches) {
    // Each search translates its decoder several times.
    if (searches_ > 0) node.fail("a search in the graph of another one is not converted");
    ++searches_;
  }
  NestedSearch(const NestedSearch&) = delete;
  NestedSearch& operator=(const NestedSearch&) = delete;
  ~NestedSearch() { --searches_; }

 private:
  int& searches_;
};

}  // namespace

Values run_graph(NodeContext& node, SearchScope& scope, std::string_view attribute, const Values& inputs) {
  const onnx::GraphProto& proto = node.graph_attribute(attribute);
  if (static_cast<std::size_t>(proto.input_size()) != inputs.size())
    node.fail("its " + std::string(attribute) + " must have " + std::to_string(inputs.size()) + " inputs");
  const NestedSearch nested(node);
  // In the loop, the graph occurs again: it may need other branches there than in the first step.
  const BodySite site{node.translator().body_of(node.proto(), attribute).path,
                      scope.translator().body_of(node.proto(), attribute).occurrence};
  GraphTranslator inner(scope.translator(), GraphTranslator::Kind::inlined, scope.translator().graph(), site);
  for (int i = 0; i < proto.input_size(); ++i)
    inner.bind(proto.input(i).name(), inputs[static_cast<std::size_t>(i)]);
  Operands outputs;
  if (!inner.translate(proto, outputs)) throw base::Failure::reported();
  Values values;
  for (const Operand& output : outputs) {
    values.push_back(as_tensor(output));
    if (!values.back()) node.fail("an output of its " + std::string(attribute) + " is not a tensor");
  }
  return values;
}

LoopOutputs repeat(NodeContext& node, Value count, Value condition, const Values& initial,
                   const std::function<Iteration(SearchScope& scope, const Values& states)>& step,
                   std::size_t row_count) {
  // Names that the decoder does not use, because the body sees the names of enclosing graphs.
  const std::string prefix = std::string(node.output_name(0)) + " of " + std::string(node.op_type()) + " ";
  onnx::GraphProto signature;
  signature.add_output()->set_name(prefix + "condition");
  for (std::size_t i = 0; i < initial.size(); ++i) {
    signature.add_input()->set_name(prefix + "state " + std::to_string(i));
    signature.add_output()->set_name(prefix + "next state " + std::to_string(i));
  }
  for (std::size_t i = 0; i < row_count; ++i)
    signature.add_output()->set_name(prefix + "row " + std::to_string(i));
  IteratedBody body{.proto = &signature, .first_state_input = 0, .first_state_output = 1};
  for (const Value& value : initial) body.initial.push_back(value);
  body.bind_others = [&](GraphTranslator& translator, Builder&, Value, Value) {
    SearchScope scope(translator, true);
    Values states;
    for (const auto& input : signature.input())
      states.push_back(as_tensor(translator.find(input.name()).operand));
    const Iteration result = step(scope, states);
    Values outputs{result.condition};
    outputs.append(result.states.begin(), result.states.end());
    outputs.append(result.rows.begin(), result.rows.end());
    for (std::size_t i = 0; i < outputs.size(); ++i)
      translator.bind(signature.output(static_cast<int>(i)).name(), outputs[i]);
  };
  TranslatedBody translated = translate_to_fixpoint(node, body);
  const Value next_condition = as_tensor(translated.outputs[0]);
  std::vector<ScanOutput> scans;
  for (std::size_t i = 0; i < row_count; ++i)
    scans.push_back({as_tensor(translated.outputs[1 + initial.size() + i]), 0, true});
  const std::vector<bool> is_used(initial.size(), true);
  const LoopResult last =
      make_loop(node, count, condition, body, std::move(translated), next_condition, is_used, scans);
  LoopOutputs result{{}, last.scans};
  for (const Operand& state : last.states) result.states.push_back(as_tensor(state));
  return result;
}

namespace {

/// Whether each token of the vocabulary occurs in a row of `sequences`: boolean, in the shape of `scores`.
Value find_seen_tokens(Builder& builder, Value sequences, Value scores) {
  const Value none = fill(builder, 0, ElementType::i32, shape_of(builder, scores));
  const Value ones = fill(builder, 1, ElementType::i32, shape_of(builder, sequences));
  const Value seen = scatter(builder, none, sequences, ones, 1, "max");
  return builder.op(ops::Greater, {seen, builder.integer(0, ElementType::i32)});
}

Value penalize(Builder& builder, Value scores, Value sequences, Value penalty) {
  const Value is_negative = builder.op(ops::Less, {scores, builder.number_like(0, scores)});
  const Value worse = builder.op(ops::Select, {is_negative, builder.op(ops::Multiply, {scores, penalty}),
                                               divide(builder, scores, penalty)});
  return builder.op(ops::Select, {find_seen_tokens(builder, sequences, scores), worse, scores});
}

/// The score of a token that must not be selected.
Value emit_lowest(Builder& builder) {
  return builder.number(std::numeric_limits<float>::lowest(), ElementType::f32);
}

Value keep_allowed(Builder& builder, Value scores, Value allowed) {
  return builder.op(ops::Select, {allowed, scores, emit_lowest(builder)});
}

/// The score of the end token is masked below `length`.
Value find_allowed_tokens(Builder& builder, Value scores, Value sequences, Value length,
                          std::int64_t end_token) {
  const Value tokens = emit_range(builder, size_of(builder, scores, 1));
  const Value is_other = builder.op(ops::NotEqual, {tokens, builder.integer(end_token)});
  const Value is_long = builder.op(ops::GreaterEqual, {dimension_of(builder, sequences, 1), length});
  return builder.op(ops::LogicalOr, {is_other, is_long});
}

}  // namespace

Value apply_score_rules(SearchScope& scope, const ScoreRules& rules, Value scores, Value sequences,
                        bool is_first) {
  if (rules.repetition_penalty)
    scores = penalize(scope, scores, sequences, scope.outer(rules.repetition_penalty));
  if (rules.ngram_size > 0) {
    const Value tokens = convert(scope, sequences, ElementType::i64);
    const Value repeated = find_repeated_ngrams(scope, tokens, scores, rules.ngram_size);
    scores = scope.op(ops::Select, {repeated, emit_lowest(scope), scores});
  }
  if (rules.vocabulary) scores = keep_allowed(scope, scores, scope.outer(rules.vocabulary));
  if (rules.first_vocabulary && is_first)
    scores = keep_allowed(scope, scores, scope.outer(rules.first_vocabulary));
  if (rules.min_length) {
    const Value length = scope.outer(rules.min_length);
    scores =
        keep_allowed(scope, scores, find_allowed_tokens(scope, scores, sequences, length, rules.end_token));
  }
  if (rules.temperature) {
    const Value temperature = scope.outer(rules.temperature);
    const Value is_positive = scope.op(ops::Greater, {temperature, scope.number_like(0, temperature)});
    const Value divisor =
        scope.op(ops::Select, {is_positive, temperature, scope.number_like(1, temperature)});
    scores = divide(scope, scores, divisor);
  }
  return scores;
}

namespace {

/// A mask input as boolean; null if absent.
Value read_mask(NodeContext& node, std::size_t index) {
  if (!node.has_input(index)) return {};
  const Value mask = node.input(index);
  return node.op(ops::NotEqual, {mask, node.number_like(0, mask)});
}

}  // namespace

ScoreRules read_rules(NodeContext& node, const RuleInputs& inputs) {
  ScoreRules rules;
  rules.repetition_penalty = read_optional_vector(node, inputs.repetition_penalty, ElementType::f32);
  rules.ngram_size = node.integer_attribute("no_repeat_ngram_size", 0);
  if (rules.ngram_size > kMaxNgram)
    node.fail("no_repeat_ngram_size must not be greater than " + std::to_string(kMaxNgram));
  rules.vocabulary = read_mask(node, inputs.vocab_mask);
  rules.first_vocabulary = read_mask(node, inputs.prefix_vocab_mask);
  rules.min_length = read_optional_vector(node, inputs.min_length, ElementType::i64);
  rules.end_token = node.integer_attribute("eos_token_id");
  return rules;
}

Value fill_sequences(Builder& builder, Value sequences, Value length, std::int64_t filler) {
  const auto last = static_cast<std::int64_t>(sequences.shape().rank()) - 1;
  Values sizes = dimensions_of(builder, sequences, 0, last);
  sizes.push_back(builder.op(ops::Subtract, {length, dimension_of(builder, sequences, last)}));
  const Value filling = fill(builder, static_cast<double>(filler), ElementType::i32, concat(builder, sizes));
  return concat(builder, {sequences, filling}, last);
}

Best find_best(Builder& builder, Value scores, Value count) {
  ir::Node& top = top_k(builder, scores, count, 1, "max", ElementType::i32);
  return {top.value(0), top.value(1)};
}

}  // namespace onnx2ir::frontend
