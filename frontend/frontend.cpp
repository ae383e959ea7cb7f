// Joins the reader, the graph translator and the table of translators.
#include "frontend/frontend.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/failure.hpp"
#include "base/joined.hpp"
#include "frontend/graph/branch_choice.hpp"
#include "frontend/graph/graph_translator.hpp"
#include "frontend/mapping/extension_library.hpp"
#include "frontend/mapping/operator_map.hpp"
#include "frontend/model_interface.hpp"
#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/opset_imports.hpp"
#include "frontend/translators/all_translators.hpp"

namespace onnx2ir::frontend {
namespace {

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
