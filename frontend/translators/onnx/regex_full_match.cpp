// RegexFullMatch: a Loop whose iterations feed the next byte of all strings to an automaton.
#include "frontend/strings/byte_automaton.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/loop_builder.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"
#include "frontend/translators/onnx/string_list.hpp"

namespace onnx2ir::frontend {
namespace {

constexpr ElementType kWhole = ElementType::i32;

ByteAutomaton automaton_of(const NodeContext& node, const std::string& pattern) {
  auto automaton = byte_automaton(pattern);
  if (!automaton) node.fail("the pattern cannot be converted: " + automaton.error().message);
  return *std::move(automaton);
}

/// The transitions with an additional class for positions after the end of a string, which keeps every state.
/// States are numbered by the offset of their transitions.
std::vector<std::int64_t> transitions(const ByteAutomaton& automaton) {
  std::vector<std::int64_t> result;
  const std::int64_t width = automaton.class_count + 1;
  for (std::size_t state = 0; state < automaton.accepts.size(); ++state) {
    for (std::int32_t i = 0; i < automaton.class_count; ++i) {
      result.push_back(width * automaton.next[state * static_cast<std::size_t>(automaton.class_count) +
                                              static_cast<std::size_t>(i)]);
    }
    result.push_back(width * static_cast<std::int64_t>(state));
  }
  return result;
}

/// Whether each state accepts, by the offset of its transitions.
std::vector<std::int64_t> acceptance(const ByteAutomaton& automaton) {
  std::vector<std::int64_t> result;
  for (const bool accepts : automaton.accepts) {
    result.insert(result.end(), static_cast<std::size_t>(automaton.class_count) + 1, accepts ? 1 : 0);
  }
  return result;
}

/// The classes of all bytes, one row per position in the strings: [longest + 1, strings].
Value compute_classes(NodeContext& node, const StringList& texts, const ByteAutomaton& automaton) {
  const Value count = node.op(ops::Add, {texts.find_longest(node), node.integer(1, kWhole)});
  const Value places = unsqueeze(node, emit_range(node, count, kWhole), {1});
  const Value inside = node.op(ops::Less, {places, texts.lengths()});
  const Value bytes = concat(node, {convert(node, texts.bytes(), kWhole), node.integers({0}, kWhole)});
  const Value read = gather_bytes(node, bytes, node.op(ops::Add, {places, texts.begins()}), inside);
  const std::vector<std::int64_t> classes(automaton.class_of_byte.begin(), automaton.class_of_byte.end());
  return node.op(ops::Select, {inside, gather(node, node.integers(classes, kWhole), read),
                               node.integer(automaton.class_count, kWhole)});
}

/// RegexFullMatch 20.
Values regex_full_match_20(NodeContext& node) {
  const ByteAutomaton automaton = automaton_of(node, node.text_attribute("pattern"));
  if (node.input(0).shape().element_count() == 0) {
    return {fill(node, 0, ElementType::boolean, shape_of(node, node.input(0)))};
  }
  const StringList texts(node, node.input(0));
  const Value classes = compute_classes(node, texts, automaton);
  const std::vector<std::int64_t> next = transitions(automaton);
  const auto write = [&](Builder& body, Value place, const Values& states, const Values& invariants) {
    const Value index = body.op(ops::Add, {states[0], gather(body, invariants[0], place)});
    return Iteration{{gather(body, body.integers(next, kWhole), index)}, {}};
  };
  const Value first = node.op(ops::Multiply, {texts.lengths(), node.integer(0, kWhole)});
  const LoopOutputs loop = iterate(node, size_of(node, classes, 0), {first}, {classes}, write);
  const Value accepts = gather(node, node.integers(acceptance(automaton), kWhole), loop.states[0]);
  const Value matches = node.op(ops::NotEqual, {accepts, node.integer(0, kWhole)});
  return {texts.reshape_to_tensor(node, matches)};
}

}  // namespace

std::vector<TranslatorRow> regex_match_translators() {
  return {{"RegexFullMatch", 20, regex_full_match_20, "patterns with \\p; flag i beyond ASCII"}};
}

}  // namespace onnx2ir::frontend
