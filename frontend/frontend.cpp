// Joins the reader, the graph translator and the table of translators.
#include "frontend/frontend.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

#include "base/joined.hpp"
#include "frontend/graph/branch_choice.hpp"
#include "frontend/graph/graph_translator.hpp"
#include "frontend/graph/onnx_types.hpp"
#include "frontend/mapping/extension_library.hpp"
#include "frontend/mapping/operator_map.hpp"
#include "frontend/reader/bodies.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/place.hpp"
#include "frontend/reader/tensor_types.hpp"
#include "frontend/translators/all_translators.hpp"
#include "ir/cache_names.hpp"
#include "ir/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

/// Element ranks of sequence inputs that an earlier attempt has found.
using FoundRanks = std::map<std::string, std::int64_t, std::less<>>;
/// Those that are open in this attempt.
using OpenRanks = std::vector<std::shared_ptr<OpenRank>>;

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
  return content_of(type).open_rank != nullptr;
}

/// Many models declare a sequence without the shape of its elements, or as a sequence of scalars, and insert
/// other tensors.
bool may_have_any_rank(const ir::PartialShape& element) {
  return !element.has_rank() || element.rank() == 0;
}

/// The type of model input `name`, which is declared as `type`.
OperandType input_type(OperandType type, const std::string& name, const FoundRanks& found, OpenRanks& open) {
  if (type.content != nullptr) {
    type.content = std::make_shared<const OperandType>(input_type(*type.content, name, found, open));
  }
  if (type.kind != OperandType::Kind::sequence) return type;
  if (const auto known = found.find(name); known != found.end()) {
    type.shape = ir::PartialShape::of_rank(static_cast<std::size_t>(known->second));
  } else if (may_have_any_rank(type.shape)) {
    type.open_rank = open.emplace_back(std::make_shared<OpenRank>(OpenRank{name}));
  }
  return type;
}

/// Creates a Parameter for each tensor of the input. A sequence `x` has `x/values` and `x/shapes`; an
/// optional `x` has `x/has_value` in addition.
Operand input_operand(const std::string& name, const OperandType& type, ir::Graph& graph) {
  Builder builder(graph);
  Values tensors;
  for (const TensorPart& part : parts_of_operand(type, Boundary::model)) {
    const std::string tensor_name = name + std::string(part.suffix);
    builder.set_name(tensor_name);
    const Value parameter = builder.parameter(part.type, part.shape);
    if (type.kind != OperandType::Kind::tensor) parameter.node->output(0).names.push_back(tensor_name);
    tensors.push_back(parameter);
  }
  std::size_t next = 0;
  return join_operand(type, tensors, next, Boundary::model);
}

/// The model computes in its declared type, whatever type the caller passes.
void convert_input(const std::string& name, ir::ElementType computed, GraphTranslator& translator) {
  Builder builder(translator.graph());
  builder.set_name(name + "/converted");
  const Value parameter = as_tensor(translator.find(name).operand);
  translator.rebind(name, convert(builder, parameter, computed));
}

void bind_input(const onnx::ValueInfoProto& input, const LoadedModel& model, const FoundRanks& found,
                OpenRanks& open, GraphTranslator& translator) {
  auto type = to_operand_type(input.type());
  if (!type) {
    translator.report(
        {DiagnosticCode::unsupported_input, "model input '" + input.name() + "' " + type.error().message});
    translator.bind_unavailable(input.name());
    return;
  }
  const auto found_override = model.overrides().find(input.name());
  const InputOverride requested =
      found_override == model.overrides().end() ? InputOverride{} : found_override->second;
  const ir::ElementType computed = type->type;
  if (requested.shape) type->shape = *requested.shape;
  if (requested.type) type->type = *requested.type;
  if (type->kind == OperandType::Kind::tensor && !type->shape.has_rank()) {
    translator.report(base::diagnostic_of(
        {DiagnosticCode::unknown_rank, "model input '" + input.name() +
                                           "' has no known rank: OpenVINO's CPU runtime compiles the model "
                                           "only after reshape() has given it one"},
        {}, Severity::warning));
  }
  translator.bind(input.name(), input_operand(input.name(), input_type(*type, input.name(), found, open),
                                              translator.graph()));
  if (type->type != computed) convert_input(input.name(), computed, translator);
}

