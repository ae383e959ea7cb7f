// Joins the reader, the graph translator and the table of translators.
#include "frontend/frontend.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>

#include "frontend/cache_branch.hpp"
#include "frontend/graph/branch_choice.hpp"
#include "frontend/graph/graph_translator.hpp"
#include "frontend/graph/onnx_types.hpp"
#include "frontend/graph/restart.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/place.hpp"
#include "frontend/translators/families.hpp"
#include "ir/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

void report(DiagnosticSink& sink, DiagnosticCode code, std::string message) {
  Place place;
  place.graph = std::string(kMainGraphPath);
  sink.error(code, std::move(message), std::move(place));
}

/// Element ranks of sequence inputs that an earlier attempt has found.
using LearnedRanks = std::map<std::string, std::int64_t, std::less<>>;

/// The content of an optional `type`, otherwise `type` itself.
const OperandType& content_of(const OperandType& type) {
  return type.content == nullptr ? type : content_of(*type.content);
}

/// Whether the rank of a sequence's elements is known, also inside an optional.
bool has_known_rank(const OperandType& type) {
  const OperandType& content = content_of(type);
  return content.kind == OperandType::Kind::tensor || content.shape.has_rank();
}

bool has_open_rank(const OperandType& type) {
  return !content_of(type).open_input.empty();
}

/// Many models declare a sequence without the shape of its elements, or as a sequence of scalars, and insert
/// other tensors.
bool may_have_any_rank(const ir::PartialShape& element) {
  return !element.has_rank() || element.rank() == 0;
}

/// The type of model input `name`, which is declared as `type`.
OperandType input_type(OperandType type, const std::string& name, const LearnedRanks& learned) {
  if (type.content != nullptr) {
    type.content = std::make_shared<const OperandType>(input_type(*type.content, name, learned));
  }
  if (type.kind != OperandType::Kind::sequence) return type;
  if (const auto known = learned.find(name); known != learned.end()) {
    type.shape = ir::PartialShape::of_rank(static_cast<std::size_t>(known->second));
  } else if (may_have_any_rank(type.shape)) {
    type.open_input = name;
  }
  return type;
}

/// Creates a Parameter for each tensor of the input. A sequence `x` has `x/values` and `x/shapes`; an
/// optional `x` has `x/has_value` in addition.
Operand input_operand(const std::string& name, const OperandType& type, ir::Graph& graph) {
  Builder builder(graph);
  const auto suffixes = flattened_suffixes(type, Boundary::model);
  Values tensors;
  for (const TensorType& tensor : flattened_types(type, Boundary::model)) {
    const std::string tensor_name = name + suffixes[tensors.size()];
    builder.set_name(tensor_name);
    const Value parameter = builder.parameter(tensor.type, tensor.shape);
    if (type.kind != OperandType::Kind::tensor) parameter.node->output(0).names.push_back(tensor_name);
    tensors.push_back(parameter);
  }
  std::size_t next = 0;
  return unflatten(type, tensors, next, Boundary::model);
}

InputOverride override_of(const LoadedModel& model, const std::string& name) {
  const auto found = model.overrides().find(name);
  return found == model.overrides().end() ? InputOverride{} : found->second;
}

/// The model computes in its declared type, whatever type the caller passes.
void convert_input(const std::string& name, ir::ElementType computed, GraphTranslator& translator) {
  Builder builder(translator.graph());
  builder.set_name(name + "/converted");
  const Value parameter = as_tensor(translator.find(name).operand);
  translator.rebind(name, convert(builder, parameter, computed));
}

