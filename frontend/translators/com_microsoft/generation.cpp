#include "frontend/translators/com_microsoft/generation.hpp"

#include <string>
#include <string_view>

#include "base/scoped_value.hpp"
#include "frontend/graph/onnx_types.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/translators/onnx/control_flow.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// Runs the graph in attribute `attribute` of `node` on `inputs` and returns its outputs.
Values run_graph(NodeContext& node, SearchScope& scope, std::string_view attribute, const Values& inputs) {
  const onnx::GraphProto& proto = node.graph_attribute(attribute);
  if (static_cast<std::size_t>(proto.input_size()) != inputs.size())
    node.fail("its " + std::string(attribute) + " must have " + std::to_string(inputs.size()) + " inputs");
  // Each search translates its decoder several times.
  int& searches = node.translator().attempt().repeated.searches;
  if (searches > 0) node.fail("a search in the graph of another one is not converted");
  const base::ScopedValue counted(searches, searches + 1);
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

constexpr int kFirstGptCache = 3;

/// Appends a column of ones to `mask`.
Value extend_mask(Builder& builder, Value mask) {
  const Value sizes = concat(builder, {dimension_of(builder, mask, 0), builder.integers({1})});
  return concat(builder, {mask, fill(builder, 1, mask.type(), sizes)}, 1);
}

/// The scores of the last token, f32 [rows, vocabulary], from `logits` [rows, length, vocabulary].
Value take_last_logits(NodeContext& node, Builder& builder, Value logits) {
  if (node.rank(logits) != 3) node.fail("the logits of its decoder must have three dimensions");
  Value last = gather(builder, logits, builder.integer(-1), 1);
  if (const std::int64_t size = node.integer_attribute("vocab_size", -1); size > 0)
    last = slice(builder, last, 0, size, 1);
  return convert(builder, last, ElementType::f32);
}

/// An empty cache for input `declared` of a decoder; `rows` is i64 [1]. The axis of the steps is the second
/// to last.
Value emit_empty_cache(NodeContext& node, const onnx::ValueInfoProto& declared, std::size_t row_axis,
                       Value rows) {
  const auto type = to_tensor_type(declared.type());
  const std::size_t rank = row_axis + 4;
  if (!type || !type->shape.has_rank() || type->shape.rank() != rank)
    node.fail("the cache '" + declared.name() + "' must have " + std::to_string(rank) + " dimensions");
  Values sizes;
  for (std::size_t i = 0; i < rank; ++i) {
    if (i == row_axis) {
      sizes.push_back(rows);
    } else if (i == rank - 2) {
      sizes.push_back(node.integers({0}));
    } else if (type->shape[i].is_static()) {
      sizes.push_back(node.integers({type->shape[i].size()}));
    } else {
      node.fail("the number and the size of the heads in '" + declared.name() + "' must be known");
    }
  }
  return fill(node, 0, type->type, concat(node, sizes));
}

/// 1 for `tokens` (i32 [rows, length]) other than `pad_token`: the tokens that have positions.
Value emit_token_mask(Builder& builder, Value tokens, std::int64_t pad_token) {
  const Value pad = builder.integer(pad_token, ElementType::i32);
  return convert(builder, builder.op(ops::NotEqual, {tokens, pad}), ElementType::i32);
}

/// onnxruntime feeds the whole sequence unless the input is declared to be one token.
bool reads_sequences(const onnx::GraphProto& decoder) {
  const auto& shape = decoder.input(0).type().tensor_type().shape();
  return shape.dim_size() != 2 || shape.dim(1).dim_value() != 1;
}

}  // namespace