/// The axis of the length of a cache, the only dynamic one besides the batch; no value if it is not known.
std::optional<std::int64_t> length_axis(const ir::PartialShape& shape) {
  if (!shape.has_rank()) return std::nullopt;
  const std::size_t batch = ir::batch_axis_of_cache(shape);
  std::optional<std::int64_t> found;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (axis == batch || shape[axis].is_static()) continue;
    if (found) return std::nullopt;
    found = static_cast<std::int64_t>(axis);
  }
  return found;
}

/// Whether `input` is the input `use_cache_branch` of decoders that Optimum has merged, and the caches become
/// variables (--stateful). It chooses between the decoder for the prompt, which has no past, and the one that
/// reads caches. Callers cannot read variables, and OpenVINO GenAI and Optimum do not set this input: its
/// value is computed from the caches.
bool chooses_cache_branch(const onnx::ValueInfoProto& input, const GraphTranslator& translator) {
  return translator.attempt().input->options->stateful && input.name() == "use_cache_branch" &&
         input.type().tensor_type().elem_type() == onnx::TensorProto::BOOL;
}

/// The value of this input: whether the caches have elements. Null if no cache has a length that grows: then
/// only the caller knows. The other inputs must be bound.
Value cache_branch_choice(const onnx::GraphProto& proto, const onnx::ValueInfoProto& input,
                          GraphTranslator& translator) {
  Builder builder(translator.graph());
  for (ir::Node* parameter : translator.graph().parameters()) {
    const auto is_its_end = [&](const onnx::ValueInfoProto& output) {
      return ir::are_ends_of_a_cache(parameter->name, output.name());
    };
    const auto axis = length_axis(parameter->output(0).shape);
    if (!axis || std::ranges::none_of(proto.output(), is_its_end)) continue;
    builder.set_name(input.name());
    const Value length = ir::dimension_of(builder, parameter->value(), *axis);
    const Value has_past = builder.op(ops::Greater, {length, builder.integer(0)});
    return declared_shape(input.type()).is_scalar() ? ir::squeeze(builder, has_past, {0}) : has_past;
  }
  return {};
}

/// Creates Parameters for all inputs without a default value. (Models of IR version 3 list initializers as
/// inputs.)
void bind_inputs(const LoadedModel& model, const FoundRanks& found, OpenRanks& open,
                 GraphTranslator& translator) {
  const onnx::GraphProto& proto = model.proto().graph();
  std::unordered_set<std::string_view> initialized;
  for_each_initializer(proto, [&](const auto& tensor) { initialized.insert(values_of(tensor).name()); });
  const onnx::ValueInfoProto* cache_branch = nullptr;
  for (const onnx::ValueInfoProto& input : proto.input()) {
    if (initialized.contains(input.name())) continue;
    if (chooses_cache_branch(input, translator)) {
      cache_branch = &input;
    } else {
      bind_input(input, model, found, open, translator);
    }
  }
  // After the inputs from which it follows.
  if (cache_branch == nullptr) return;
  if (const Value has_past = cache_branch_choice(proto, *cache_branch, translator))
    return translator.bind(cache_branch->name(), has_past);
  bind_input(*cache_branch, model, found, open, translator);
}