void bind_input(const onnx::ValueInfoProto& input, const LoadedModel& model, const LearnedRanks& learned,
                GraphTranslator& translator) {
  auto type = to_operand_type(input.type());
  if (!type) {
    report(translator.sink(), DiagnosticCode::unsupported_input,
           "model input '" + input.name() + "' " + type.error().message);
    translator.bind_unavailable(input.name());
    return;
  }
  const InputOverride requested = override_of(model, input.name());
  const ir::ElementType computed = type->type;
  if (requested.shape) type->shape = *requested.shape;
  if (requested.type) type->type = *requested.type;
  if (type->kind == OperandType::Kind::tensor && !type->shape.has_rank()) {
    translator.sink().warning(DiagnosticCode::unknown_rank,
                              "model input '" + input.name() +
                                  "' has no known rank: OpenVINO's CPU runtime compiles "
                                  "the model only after reshape() has given it one");
  }
  translator.bind(input.name(),
                  input_operand(input.name(), input_type(*type, input.name(), learned), translator.graph()));
  if (type->type != computed) convert_input(input.name(), computed, translator);
}

/// Creates Parameters for all inputs without a default value. (Models of IR version 3 list initializers as
/// inputs.)
void bind_inputs(const LoadedModel& model, const LearnedRanks& learned, GraphTranslator& translator) {
  const onnx::GraphProto& proto = model.proto().graph();
  std::unordered_set<std::string_view> initialized;
  for (const auto& tensor : proto.initializer()) initialized.insert(tensor.name());
  for (const auto& tensor : proto.sparse_initializer()) initialized.insert(tensor.values().name());
  const onnx::ValueInfoProto* cache_branch = nullptr;
  for (const onnx::ValueInfoProto& input : proto.input()) {
    if (initialized.contains(input.name())) continue;
    if (chooses_cache_branch(input, translator)) {
      cache_branch = &input;
    } else {
      bind_input(input, model, learned, translator);
    }
  }
  // After the inputs from which it follows.
  if (cache_branch == nullptr) return;
  if (const Value has_past = cache_branch_choice(proto, *cache_branch, translator)) {
    translator.bind(cache_branch->name(), has_past);
  } else {
    bind_input(*cache_branch, model, learned, translator);
  }
}

bool contradict(const ir::PartialShape& declared, const ir::PartialShape& computed) {
  if (!declared.has_rank() || !computed.has_rank()) return false;
  if (declared.rank() != computed.rank()) return true;
  for (std::size_t axis = 0; axis < declared.rank(); ++axis) {
    if (declared[axis].is_static() && !computed[axis].admits(declared[axis].min)) return true;
  }
  return false;
}

/// Warns if the type or shape that the model declares for an output differs from the computed one.
void check_declared_output(const onnx::ValueInfoProto& output, const Operand& operand, DiagnosticSink& sink) {
  const auto declared = to_operand_type(output.type());
  const OperandType computed = type_of(operand);
  if (!declared || declared->kind != OperandType::Kind::tensor || computed.kind != OperandType::Kind::tensor)
    return;
  const bool has_type = declared->type != ir::ElementType::dynamic;
  const bool has_other_type = has_type && declared->type != computed.type;
  if (!has_other_type && !contradict(declared->shape, computed.shape)) return;
  Diagnostic warning;
  warning.severity = Severity::warning;
  warning.code = DiagnosticCode::declared_output;
  warning.message = "model output '" + output.name() + "' is declared as " + to_string(*declared) +
                    ", but the graph computes " + to_string(computed);
  warning.place.graph = kMainGraphPath;
  warning.hint = "the IR has the computed type and shape; correct the declaration, or the graph";
  sink.report(std::move(warning));
}

