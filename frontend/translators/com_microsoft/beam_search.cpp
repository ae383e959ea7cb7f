// BeamSearch and WhisperBeamSearch: continue several sequences per prompt and return the best ones.
#include "frontend/translators/com_microsoft/beam_selection.hpp"
#include "frontend/translators/com_microsoft/operands.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

// BeamSearch lacks the last ones.
using Input = inputs::microsoft::WhisperBeamSearch;
using Output = outputs::microsoft::WhisperBeamSearch;

BeamSearch read_search(NodeContext& node, Value prompt) {
  BeamSearch search;
  search.pad_token = node.integer_attribute("pad_token_id");
  search.is_early = node.flag_attribute("early_stopping");
  search.prompts = dimension_of(node, prompt, 0);
  search.length = read_vector(node, Input::max_length, ElementType::i64);
  search.beams = read_vector(node, Input::num_beams, ElementType::i64);
  search.length_penalty = read_optional_vector(node, Input::length_penalty, ElementType::f32);
  search.rules = read_rules(
      node, {Input::min_length, Input::repetition_penalty, Input::vocab_mask, Input::prefix_vocab_mask});
  return search;
}

/// Runs the first step on the prompts, then repeats each of them for its beams.
void repeat_for_beams(NodeContext& node, BeamSearch& search, DecoderStep& first, Value& sequences) {
  const Value prompts = unsqueeze(node, emit_range(node, search.prompts), {1});
  const Value sizes = concat(node, {search.prompts, search.beams});
  const Value rows = flatten(node, broadcast_to(node, prompts, sizes));
  const auto repeat = [&](Value& value, std::int64_t axis) {
    if (value) value = gather(node, value, rows, axis);
  };
  repeat(first.logits, 0);
  repeat(first.next.positions, 0);
  repeat(first.next.mask, 0);
  for (Value& cache : first.next.caches) repeat(cache, search.decoder.row_axis);
  for (Values* fixed : {&search.decoder.before, &search.decoder.after}) {
    for (Value& value : *fixed) repeat(value, 0);
  }
  repeat(search.rules.first_vocabulary, 0);
  repeat(sequences, 0);
}

/// f32 [prompts]: the probability of the token for silence after the first tokens; null if not needed.
Value compute_no_speech_probabilities(NodeContext& node, Value logits) {
  if (!node.has_output(Output::non_speech_probs)) return {};
  const Value token = node.integer(node.integer_attribute("no_speech_token_id"));
  return gather(node, node.op(ops::SoftMax, {logits}, {{"axis", 1}}), token, 1);
}

/// The scores of all tokens in each step, f32 [`steps`, prompts, beams, vocabulary]: of the `first` step and
/// of the `rest`, and 0 for the steps after the end of all prompts. `steps` is i64 [1].
Value stack_scores(NodeContext& node, Value first, Value rest, Value steps) {
  // A Loop of no iterations gives rows without sizes.
  const Value rows = reshape(node, rest, concat(node, {node.integers({-1}), shape_of(node, first)}));
  const Value known = concat(node, {unsqueeze(node, first, {0}), rows}, 0);
  const Value missing = node.op(ops::Subtract, {steps, dimension_of(node, known, 0)});
  const Value sizes = concat(node, {missing, shape_of(node, first)});
  return concat(node, {known, fill(node, 0, ElementType::f32, sizes)}, 0);
}

// Values of the attribute model_type; 1 is T5.
constexpr std::int64_t kGpt = 0;
constexpr std::int64_t kWhisper = 2;

/// The tokens that all sequences begin with, i32 [prompts, length].
Value emit_first_tokens(NodeContext& node, const BeamSearch& search, std::int64_t type) {
  if (type == kGpt) return node.input(Input::input_ids);
  if (type == kWhisper && node.has_input(Input::decoder_input_ids))
    return node.input(Input::decoder_input_ids);
  const Value start = node.integer(node.integer_attribute("decoder_start_token_id", -1), ElementType::i32);
  return broadcast_to(node, start, concat(node, {search.prompts, node.integers({1})}));
}