/// Warns if the type or shape that the model declares for an output differs from the computed one.
void check_declared_output(const onnx::ValueInfoProto& output, const Operand& operand, DiagnosticSink& sink) {
  const auto declared = to_operand_type(output.type());
  const OperandType computed = type_of(operand);
  if (!declared || declared->kind != OperandType::Kind::tensor || computed.kind != OperandType::Kind::tensor)
    return;
  const bool has_other_type = declared->type != ir::ElementType::dynamic && declared->type != computed.type;
  if (!has_other_type && ir::intersect(declared->shape, computed.shape)) return;
  sink.report(
      base::diagnostic_of({DiagnosticCode::declared_output,
                           "model output '" + output.name() + "' is declared as " + to_string(*declared) +
                               ", but the graph computes " + to_string(computed),
                           "the IR has the computed type and shape; correct the declaration, or the graph"},
                          graph_place(kMainGraphPath), Severity::warning));
}

/// Whether the tensors of a sequence cannot be packed.
bool has_element_of_unknown_rank(const Operand& operand) {
  if (const auto* optional = std::get_if<std::shared_ptr<const Optional>>(&operand))
    return (*optional)->content != nullptr && has_element_of_unknown_rank(*(*optional)->content);
  const auto* const sequence = std::get_if<std::shared_ptr<const Sequence>>(&operand);
  return sequence != nullptr && (*sequence)->elements &&
         std::ranges::any_of((*sequence)->elements->values(),
                             [](ir::Value element) { return !element.shape().has_rank(); });
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
  if ((!has_known_rank(type) && !has_open_rank(type)) || has_element_of_unknown_rank(operand)) {
    return sink.error(
        DiagnosticCode::unsupported_output,
        "model output '" + output.name() + "' is a " + to_string(type) + " whose elements have no known rank",
        graph_place(kMainGraphPath));
  }
  Builder builder(graph);
  const auto parts = parts_of_operand(type, Boundary::model);
  std::size_t next = 0;
  for (const Value& tensor : split_operand(builder, operand, type, Boundary::model)) {
    const std::string name = output.name() + std::string(parts[next++].suffix);
    builder.set_name(name);
    if (type.kind != OperandType::Kind::tensor) tensor.node->output(tensor.index).names.push_back(name);
    builder.result(tensor);
  }
}

WrongRanks wrong_ranks(const Findings& found, const onnx::GraphProto& proto) {
  WrongRanks result;
  for (const auto& output : proto.output())
    result.outputs += found.wrong_ranks.contains({Occurrences::kModel, output.name()}) ? 1 : 0;
  result.values = found.wrong_ranks.size() - result.outputs;
  return result;
}

/// A model that was translated, or null, and what was found.
struct Translated {
  std::unique_ptr<ir::Model> model;
  Findings found;
};

/// Translates a model as often as necessary. Translation is the inference of types: what an operator returns
/// is known when it has been emitted. So a rank that only a later node shows is assumed or found by one
/// attempt, and used by the next one.
class ModelTranslator {
 public:
  explicit ModelTranslator(const ConversionInput& input) : input_(input) {}

  const Occurrences& occurrences() const { return occurrences_; }
  /// What the last attempt has reported, also if it has thrown.
  DiagnosticSink& reported() { return reported_; }

  Translated translate(const Choices& choices) {
    while (true) {
      open_ranks_.clear();
      Translated translated = attempt(choices);
      // The rank of an input is found at most once; then it is no longer open.
      if (!keep_found_ranks()) return translated;
    }
  }

