// If 1, 11, 13, 16, 19, 21, 23, 24, 25: the versions differ in element types, 13 adds sequences and 16
// optionals.
#include <algorithm>
#include <variant>

#include "base/joined.hpp"
#include "frontend/graph/required_rank.hpp"
#include "frontend/graph/unused_if_outputs.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/control_flow.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"
#include "ir/inference.hpp"
#include "ir/size_rules.hpp"
#include "ir/views/elementwise.hpp"
#include "ir/views/reshaping.hpp"

namespace onnx2ir::frontend {
namespace {

struct TranslatedBranch {
  ir::Branch branch;
  std::unique_ptr<GraphTranslator> scope;
  Operands outputs;
};

/// Translates a branch of the node in `scope`, which is made for it.
Operands translate_in(GraphTranslator& scope, NodeContext& node, std::string_view attribute) {
  const onnx::GraphProto& proto = node.graph_attribute(attribute);
  if (static_cast<std::size_t>(proto.output_size()) < node.output_count()) {
    node.fail(std::string(attribute) + " has " + std::to_string(proto.output_size()) +
              " outputs, the node has " + std::to_string(node.output_count()));
  }
  Operands outputs;
  if (!scope.translate(proto, outputs)) throw base::Failure::reported();
  outputs.resize(node.output_count());
  return outputs;
}

TranslatedBranch translate_branch(NodeContext& node, std::string_view attribute) {
  TranslatedBranch result;
  GraphTranslator& outer = node.translator();
  result.branch.graph = outer.graph().make_body();
  result.branch.graph->name = node.graph_attribute(attribute).name();
  result.scope = std::make_unique<GraphTranslator>(outer, GraphTranslator::Kind::body, *result.branch.graph,
                                                   outer.body_of(node.proto(), attribute));
  result.outputs = translate_in(*result.scope, node, attribute);
  return result;
}

/// A branch that fails whenever it is taken. Its errors are withdrawn.
struct FailingBranch {
  std::string reason;
  RevocableDiagnostics::Copy diagnostics;  ///< what was withdrawn
};

/// A branch that cannot be converted. Its errors are reported.
struct RejectedBranch {};

using TriedBranch = std::variant<TranslatedBranch, FailingBranch, RejectedBranch>;

/// Translates a branch. If shapes make it fail whenever it is taken, its errors are withdrawn: models for
/// several kinds of inputs have such branches once the input sizes are static.
TriedBranch try_branch(NodeContext& node, std::string_view attribute) {
  GraphTranslator& outer = node.translator();
  RevocableDiagnostics reported(outer.attempt());
  const auto& failures = outer.attempt().found.certain_failures;
  const auto known = static_cast<std::ptrdiff_t>(failures.size());
  try {
    return translate_branch(node, attribute);
  } catch (const base::Failure& thrown) {
    if (!thrown.is_reported()) throw;
    const Occurrence branch = outer.body_of(node.proto(), attribute).occurrence;
    if (std::find(failures.begin() + known, failures.end(), branch) == failures.end())
      return RejectedBranch();
    FailingBranch failing;
    for (const Diagnostic& found : reported.found()) {
      if (found.severity != Severity::error) continue;
      if (found.code != DiagnosticCode::invalid_node) return RejectedBranch();
      if (failing.reason.empty()) failing.reason = found.place.op_type + ": " + found.message;
    }
    failing.diagnostics = reported.copy();
    reported.drop();
    return failing;
  }
}

/// For a condition that is known at conversion time, emits the taken branch in place of the node.
Operands inline_branch(NodeContext& node, bool takes_then) {
  const std::string_view attribute = takes_then ? "then_branch" : "else_branch";
  GraphTranslator& outer = node.translator();
  GraphTranslator scope(outer, GraphTranslator::Kind::inlined, outer.graph(),
                        outer.body_of(node.proto(), attribute));
  return translate_in(scope, node, attribute);
}

/// "[?,1,4]": `shape` with `number` for the dimensions of the size `size`.
std::string shape_with(const PartialShape& shape, ir::Size size, std::int64_t number) {
  const auto text = [&](const ir::Dimension& dimension) -> std::string {
    if (dimension.expression() == size) return std::to_string(number);
    return dimension.is_static() ? std::to_string(dimension.size()) : "?";
  };
  return '[' + base::joined(shape, ",", text) + ']';
}

/// The option that gives `number` to the size of a model input: "--input x[?,1,4]"; empty if no input has it.
std::string option_for_input(const GraphTranslator& translator, ir::Size size, std::int64_t number) {
  const GraphTranslator* main = &translator;
  while (main->parent() != nullptr) main = main->parent();
  const auto& inputs = translator.attempt().input->model->proto().graph().input();
  for (const ir::Node* parameter : main->graph().parameters()) {
    const auto& output = parameter->output(0);
    const auto is_size = [&](const ir::Dimension& dimension) { return dimension.expression() == size; };
    if (!output.shape.has_rank() || std::ranges::none_of(output.shape, is_size)) continue;
    // The tensors of a sequence are no inputs of the ONNX model.
    const auto named = std::ranges::find_if(inputs, [&](const onnx::ValueInfoProto& input) {
      return std::ranges::find(output.names, input.name()) != output.names.end();
    });
    if (named != inputs.end()) return "--input " + named->name() + shape_with(output.shape, size, number);
  }
  return {};
}

/// If `condition` compares a size of a model input with a constant, the option that makes the size this
/// constant: "--input x[?,1,4]". Otherwise empty.
std::string option_for(const NodeContext& node, Value condition) {
  constexpr ir::OperationSet kConversions = {ops::Reshape, ops::Squeeze, ops::Convert};
  while (condition.node->is_one_of(kConversions)) condition = condition.node->input(0);
  const auto equal = ir::match<ir::EqualView>(condition);
  if (!equal) return {};
  const Value operands[] = {equal->a(), equal->b()};
  for (const bool is_second : {false, true}) {
    const auto number = ir::known_scalar(operands[is_second ? 0 : 1]);
    if (!number || *number < 0) continue;
    const ir::Size size = ir::size_in(operands[is_second ? 1 : 0], 0);
    std::string option = size == nullptr ? "" : option_for_input(node.translator(), size, *number);
    if (!option.empty()) return option;
  }
  return {};
}

OperandType joined_type(NodeContext& node, Value condition, const Operand& then_value,
                        const Operand& else_value, std::size_t index) {
  const auto type = widen(type_of(then_value), type_of(else_value));
  if (!type) {
    const std::string option = option_for(node, condition);
    std::string hint = "OpenVINO has no values of dynamic rank; ";
    hint += option.empty() ? "give inputs static shapes so that the condition is known"
                           : "the option " + option + " makes the condition true";
    node.fail(
        "then_branch and else_branch " + type.error().message + " (output " + std::to_string(index) + ")",
        std::move(hint));
  }
  return *type;
}

/// If the outputs differ in rank and one of them is never used, it gets the type of the other.
void match_unused_output(UnusedIfOutputs& outputs, TranslatedBranch& then_branch,
                         TranslatedBranch& else_branch, std::size_t index) {
  const OperandType then_type = type_of(then_branch.outputs[index]);
  const OperandType else_type = type_of(else_branch.outputs[index]);
  const bool are_tensors =
      then_type.kind == OperandType::Kind::tensor && else_type.kind == OperandType::Kind::tensor;
  if (!are_tensors || then_type.type != else_type.type || widen(then_type, else_type)) return;
  const int output = static_cast<int>(index);
  TranslatedBranch* unused = outputs.is_unused_if_taken(true, output)    ? &then_branch
                             : outputs.is_unused_if_taken(false, output) ? &else_branch
                                                                         : nullptr;
  if (unused == nullptr) return;
  const OperandType& other = unused == &then_branch ? else_type : then_type;
  std::vector<std::int64_t> shape;
  for (const ir::Dimension& size : other.shape) shape.push_back(size.is_static() ? size.size() : 1);
  Builder builder(*unused->branch.graph);
  const Value zero = builder.number(0, other.type);
  unused->outputs[index] = broadcast_to(builder, zero, builder.integers(shape));
}

/// The first tensor whose rank differs; no value if all ranks are equal.
std::optional<std::size_t> first_difference_in_rank(const TranslatedBranch& a, const TranslatedBranch& b) {
  const auto has_rank = [](const OperandType& type) {
    return type.kind == OperandType::Kind::tensor && type.shape.has_rank();
  };
  for (std::size_t i = 0; i < a.outputs.size(); ++i) {
    const OperandType types[] = {type_of(a.outputs[i]), type_of(b.outputs[i])};
    if (std::ranges::all_of(types, has_rank) && types[0].shape.rank() != types[1].shape.rank()) return i;
  }
  return std::nullopt;
}

/// The value outside of the branch that is captured as `inner`; null if it is no captured value.
Value captured_by(const TranslatedBranch& branch, Value inner) {
  for (const Capture& capture : branch.scope->captures()) {
    if (capture.parameter == inner.node) return capture.outer;
  }
  return {};
}

/// If one branch returns an outer value, the other one removes leading dimensions of size 1 of it, and all
/// readers ignore these, returns the outer value; otherwise null.
Value unsqueezed(NodeContext& node, const TranslatedBranch& squeezing, const TranslatedBranch& other) {
  if (node.output_count() != 1 || !node.has_output(0)) return {};
  const Value low = as_tensor(squeezing.outputs[0]);
  const Value high = as_tensor(other.outputs[0]);
  const auto squeeze = ir::match<ir::SqueezeView>(low);
  if (!high || !squeeze) return {};
  const Value outer = captured_by(other, high);
  if (!outer || captured_by(squeezing, squeeze->data()) != outer || !outer.shape().has_rank()) return {};
  const auto axes = squeeze->axes() ? ir::exact_values(squeeze->axes()) : std::nullopt;
  if (!axes) return {};
  const auto rank = static_cast<std::int64_t>(outer.shape().rank());
  const auto units = std::ssize(*axes);
  for (const std::int64_t axis : *axes) {
    if (node.axis(axis, rank) >= units) return {};
  }
  const std::string name(node.output_name(0));
  return ignores_leading_units(node.translator(), name, rank, units) ? outer : Value{};
}

/// If the branches differ in the rank of output `index`, chooses one for this attempt: whether it is the
/// then_branch. The branch is preferred that gives the output the rank that the model declares. If the model
/// declares none of both, the smaller rank is preferred: that of a Squeeze.
std::optional<bool> choose_branch(const NodeContext& node, const TranslatedBranch& then_branch,
                                  const TranslatedBranch& else_branch, std::optional<std::size_t> index) {
  if (!index) return std::nullopt;
  const auto then_rank = static_cast<std::int64_t>(type_of(then_branch.outputs[*index]).shape.rank());
  const auto else_rank = static_cast<std::int64_t>(type_of(else_branch.outputs[*index]).shape.rank());
  const auto declared = node.declared_rank(*index);
  return node.translator().choose_rank(declared == then_rank ||
                                       (declared != else_rank && then_rank < else_rank));
}

/// Emits one branch in place of the node, with a warning that gives the reason.
Operands leave_out_other_branch(NodeContext& node, bool takes_then, const std::string& reason) {
  node.warn(DiagnosticCode::branch_never_taken,
            std::string(takes_then ? "else_branch" : "then_branch") + " is left out" + reason);
  return inline_branch(node, takes_then);
}

constexpr const char* kRankOfResult =
    ": a later node or the declared ranks do not allow the rank of its result";

void check_output_counts(const NodeContext& node) {
  const int then_outputs = node.graph_attribute("then_branch").output_size();
  const int else_outputs = node.graph_attribute("else_branch").output_size();
  if (then_outputs != else_outputs) {
    node.fail("then_branch has " + std::to_string(then_outputs) + " outputs, else_branch has " +
              std::to_string(else_outputs));
  }
}

/// The branch that fails whenever it is taken; null if both were translated. Throws if no branch is left.
const FailingBranch* find_failing_branch(NodeContext& node, const TriedBranch& then_try,
                                         const TriedBranch& else_try) {
  const bool has_rejected_branch =
      std::holds_alternative<RejectedBranch>(then_try) || std::holds_alternative<RejectedBranch>(else_try);
  if (has_rejected_branch) throw base::Failure::reported();
  const auto* const failing_then = std::get_if<FailingBranch>(&then_try);
  const auto* const failing_else = std::get_if<FailingBranch>(&else_try);
  if (failing_then == nullptr || failing_else == nullptr)
    return failing_then != nullptr ? failing_then : failing_else;
  // The errors of one branch are enough: either of them must be mended.
  Attempt& attempt = node.translator().attempt();
  for (const auto& [diagnostic, graph] : failing_then->diagnostics) attempt.report(diagnostic, graph);
  throw base::Failure::reported();
}

/// Emits the If. Its outputs have the types that join those of both branches.
Operands emit_if(NodeContext& node, Value condition, TranslatedBranch& then_branch,
                 TranslatedBranch& else_branch) {
  std::vector<OperandType> types;
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    types.push_back(joined_type(node, condition, then_branch.outputs[i], else_branch.outputs[i], i));
  }
  for (TranslatedBranch* translated : {&then_branch, &else_branch}) {
    Builder builder(*translated->branch.graph);
    for (std::size_t i = 0; i < types.size(); ++i) {
      for (const Value& part : split_operand(builder, translated->outputs[i], types[i], Boundary::body)) {
        translated->branch.results.push_back(&builder.result(part));
      }
    }
  }
  const ir::IfView made =
      ir::add_if(node, condition, {std::move(then_branch.branch), std::move(else_branch.branch)});
  connect_captures(made.node(), made.then_branch(), then_branch.scope->captures());
  connect_captures(made.node(), made.else_branch(), else_branch.scope->captures());
  ir::infer(made.node());
  const Values values = made.node().values();
  Operands outputs;
  std::size_t next = 0;
  for (const OperandType& type : types) outputs.push_back(join_operand(type, values, next, Boundary::body));
  return outputs;
}

/// Translates both branches on trial, and emits an If, one of them, or the value that both return.
Operands try_branches(NodeContext& node, Value condition) {
  Attempt& attempt = node.translator().attempt();
  const Occurrence occurrence = node.translator().current_node();
  RevocableDiagnostics reported(attempt);
  const std::size_t first_decision = attempt.left_out.next_number();
  attempt.left_out.forget(occurrence);
  const auto end_with_branch = [&](bool takes_then, const std::string& reason) {
    // The warnings about nodes in the branch are reported again.
    reported.drop_inside(occurrence);
    const auto repetition = attempt.left_out.repeat_from(first_decision);
    attempt.left_out.add(occurrence, takes_then, reason);
    return leave_out_other_branch(node, takes_then, reason);
  };
  // Both are tried before one is rejected, so that the errors of both are reported.
  TriedBranch then_try = try_branch(node, "then_branch");
  TriedBranch else_try = try_branch(node, "else_branch");
  if (const auto* const failing = find_failing_branch(node, then_try, else_try)) {
    return end_with_branch(failing == std::get_if<FailingBranch>(&else_try),
                           ", because it fails for all inputs: " + failing->reason);
  }
  auto& then_branch = std::get<TranslatedBranch>(then_try);
  auto& else_branch = std::get<TranslatedBranch>(else_try);
  UnusedIfOutputs unused(node.translator(), node.proto());
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    match_unused_output(unused, then_branch, else_branch, i);
  }
  const auto difference = first_difference_in_rank(then_branch, else_branch);
  // A Reshape to a computed size of 0 copies a dimension, so that sizes may differ in a run without elements.
  const auto usual = ir::decided(condition, ir::Runs::without_zero_sizes);
  if (difference && usual) {
    return end_with_branch(*usual,
                           ": it is taken only if a tensor is empty, and its result has another rank");
  }
  if (const Value outer = unsqueezed(node, then_branch, else_branch)) return {outer};
  if (const Value outer = unsqueezed(node, else_branch, then_branch)) return {outer};
  if (const auto takes_then = choose_branch(node, then_branch, else_branch, difference))
    return end_with_branch(*takes_then, kRankOfResult);
  return emit_if(node, condition, then_branch, else_branch);
}

Operands if_1(NodeContext& node) {
  const Value condition =
      convert_to_scalar(node, node, node.operand(0), ElementType::boolean, "the condition");
  check_output_counts(node);
  const auto known = ir::known_scalar(condition);
  const auto is_true = known ? std::optional(*known != 0) : ir::decided(condition);
  if (is_true) return inline_branch(node, *is_true);
  const Attempt& attempt = node.translator().attempt();
  const Occurrence occurrence = node.translator().current_node();
  // This attempt uses the branch whatever the condition is.
  if (const auto chosen = attempt.choices.branches.find(occurrence); chosen != attempt.choices.branches.end())
    return leave_out_other_branch(node, chosen->second, kRankOfResult);
  if (const auto* const decision = attempt.left_out.repeated(occurrence))
    return leave_out_other_branch(node, decision->takes_then, decision->reason);
  return try_branches(node, condition);
}

}  // namespace

std::vector<TranslatorRow> if_translators() {
  return {
      {.name = "If",
       .since = 1,
       .translate = if_1,
       .limits = "branches whose outputs differ in rank, if both can succeed",
       .scalars = {0, 1}},
  };
}

}  // namespace onnx2ir::frontend
