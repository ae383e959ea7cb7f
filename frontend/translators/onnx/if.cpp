// If 1, 11, 13, 16, 19, 21, 23, 24, 25: the versions differ in element types only.
#include <onnx/onnx_pb.h>

#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/control_flow.hpp"
#include "ir/inference.hpp"

namespace onnx2ir::frontend {
namespace {

struct TranslatedBranch {
  ir::Branch branch;
  std::unique_ptr<GraphTranslator> scope;
  Values outputs;
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
  result.branch.graph->name = std::string(attribute);
  result.scope = std::make_unique<GraphTranslator>(outer, GraphTranslator::Kind::body, *result.branch.graph,
                                                   outer.path_of_body(node.proto(), attribute));
  if (!result.scope->translate(proto, result.outputs)) throw AlreadyReported{};
  result.outputs.resize(node.output_count());
  return result;
}

/// A condition known at conversion time: the branch that is taken is emitted in place of the node.
Values inline_branch(NodeContext& node, std::string_view attribute) {
  const onnx::GraphProto& proto = node.graph_attribute(attribute);
  check_output_count(node, proto, attribute);
  GraphTranslator& outer = node.translator();
  GraphTranslator scope(outer, GraphTranslator::Kind::inlined, outer.graph(),
                        outer.path_of_body(node.proto(), attribute));
  Values outputs;
  if (!scope.translate(proto, outputs)) throw AlreadyReported{};
  outputs.resize(node.output_count());
  return outputs;
}

void check_branches_agree(NodeContext& node, Value then_value, Value else_value, std::size_t index) {
  const auto both = [&] {
    return "output " + std::to_string(index) + ": then_branch gives " + describe(then_value) +
           ", else_branch gives " + describe(else_value);
  };
  if (then_value.type() != else_value.type()) node.fail("the branches differ in element type at " + both());
  if (then_value.shape().has_rank() && else_value.shape().has_rank() &&
      then_value.shape().rank() != else_value.shape().rank()) {
    node.fail(
        "the branches differ in rank at " + both(),
        "OpenVINO has no values of dynamic rank; give inputs static shapes so that the condition is known");
  }
}

Values if_1(NodeContext& node) {
  const Value condition = as_scalar(node, node, node.input(0), ElementType::boolean, "the condition");
  if (const auto known = node.known_integers(condition)) {
    return inline_branch(node, known->front() != 0 ? "then_branch" : "else_branch");
  }
  TranslatedBranch then_branch = translate_branch(node, "then_branch");
  TranslatedBranch else_branch = translate_branch(node, "else_branch");
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    check_branches_agree(node, then_branch.outputs[i], else_branch.outputs[i], i);
  }
  ir::Node& result = node.graph().add(ir::find_op("If"), std::span(&condition, 1), node.output_count());
  for (TranslatedBranch* translated : {&then_branch, &else_branch}) {
    Builder builder(*translated->branch.graph);
    for (const Value& output : translated->outputs)
      translated->branch.results.push_back(&builder.result(output));
    connect_captures(result, translated->scope->captures(), translated->branch.invariants);
  }
  result.payload() = ir::IfBranches{std::move(then_branch.branch), std::move(else_branch.branch)};
  ir::infer(result);
  Values outputs;
  for (std::size_t i = 0; i < node.output_count(); ++i) outputs.push_back(result.value(i));
  return outputs;
}

}  // namespace

std::vector<TranslatorRow> if_translators() {
  return {
      {"If", 1, if_1, "branches whose outputs differ in rank, unless the condition is known"},
  };
}

}  // namespace onnx2ir::frontend