Value SearchScope::outer(Value value) const {
  return is_body_ ? as_tensor(translator_->capture(value)) : value;
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

std::vector<Value*> DecoderState::parts() {
  std::vector<Value*> all{&tokens};
  if (positions) all.push_back(&positions);
  if (mask) all.push_back(&mask);
  for (Value& cache : caches) all.push_back(&cache);
  return all;
}

Value emit_encoder_mask(Builder& builder, Value tokens, Value mask, std::int64_t pad_token) {
  if (mask) return mask;
  const Value seen = cumulative_sum(builder, emit_token_mask(builder, tokens, pad_token), 1);
  const Value has_begun = builder.op(ops::Greater, {seen, builder.integer(0, ElementType::i32)});
  return convert(builder, has_begun, ElementType::i32);
}

DecoderStep start_gpt(NodeContext& node, Value prompt, Value mask, std::int64_t pad_token) {
  const std::string_view attribute = node.has_attribute("init_decoder") ? "init_decoder" : "decoder";
  const onnx::GraphProto& proto = node.graph_attribute(attribute);
  if (proto.output_size() < 2 || proto.input_size() != proto.output_size() + kFirstGptCache - 1)
    node.fail("its decoder does not have the inputs input_ids, position_ids, attention_mask and past_* alone",
              "export it without a buffer that past and present share");
  const Value counted = emit_token_mask(node, prompt, pad_token);
  if (!mask) mask = counted;
  const Value counts = cumulative_sum(node, counted, 1);
  const Value before = node.op(ops::Subtract, {counts, node.integer(1, ElementType::i32)});
  Values inputs{prompt, node.op(ops::Multiply, {before, counted}), mask};
  const Value rows = dimension_of(node, prompt, 0);
  for (int i = kFirstGptCache; i < proto.input_size(); ++i)
    inputs.push_back(emit_empty_cache(node, proto.input(i), 1, rows));
  SearchScope outside(node.translator(), false);
  const Values outputs = run_graph(node, outside, attribute, inputs);
  DecoderStep step{take_last_logits(node, node, outputs[0]), {}};
  step.next.positions = reduce_keep_dims(node, ops::ReduceSum, counted, {1});
  step.next.mask = extend_mask(node, mask);
  step.next.caches.append(outputs.begin() + 1, outputs.end());
  return step;
}

DecoderStep run_decoder(NodeContext& node, SearchScope& scope, const Decoder& decoder,
                        const DecoderState& state) {
  Values inputs{state.tokens};
  if (state.positions) inputs.push_back(state.positions);
  if (state.mask) inputs.push_back(state.mask);
  for (const Value& value : decoder.before) inputs.push_back(scope.outer(value));
  inputs.append(state.caches.begin(), state.caches.end());
  for (const Value& value : decoder.after) inputs.push_back(scope.outer(value));
  const Values outputs = run_graph(node, scope, "decoder", inputs);
  if (outputs.size() != state.caches.size() + 1)
    node.fail("its decoder must return the logits and " + std::to_string(state.caches.size()) + " caches");
  DecoderStep step{take_last_logits(node, scope, outputs[0]), {}};
  if (state.positions)
    step.next.positions = scope.op(ops::Add, {state.positions, scope.integer(1, ElementType::i32)});
  if (state.mask) step.next.mask = extend_mask(scope, state.mask);
  step.next.caches.append(outputs.begin() + 1, outputs.end());
  return step;
}

DecoderStep start_with_encoder(NodeContext& node, Decoder& decoder, Value source, Value mask, Value start) {
  const onnx::GraphProto& encoder_graph = node.graph_attribute("encoder");
  const onnx::GraphProto& graph = node.graph_attribute("decoder");
  Values inputs{source};
  if (mask) inputs.push_back(mask);
  const int fixed = static_cast<int>(inputs.size());  // inputs of the decoder before the hidden states
  const bool has_hidden_states =
      graph.input_size() > fixed && graph.input(fixed).name() == "encoder_hidden_states";
  const int first = fixed + (has_hidden_states ? 1 : 0);
  // An encoder that also reads the first tokens gives their scores, the hidden states and the first caches.
  const bool gives_logits = encoder_graph.input_size() == fixed + 1;
  const int own = graph.output_size() - 1;
  const int crossed = graph.input_size() - first - own;
  if (own < 1 || crossed < 1 || encoder_graph.output_size() != (gives_logits ? 2 + own : 0) + crossed ||
      (has_hidden_states && !gives_logits))
    node.fail("its encoder and decoder do not have the inputs and outputs of T5 or Whisper",
              "export them without a buffer that past and present share");
  if (gives_logits) inputs.push_back(start);
  SearchScope outside(node.translator(), false);
  const Values encoded = run_graph(node, outside, "encoder", inputs);
  decoder.row_axis = 0;
  decoder.reads_sequences = reads_sequences(graph);
  if (mask) decoder.before.push_back(mask);
  if (has_hidden_states) decoder.before.push_back(encoded[1]);
  decoder.after.append(encoded.end() - crossed, encoded.end());
  if (gives_logits) {
    DecoderStep step{take_last_logits(node, node, encoded[0]), {}};
    step.next.caches.append(encoded.begin() + 2, encoded.begin() + 2 + own);
    return step;
  }
  DecoderState state{start, {}, {}, {}};
  const Value rows = dimension_of(node, source, 0);
  for (int i = first; i < first + own; ++i)
    state.caches.push_back(emit_empty_cache(node, graph.input(i), 0, rows));
  return run_decoder(node, outside, decoder, state);
}

}  // namespace onnx2ir::frontend
