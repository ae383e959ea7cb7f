// If 1, 11, 13, 16, 19, 21, 23, 24, 25: the versions differ in element types, 13 adds sequences and 16
// optionals.
#include <onnx/onnx_pb.h>

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/control_flow.hpp"
#include "ir/inference.hpp"
#include "ir/size_origin.hpp"

namespace onnx2ir::frontend {
namespace {

struct TranslatedBranch {
  ir::Branch branch;
  std::unique_ptr<GraphTranslator> scope;
  Operands outputs;
};

void check_output_count(NodeContext& node, const onnx::GraphProto& proto, std::string_view attribute) {
  if (static_cast<std::size_t>(proto.output_size()) < node.output_count()) {
    node.fail(std::string(attribute) + " has " + std::to_string(proto.output_size()) +
              " outputs, the node has " + std::to_string(node.output_count()));
  }
}

TranslatedBranch translate_branch(NodeContext& node, std::string_view attribute) {
  const onnx::GraphProto& proto = node.graph_attribute(attribute);
  check_output_count(node, proto, attribute);
  TranslatedBranch result;
  GraphTranslator& outer = node.translator();
  result.branch.graph = std::make_unique<ir::Graph>();
  result.branch.graph->name = proto.name();
  result.scope = std::make_unique<GraphTranslator>(outer, GraphTranslator::Kind::body, *result.branch.graph,
                                                   outer.path_of_body(node.proto(), attribute));
  if (!result.scope->translate(proto, result.outputs)) throw AlreadyReported{};
  result.outputs.resize(node.output_count());
  return result;
}

/// A condition known at conversion time: the branch that is taken is emitted in place of the node.
Operands inline_branch(NodeContext& node, std::string_view attribute) {
  const onnx::GraphProto& proto = node.graph_attribute(attribute);
  check_output_count(node, proto, attribute);
  GraphTranslator& outer = node.translator();
  GraphTranslator scope(outer, GraphTranslator::Kind::inlined, outer.graph(),
                        outer.path_of_body(node.proto(), attribute));
  Operands outputs;
  if (!scope.translate(proto, outputs)) throw AlreadyReported{};
  outputs.resize(node.output_count());
  return outputs;
}

OperandType joined_type(NodeContext& node, const Operand& then_value, const Operand& else_value,
                        std::size_t index) {
  std::string problem;
  const auto type = widen(type_of(then_value), type_of(else_value), problem);
  if (!type) {
    node.fail(
        "then_branch and else_branch " + problem + " (output " + std::to_string(index) + ")",
        "OpenVINO has no values of dynamic rank; give inputs static shapes so that the condition is known");
  }
  return *type;
}

Operands if_1(NodeContext& node) {
  const Value condition = as_scalar(node, node, node.operand(0), ElementType::boolean, "the condition");
  const int then_outputs = node.graph_attribute("then_branch").output_size();
  const int else_outputs = node.graph_attribute("else_branch").output_size();
  if (then_outputs != else_outputs) {
    node.fail("then_branch has " + std::to_string(then_outputs) + " outputs, else_branch has " +
              std::to_string(else_outputs));
  }
  if (const auto known = node.known_integers(condition)) {
    return inline_branch(node, known->front() != 0 ? "then_branch" : "else_branch");
  }
  if (const auto known = ir::compared_sizes(condition)) {
    return inline_branch(node, *known ? "then_branch" : "else_branch");
  }
  TranslatedBranch then_branch = translate_branch(node, "then_branch");
  TranslatedBranch else_branch = translate_branch(node, "else_branch");
  std::vector<OperandType> types;
  std::size_t tensors = 0;
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    types.push_back(joined_type(node, then_branch.outputs[i], else_branch.outputs[i], i));
    tensors += flattened_types(types.back()).size();
  }
  ir::Node& made = node.graph().add(ir::find_op("If"), std::span(&condition, 1), tensors);
  for (TranslatedBranch* translated : {&then_branch, &else_branch}) {
    Builder builder(*translated->branch.graph);
    for (std::size_t i = 0; i < types.size(); ++i) {
      for (const Value& part : flatten(builder, translated->outputs[i], types[i])) {
        translated->branch.results.push_back(&builder.result(part));
      }
    }
    connect_captures(made, translated->scope->captures(), translated->branch.invariants);
  }
  made.payload() = ir::IfBranches{std::move(then_branch.branch), std::move(else_branch.branch)};
  ir::infer(made);
  Values values;
  for (std::size_t i = 0; i < tensors; ++i) values.push_back(made.value(i));
  Operands outputs;
  std::size_t next = 0;
  for (const OperandType& type : types) outputs.push_back(unflatten(type, values, next));
  return outputs;
}

}  // namespace

std::vector<TranslatorRow> if_translators() {
  return {
      {"If", 1, if_1, "branches whose outputs differ in rank, unless the condition is known"},
  };
}

}  // namespace onnx2ir::frontend