/// Creates Results for the tensors of an output, in the same form as for inputs.
void add_output(const onnx::ValueInfoProto& output, const Operand& operand, ir::Graph& graph,
                DiagnosticSink& sink) {
  OperandType type = type_of(operand);
  if (const auto declared = to_operand_type(output.type())) {
    // The declared type gives the rank if the sequence is always empty, or if it is an input.
    const bool tells_rank = !has_open_rank(type) || !may_have_any_rank(content_of(*declared).shape);
    if (!has_known_rank(type) && tells_rank) {
      if (const auto joined = widen(type, *declared)) type = *joined;
    }
  }
  if (!has_known_rank(type) && !has_open_rank(type)) {
    report(sink, DiagnosticCode::unsupported_output,
           "model output '" + output.name() + "' is a " + to_string(type) +
               " whose elements have no known rank");
    return;
  }
  Builder builder(graph);
  const auto suffixes = flattened_suffixes(type, Boundary::model);
  std::size_t part = 0;
  for (const Value& tensor : flatten(builder, operand, type, Boundary::model)) {
    const std::string name = output.name() + suffixes[part++];
    builder.set_name(name);
    if (type.kind != OperandType::Kind::tensor) tensor.node->output(tensor.index).names.push_back(name);
    builder.result(tensor);
  }
}

}  // namespace

namespace {

/// What an attempt uses from the attempts before it.
struct LearnedFacts {
  LearnedRanks ranks;
  BranchChoices branches;
  bool may_request_branch_choice = true;
  std::vector<std::string> certain_failures;  ///< of the last attempt
  WrongRanks wrong_ranks;                     ///< of the last attempt
};

/// What all attempts have in common.
struct Task {
  const LoadedModel& loaded;
  const LoadOptions& options;
  const target::Target& target;
  const OperatorOptions& operators;
  DiagnosticSink& sink;
};

WrongRanks wrong_ranks(const ConversionState& conversion, const onnx::GraphProto& proto) {
  WrongRanks result;
  for (const auto& output : proto.output()) {
    result.outputs += conversion.wrong_ranks.contains({std::string(kMainGraphPath), output.name()}) ? 1 : 0;
  }
  result.values = conversion.wrong_ranks.size() - result.outputs;
  return result;
}

std::unique_ptr<ir::Model> translate_model(const Task& task, LearnedFacts& learned_facts) {
  const auto& [loaded, options, target, operators, sink] = task;
  const onnx::GraphProto& proto = loaded.proto().graph();
  auto model = std::make_unique<ir::Model>();
  model->name = proto.name();
  ConversionState conversion{&loaded, &translator_table(), &sink, &target, options.max_function_nodes};
  conversion.operator_map = operators.map;
  conversion.extensions = operators.extensions;
  conversion.keep_unknown = operators.keep_unknown;
  conversion.stateful = operators.stateful;
  conversion.quantization = operators.quantization;
  conversion.has_new_shapes = std::ranges::any_of(
      options.interface.inputs, [](const InputSpec& input) { return input.shape.has_value(); });
  conversion.chosen_branches = learned_facts.branches;
  conversion.may_request_branch_choice = learned_facts.may_request_branch_choice;
  GraphTranslator translator(conversion, model->graph);
  bind_inputs(loaded, learned_facts.ranks, translator);
  Operands outputs;
  const bool complete = translator.translate(proto, outputs);
  learned_facts.certain_failures = std::move(conversion.certain_failures);
  if (!complete || sink.has_errors()) {
    if (!sink.has_errors()) {
      if (conversion.omitted_output.empty()) throw base::InternalError("a node was skipped without an error");
      sink.error(DiagnosticCode::cannot_convert, "'" + conversion.omitted_output +
                                                     "' is used, but it is an optional output that its node "
                                                     "does not compute with these attributes");
    }
    return nullptr;
  }
  // Requested inputs change shapes; the declared ones need not hold any more.
  const bool has_own_inputs = options.interface.inputs.empty();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (has_own_inputs) check_declared_output(proto.output(static_cast<int>(i)), outputs[i], sink);
    add_output(proto.output(static_cast<int>(i)), outputs[i], model->graph, sink);
  }
  learned_facts.wrong_ranks = wrong_ranks(conversion, proto);
  if (sink.has_errors()) return nullptr;
  return model;
}