/// The first step of the decoder, after `sequences`.
DecoderStep start(NodeContext& node, BeamSearch& search, std::int64_t type, Value sequences) {
  const Value prompt = node.input(Input::input_ids);
  if (type == kWhisper) return start_with_encoder(node, search.decoder, prompt, {}, sequences);
  const Value mask = node.optional_input(Input::attention_mask);
  if (type == kGpt) return start_gpt(node, prompt, mask, search.pad_token);
  const Value known_mask = emit_encoder_mask(node, prompt, mask, search.pad_token);
  return start_with_encoder(node, search.decoder, prompt, known_mask, sequences);
}

Values search_beams(NodeContext& node, std::int64_t type) {
  const Value prompt = node.input(Input::input_ids);
  if (type < kGpt || type > kWhisper)
    node.fail("model_type " + std::to_string(type) + " is not one of GPT-2, T5 and Whisper (0, 1, 2)");
  if (node.rank(prompt) != (type == kWhisper ? 3 : 2))
    node.fail(type == kWhisper ? "input_features must have three dimensions" : "input_ids must be a matrix");
  BeamSearch search = read_search(node, prompt);
  if (type == kWhisper) {
    search.rules.temperature = read_optional_vector(node, Input::temperature, ElementType::f32);
    search.timestamps = timestamp_rules_of(node, Input::logits_processor);
  }
  Value sequences = emit_first_tokens(node, search, type);
  if (node.rank(sequences) != 2) node.fail("decoder_input_ids must be a matrix");
  DecoderStep first = start(node, search, type, sequences);
  const Value no_speech = compute_no_speech_probabilities(node, first.logits);
  repeat_for_beams(node, search, first, sequences);
  BeamProgress progress = start_progress(node, search, std::move(first.next), sequences);
  SearchScope outside(node.translator(), false);
  const BeamChoice choice = choose_beams(outside, search, first.logits, progress, true);
  const Value left = node.op(ops::Subtract, {search.length, dimension_of(node, progress.sequences, 1)});
  const bool gives_scores = node.has_output(Output::scores);
  const auto step = [&](SearchScope& scope, const Values& states) {
    BeamProgress now = BeamProgress::of(states, progress);
    if (search.decoder.reads_sequences) now.decoder.tokens = now.sequences;
    DecoderStep result = run_decoder(node, scope, search.decoder, now.decoder);
    now.decoder = std::move(result.next);
    const BeamChoice next = choose_beams(scope, search, result.logits, now, false);
    return Iteration{now.flat(), gives_scores ? Values{next.scores} : Values{}, next.is_unfinished};
  };
  const Value most = squeeze(node, left, {0});
  const LoopOutputs last =
      repeat(node, most, choice.is_unfinished, progress.flat(), step, gives_scores ? 1 : 0);
  BeamProgress end = BeamProgress::of(last.states, progress);
  Values outputs = select_best_sequences(node, search, end, Input::num_return_sequences);
  if (gives_scores) {
    const Value steps = node.op(ops::Add, {left, node.integers({1})});
    outputs.push_back(stack_scores(node, choice.scores, last.scans[0], steps));
  }
  if (no_speech) {
    outputs.resize(Output::non_speech_probs + 1);
    outputs[Output::non_speech_probs] = no_speech;
  }
  return outputs;
}

Values beam_search(NodeContext& node) {
  return search_beams(node, node.integer_attribute("model_type", kGpt));
}

Values whisper_beam_search(NodeContext& node) {
  if (node.has_input(Input::extra_decoding_ids))
    node.fail("extra_decoding_ids is not converted", "append them to decoder_input_ids");
  if (node.has_output(Output::cross_qk) || node.flag_attribute("decoder_output_cross_qk"))
    node.fail("the scores of the cross attention (output 3) are not converted");
  return search_beams(node, node.integer_attribute("model_type", kWhisper));
}

}  // namespace

std::vector<TranslatorRow> microsoft_beam_search_translators() {
  return {{"BeamSearch", 1, beam_search, "decoders that share a buffer between past and present",
           "decoder_start_token_id"},
          {"WhisperBeamSearch", 1, whisper_beam_search,
           "decoders that share a buffer between past and present, cross_qk, extra_decoding_ids",
           "decoder_start_token_id no_speech_token_id"}};
}

}  // namespace onnx2ir::frontend