 private:
  Translated attempt(const Choices& choices) {
    const onnx::GraphProto& proto = input_.model->proto().graph();
    Translated result{std::make_unique<ir::Model>(), {}};
    DiagnosticSink& sink = reported_;
    sink.take();
    result.model->name = proto.name();
    Attempt attempt{&input_, &sink, &occurrences_, choices};
    GraphTranslator translator(attempt, result.model->graph);
    bind_inputs(*input_.model, ranks_, open_ranks_, translator);
    Operands outputs;
    const bool complete = translator.translate(proto, outputs);
    if (complete && !sink.has_errors()) {
      // Requested inputs change shapes; the declared ones need not hold any more.
      const bool has_own_inputs = input_.options->inputs.empty();
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (has_own_inputs) check_declared_output(proto.output(static_cast<int>(i)), outputs[i], sink);
        add_output(proto.output(static_cast<int>(i)), outputs[i], result.model->graph, sink);
      }
    } else if (!sink.has_errors()) {
      const std::string& omitted = attempt.found.omitted_output;
      if (omitted.empty()) throw base::InternalError("a node was skipped without an error");
      sink.error(DiagnosticCode::cannot_convert, "'" + omitted +
                                                     "' is used, but it is an optional output that its node "
                                                     "does not compute with these attributes");
    }
    if (sink.has_errors()) result.model = nullptr;
    result.found = std::move(attempt.found);
    return result;
  }

  /// Whether the attempt has found a rank.
  bool keep_found_ranks() {
    bool has_found = false;
    for (const auto& open : open_ranks_)
      has_found = (open->found && ranks_.emplace(open->input, *open->found).second) || has_found;
    return has_found;
  }

  const ConversionInput& input_;
  DiagnosticSink reported_;
  Occurrences occurrences_;
  FoundRanks ranks_;
  OpenRanks open_ranks_;
};

/// The operator sets that the model imports: "ai.onnx 20, com.microsoft 1".
std::string imported_opsets(const onnx::ModelProto& proto) {
  std::map<std::string_view, std::int64_t> versions;
  for (const auto& import : proto.opset_import())
    versions.emplace(canonical_domain(import.domain()), import.version());
  return base::joined(versions, ", ", [](const auto& import) {
    return std::string(shown_domain(import.first)) + ' ' + std::to_string(import.second);
  });
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
void report_other_errors(ModelTranslator& translator, DiagnosticSink& sink) {
  translator.translate({});
  for (const Diagnostic& error : translator.reported().diagnostics()) {
    // What cannot be converted may depend on a branch that an undefined name would decide.
    if (error.code == DiagnosticCode::invalid_node || error.code == DiagnosticCode::unsupported_operator)
      sink.report(error);
  }
}

/// Translates the model with the branches that can succeed. Without such branches, each If whose branches
/// differ in rank is an error.
Translated translate_with_choices(ModelTranslator& translator, const onnx::GraphProto& proto) {
  Translated first = translator.translate({.may_choose = true});
  if (first.found.open_ifs.empty()) return first;
  first.model.reset();
  const auto attempt = [&](const BranchChoices& branches) -> BranchTrial {
    Translated translated =
        translator.translate({.branches = branches, .may_choose = true, .are_compared = true});
    return {.succeeded = translated.model != nullptr,
            .open_ifs = std::move(translated.found.open_ifs),
            .certain_failures = std::move(translated.found.certain_failures),
            .wrong_ranks = wrong_ranks(translated.found, proto)};
  };
  BranchChoices branches = choose_branches(attempt, translator.occurrences());
  const bool are_compared = !branches.empty();
  return translator.translate({.branches = std::move(branches), .are_compared = are_compared});
}

}  // namespace

ImportedModel import_model(const ModelSource& source, const Options& options, const target::Target& target,
                           DiagnosticSink& sink, std::vector<std::filesystem::path>* external_paths) {
  const auto map = load_operator_map(options.operator_map, sink);
  if (!map) return {};
  const auto extensions = load_extensions(options.extensions, sink);
  if (!extensions) return {};
  auto loaded = load_model(source, options, sink, external_paths);
  if (!loaded) return {};
  const ConversionInput input{&*loaded, &translator_table(), &target, &options, &*map, &*extensions};
  ModelTranslator translator(input);
  if (sink.has_errors()) {
    report_other_errors(translator, sink);
    return {};
  }
  const auto pass_on = [&] {
    for (Diagnostic& diagnostic : translator.reported().take()) sink.report(std::move(diagnostic));
  };
  Translated translated;
  try {
    translated = translate_with_choices(translator, loaded->proto().graph());
  } catch (...) {
    pass_on();
    throw;
  }
  pass_on();
  return with_inputs(std::move(translated.model), *std::move(loaded));
}

}  // namespace onnx2ir::frontend