std::unique_ptr<ir::Model> with_learned_ranks(const Task& task, LearnedFacts& learned_facts) {
  const std::size_t mark = task.sink.mark();
  while (true) {
    try {
      return translate_model(task, learned_facts);
    } catch (const Restart& restart) {
      const auto* const learned = std::get_if<LearnedRank>(&restart.fact);
      if (learned == nullptr) throw;
      // The rank of an input is found at most once; then it is no longer open.
      learned_facts.ranks.emplace(learned->input, learned->rank);
      task.sink.rewind(mark);
    }
  }
}

/// The operator sets that the model imports: "ai.onnx 20, com.microsoft 1".
std::string imported_opsets(const onnx::ModelProto& proto) {
  std::map<std::string_view, std::int64_t> versions;
  for (const auto& import : proto.opset_import())
    versions.emplace(canonical_domain(import.domain()), import.version());
  std::string text;
  for (const auto& [domain, version] : versions) {
    if (!text.empty()) text += ", ";
    text.append(domain.empty() ? "ai.onnx" : domain).append(1, ' ').append(std::to_string(version));
  }
  return text;
}

/// Returns the result if the model's files have not changed. Throws Failure (unreadable_input) otherwise.
ImportedModel with_inputs(std::unique_ptr<ir::Model> model, LoadedModel loaded) {
  for (const auto& file : loaded.files()) {
    file->check_unchanged();
    if (model != nullptr) model->inputs.push_back(file->input());
  }
  if (model != nullptr) model->provenance.emplace_back("opsets", imported_opsets(loaded.proto()));
  return {std::move(model), std::move(loaded)};
}

/// Translates a model with undefined names to report its other errors: those of nodes that do not depend on
/// these names.
void report_other_errors(const LoadedModel& loaded, const LoadOptions& options, const target::Target& target,
                         const OperatorOptions& operators, DiagnosticSink& sink) {
  DiagnosticSink found;
  LearnedFacts learned_facts;
  learned_facts.may_request_branch_choice = false;
  with_learned_ranks({loaded, options, target, operators, found}, learned_facts);
  for (const Diagnostic& error : found.diagnostics()) {
    // What cannot be converted may depend on a branch that an undefined name would decide.
    if (error.code == DiagnosticCode::invalid_node || error.code == DiagnosticCode::unsupported_operator)
      sink.report(error);
  }
}

}  // namespace

ImportedModel import_model(const ModelSource& source, const LoadOptions& options,
                           const target::Target& target, DiagnosticSink& sink,
                           const OperatorOptions& operators) {
  auto loaded = load_model(source, options, sink);
  if (!loaded) return {};
  if (sink.has_errors()) {
    report_other_errors(*loaded, options, target, operators, sink);
    return {};
  }
  const Task task{*loaded, options, target, operators, sink};
  const std::size_t mark = sink.mark();
  LearnedFacts learned_facts;
  std::unique_ptr<ir::Model> model;
  const auto attempt = [&](const BranchChoices& choices) {
    sink.rewind(mark);
    learned_facts.branches = choices;
    learned_facts.certain_failures.clear();
    learned_facts.wrong_ranks = {};
    BranchTrial trial;
    try {
      model = with_learned_ranks(task, learned_facts);
      trial.succeeded = model != nullptr;
      trial.certain_failures = learned_facts.certain_failures;
      trial.wrong_ranks = learned_facts.wrong_ranks;
    } catch (const Restart& restart) {
      const auto& open = std::get<OpenIf>(restart.fact);
      trial.open_if = open.unique_path;
      trial.open_path = open.executed_path;
      trial.open_prefers_then = open.prefers_then;
    }
    return trial;
  };
  const BranchTrial first = attempt({});
  if (first.open_if.empty()) return with_inputs(std::move(model), *std::move(loaded));
  const BranchChoices choices = choose_branches(first, attempt);
  // Without branch choices, each If whose branches differ in rank is an error.
  learned_facts.may_request_branch_choice = false;
  attempt(choices);
  return with_inputs(std::move(model), *std::move(loaded));
}

}  // namespace onnx2ir::frontend
