// Operators on sequences of tensors (frontend/graph/packed_sequence.hpp) and on optionals, which are a value
// and a boolean. SequenceMap has no row: its function body is a Loop that uses the operators on sequences.
#include <utility>

#include "frontend/graph/onnx_types.hpp"
#include "frontend/graph/packed_sequence.hpp"
#include "frontend/graph/required_rank.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/operands.hpp"
#include "ir/inference.hpp"

namespace onnx2ir::frontend {
namespace {

std::shared_ptr<const Sequence> sequence_input(const NodeContext& node, std::size_t index) {
  const Operand& operand = node.operand(index);
  // Some exporters pass optionals, as OptionalGetElement and others accept them.
  const auto* optional = std::get_if<std::shared_ptr<const Optional>>(&operand);
  const bool has_content = optional != nullptr && (*optional)->content != nullptr;
  const Operand& content = has_content ? *(*optional)->content : operand;
  if (const auto* sequence = std::get_if<std::shared_ptr<const Sequence>>(&content)) return *sequence;
  node.fail("input " + std::to_string(index) + " must be a sequence");
}

/// Identity 1, 13, 14, 16, 19, 21, 23, 24, 25: tensors, from 14 on sequences, from 16 on optionals.
Operands identity_1(NodeContext& node) {
  if (!node.has_input(0)) node.fail("input 0 is missing");
  return {node.operand(0)};
}

Operands sequence_empty_11(NodeContext& node) {
  constexpr std::int64_t kUndefined = 0;
  constexpr std::int64_t kFloat = 1;
  Sequence sequence;
  // The function body of SequenceMap has the type that its body declares for the elements, or none.
  const std::int64_t type = node.integer_attribute("dtype", kFloat);
  if (type != kUndefined) sequence.type = node.element_type(type);
  sequence.elements.emplace();
  return {make_sequence(std::move(sequence))};
}

Operands sequence_construct_11(NodeContext& node) {
  Sequence sequence;
  sequence.type = node.input(0).type();
  sequence.elements.emplace();
  for (const Value& tensor : node.inputs()) sequence = insert(node, sequence, tensor, {});
  return {make_sequence(std::move(sequence))};
}

Operands sequence_insert_11(NodeContext& node) {
  using Input = inputs::SequenceInsert;
  return {make_sequence(insert(node, *sequence_input(node, Input::input_sequence), node.input(Input::tensor),
                               node.optional_input(Input::position)))};
}

Operands sequence_erase_11(NodeContext& node) {
  return {make_sequence(erase(node, *sequence_input(node, 0), node.optional_input(1)))};
}

/// If the rank of the elements of `sequence`, a model input, is open and it follows from that of the output,
/// notes it, and fails. `difference` is the rank of the output minus that of an element.
void find_rank_from_output(const NodeContext& node, const Sequence& sequence, std::int64_t difference) {
  if (sequence.open_rank == nullptr || sequence.shape.has_rank()) return;
  auto rank = node.declared_rank(0);
  if (!rank && must_be_list(node.translator(), std::string(node.output_name(0)))) rank = 1;
  if (rank && *rank >= difference) node.fail(note_rank(*sequence.open_rank, *rank - difference));
}

Values sequence_at_11(NodeContext& node) {
  const auto sequence = sequence_input(node, 0);
  find_rank_from_output(node, *sequence, 0);
  return {take_element(node, *sequence, node.input(1))};
}

Values sequence_length_11(NodeContext& node) {
  return {emit_length(node, *sequence_input(node, 0))};
}

Values concat_from_sequence_11(NodeContext& node) {
  const auto sequence = sequence_input(node, 0);
  const bool has_new_axis = node.flag_attribute("new_axis");
  find_rank_from_output(node, *sequence, has_new_axis ? 1 : 0);
  return {concatenate(node, *sequence, node.integer_attribute("axis"), has_new_axis)};
}

/// SplitToSequence 11, 24: 24 adds element types. The specification ignores keepdims if lengths are given,
/// but PyTorch relies on it for a single length of 1, and onnxruntime respects it.
Operands split_to_sequence_11(NodeContext& node) {
  const bool keep_dimension = node.flag_attribute("keepdims", true);
  Value lengths = node.optional_input(1);
  if (lengths && lengths.shape().is_scalar() && !keep_dimension) {
    const auto length = ir::exact_values(lengths);
    if (!length) node.fail("keepdims is 0, and it is not known whether the slices' length is 1");
    if (length->front() == 1) lengths = {};
  }
  return {
      make_sequence(split(node, node.input(0), lengths, node.integer_attribute("axis", 0), keep_dimension))};
}

/// The placeholder content of an absent optional of `type`.
std::shared_ptr<const Operand> emit_placeholder_content(Builder& builder, const OperandType& type) {
  if (!type.shape.has_rank()) return nullptr;
  Optional absent;
  const OperandType optional{.kind = OperandType::Kind::optional,
                             .content = std::make_shared<const OperandType>(type)};
  absent.has_value = builder.boolean(false);
  const Values tensors = split_operand(builder, make_optional(absent), optional, Boundary::body);
  std::size_t next = 1;
  return std::make_shared<const Operand>(join_operand(type, tensors, next, Boundary::body));
}

Operands optional_15(NodeContext& node) {
  Optional optional;
  if (node.has_input(0)) {
    optional.has_value = node.boolean(true);
    optional.content = std::make_shared<const Operand>(node.operand(0));
    return {make_optional(std::move(optional))};
  }
  optional.has_value = node.boolean(false);
  const auto type = to_operand_type(node.type_attribute("type"));
  if (!type) node.fail("attribute 'type' " + type.error().message);
  optional.content = emit_placeholder_content(node, *type);
  return {make_optional(std::move(optional))};
}

/// 15 accepts optionals; 18 also accepts tensors and sequences, which are always present, and a missing
/// input.
Values optional_has_element_15(NodeContext& node) {
  if (!node.has_input(0)) return {node.boolean(false)};
  const Operand operand = node.operand(0);
  if (const auto* optional = std::get_if<std::shared_ptr<const Optional>>(&operand))
    return {(*optional)->has_value};
  return {node.boolean(true)};
}

Operands optional_get_element_15(NodeContext& node) {
  const Operand& operand = node.operand(0);
  if (is_absent(operand)) node.fail("input 0 is missing");
  const auto* optional = std::get_if<std::shared_ptr<const Optional>>(&operand);
  if (optional == nullptr) return {operand};
  if ((*optional)->content == nullptr)
    node.fail("the optional never has an element, and the rank of its element is not known");
  return {*(*optional)->content};
}

}  // namespace

std::vector<TranslatorRow> sequence_translators() {
  return {
      {.name = "Identity", .since = 1, .translate = identity_1, .ranks = RankRule::map},
      // onnxruntime saves these in models that it has optimised for a GPU.
      {.name = "MemcpyFromHost", .since = 1, .translate = identity_1, .ranks = RankRule::map},
      {.name = "MemcpyToHost", .since = 1, .translate = identity_1, .ranks = RankRule::map},
      {"SequenceEmpty", 11, sequence_empty_11},
      {"SequenceConstruct", 11, sequence_construct_11},
      {"SequenceInsert", 11, sequence_insert_11},
      {"SequenceErase", 11, sequence_erase_11},
      {"SequenceAt", 11, sequence_at_11},
      {"SequenceLength", 11, sequence_length_11},
      {"ConcatFromSequence", 11, concat_from_sequence_11},
      {"SplitToSequence", 11, split_to_sequence_11},
      {"Optional", 15, optional_15},
      {"OptionalGetElement", 15, optional_get_element_15},
      {"OptionalHasElement", 15, optional_has_element_15},
  };
}

}  // namespace onnx2ir::frontend
