// The public API: runs front end, passes and back end.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include "api/model.hpp"
#include "api/provenance.hpp"
#include "api/stages.hpp"
#include "base/failure.hpp"
#include "base/input_file.hpp"
#include "base/joined.hpp"
#include "base/memory_budget.hpp"
#include "base/nearest_name.hpp"
#include "frontend/frontend.hpp"
#include "frontend/model_facts.hpp"
#include "frontend/operator_table.hpp"
#include "frontend/reader/reader.hpp"
#include "ir/statistics/statistics.hpp"
#include "ir/text/printer.hpp"
#include "onnx2ir/onnx2ir.hpp"
#include "passes/pipeline.hpp"
#include "target/faults.hpp"
#include "target/target.hpp"

namespace onnx2ir {

namespace {

/// Reports the progress, which was `furthest` so far, and dumps the graph if requested.
void report_pass(const Options& options, std::string_view pass, const ir::Model& model, double& furthest) {
  constexpr double kImportPart = 0.6;
  if (options.progress) {
    const auto all = passes::pipeline();
    const auto at = std::ranges::find(all, pass, &passes::Pass::name);
    const double done = at == all.end() ? 0 : static_cast<double>(at - all.begin() + 1);
    // Some passes run again: the reported progress must not decrease.
    furthest = std::max(furthest, kImportPart + (1 - kImportPart) * done / static_cast<double>(all.size()));
    options.progress(pass, furthest);
  }
  const bool is_requested = std::ranges::any_of(
      options.debug.print_after, [&](const auto& name) { return name == pass || name == "all"; });
  if (is_requested && options.debug.dump) options.debug.dump(pass, ir::text(model));
}

/// The files that options name.
std::vector<std::filesystem::path> option_files(const Options& options) {
  std::vector<std::filesystem::path> files = options.extensions;
  if (!options.operator_map.empty()) files.push_back(options.operator_map);
  return files;
}

/// Names the dynamic dimensions as the ONNX model does.
void add_names(Port& port, const frontend::DimensionNames& names) {
  const auto found = names.find(port.name);
  if (found == names.end() || found->second.size() != port.dimensions.size()) return;
  for (std::size_t axis = 0; axis < port.dimensions.size(); ++axis) {
    PortDimension& dimension = port.dimensions[axis];
    if (dimension.min != dimension.max) dimension.name = found->second[axis];
  }
}

std::vector<Port> ports(const std::vector<ir::Node*>& nodes, const frontend::DimensionNames& names) {
  std::vector<Port> result;
  for (const ir::Node* node : nodes) {
    const ir::Output& output = node->output(0);
    Port port;
    port.name = node->name;
    port.element_type = std::string(ir::info(output.type).name);
    port.has_rank = output.shape.has_rank();
    if (port.has_rank) {
      for (const ir::Dimension& dimension : output.shape) {
        port.shape.push_back(dimension.size());
        port.dimensions.push_back({dimension.min, dimension.max, {}});
      }
      add_names(port, names);
    }
    result.push_back(std::move(port));
  }
  return result;
}

/// The ports that have a named size, as in "ids[batch,past + length];mask[batch,4]". Empty if no port has
/// one.
std::string named_sizes(const std::vector<Port>& ports) {
  std::vector<std::string> texts;
  const auto has_name = [](const PortDimension& dimension) { return !dimension.name.empty(); };
  for (const Port& port : ports) {
    if (!std::ranges::any_of(port.dimensions, has_name)) continue;
    const std::string sizes = base::joined(port.dimensions, ",", [](const PortDimension& dimension) {
      if (!dimension.name.empty()) return dimension.name;
      return dimension.min == dimension.max ? std::to_string(dimension.min) : std::string("?");
    });
    texts.push_back(port.name + '[' + sizes + ']');
  }
  return base::joined(texts, ";");
}

/// Adds the names of sizes to what the IR records of its conversion.
void record_sizes(ir::Model& model, const frontend::DimensionNames& input_names,
                  const frontend::DimensionNames& output_names) {
  const auto record = [&](const char* name, const std::string& sizes) {
    if (!sizes.empty()) model.provenance.emplace_back(name, sizes);
  };
  record("input_sizes", named_sizes(ports(model.graph.parameters(), input_names)));
  record("output_sizes", named_sizes(ports(model.graph.results(), output_names)));
}

/// Runs the passes on `model`.
void optimize(ir::Model& model, const Options& options, const target::Target& target, DiagnosticSink& sink) {
  passes::PassContext context;
  context.sink = &sink;
  context.target = target;
  context.options = &options;
  double furthest = 0;
  context.inspect = [&](std::string_view pass, const ir::Model& now) {
    report_pass(options, pass, now, furthest);
    base::check_cancelled(options.is_cancelled);
  };
  context.inspect("import", model);
  passes::run_pipeline(model, context);
}

/// Imports the model and runs the passes. Null if the model or the target is not valid.
std::unique_ptr<Model::Implementation> import_and_optimize(
    const frontend::ModelSource& source, const Options& options, DiagnosticSink& sink,
    std::vector<std::filesystem::path>& external_paths) {
  const auto target = read_target(options.target_runtime, sink);
  if (!target) return nullptr;
  if (options.progress) options.progress("reading", 0.0);
  const auto start = std::chrono::steady_clock::now();
  frontend::ImportedModel imported = frontend::import_model(source, options, *target, sink, &external_paths);
  if (options.debug.pass_finished) {
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    options.debug.pass_finished("import", time.count(), true);
  }
  if (imported.model == nullptr) return nullptr;
  std::ranges::copy(provenance(options, *target), std::back_inserter(imported.model->provenance));
  auto result = std::make_unique<Model::Implementation>();
  result->threads = options.threads;
  result->is_converted = true;
  if (imported.source) {
    const onnx::GraphProto& graph = imported.source->proto().graph();
    result->input_names = frontend::dimension_names(graph.input());
    result->output_names = frontend::dimension_names(graph.output());
    if (options.keep_source)
      result->source = std::move(imported.source);
    else
      result->counts = frontend::counts_of(*imported.source);
  }
  imported.source.reset();  // the passes need its memory
  result->model = std::move(imported.model);
  optimize(*result->model, options, *target, sink);
  return result;
}

std::string full_name(const std::string& domain, const std::string& name) {
  return domain.empty() ? name : domain + '.' + name;
}

/// For operators that resemble no other.
constexpr std::string_view kOtherWays =
    "`onnx2ir explain extensions`: --operator-map converts the operator to an operation of the IR, "
    "--extension by a library of yours, --keep-unknown keeps it for an extension of OpenVINO";

/// Suggests how to avoid operators of onnxruntime's optimizer, a later opset of the operator, an operator of
/// the same name in another domain, or one of a similar name in the same domain.
std::string suggestion(const std::vector<frontend::OperatorRow>& table, const Place& place) {
  if (place.domain == "com.microsoft.nchwc") {
    return "onnxruntime has optimised the model for one kind of CPU: save it with the level "
           "ORT_ENABLE_EXTENDED, or convert the original model";
  }
  std::vector<std::string> same_domain;
  for (const frontend::OperatorRow& row : table) {
    if (row.name == place.op_type && row.domain != place.domain)
      return "there is an operator " + full_name(row.domain, row.name);
    if (row.name == place.op_type && row.versions.front() > place.opset)
      return fmt::format("{} exists from opset {} on: export the model with that opset or a later one",
                         row.name, row.versions.front());
    if (row.domain == place.domain) same_domain.push_back(row.name);
  }
  const std::string nearest(base::nearest_name(place.op_type, same_domain));
  // The table has all operators of ONNX. tf2onnx leaves operators of TensorFlow without a domain.
  const bool is_foreign = place.domain.empty() && nearest != place.op_type;
  const std::string absent = is_foreign ? "ONNX has no operator " + place.op_type : std::string();
  if (!nearest.empty())
    return absent + (is_foreign ? "; " : "") + "did you mean " + full_name(place.domain, nearest) + "?";
  return absent + (is_foreign ? ": exporters leave operators in a model that they cannot convert; " : "") +
         std::string(kOtherWays);
}

/// Adds suggestions of similar operators to errors about unsupported operators. Removes the warnings that
/// these operators are read as onnxruntime's.
void explain_unsupported_operators(std::vector<Diagnostic>& diagnostics) {
  std::vector<frontend::OperatorRow> table;
  std::map<std::string, std::string> known;
  for (Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.code != DiagnosticCode::unsupported_operator || !diagnostic.hint.empty()) continue;
    const auto [found, is_new] =
        known.try_emplace(full_name(diagnostic.place.domain, diagnostic.place.op_type));
    if (is_new) {
      if (table.empty()) table = frontend::operator_table();
      found->second = suggestion(table, diagnostic.place);
    }
    diagnostic.hint = found->second;
  }
  std::erase_if(diagnostics, [&](const Diagnostic& diagnostic) {
    return diagnostic.code == DiagnosticCode::unknown_operator &&
           known.contains(full_name(diagnostic.place.domain, diagnostic.place.op_type));
  });
}

Conversion convert(const frontend::ModelSource& source, const Options& options) {
  DiagnosticSink sink;
  const base::MemoryBudgetScope budget(options.max_memory);
  std::vector<std::filesystem::path> external_paths;
  std::unique_ptr<Model::Implementation> converted;
  contain(sink, [&] { converted = import_and_optimize(source, options, sink, external_paths); });
  Conversion conversion;
  conversion.files = option_files(options);
  if (const auto* const path = std::get_if<std::filesystem::path>(&source)) conversion.files.push_back(*path);
  std::ranges::copy(external_paths, std::back_inserter(conversion.files));
  if (converted != nullptr && !sink.has_errors()) {
    add_inputs(*converted->model, option_files(options));
    record_sizes(*converted->model, converted->input_names, converted->output_names);
    conversion.model.emplace(std::move(converted));
  }
  conversion.diagnostics = sink.take();
  explain_unsupported_operators(conversion.diagnostics);
  for (Diagnostic& diagnostic : conversion.diagnostics) {
    if (options.max_memory != 0 && diagnostic.code == DiagnosticCode::out_of_memory)
      diagnostic.hint =
          "Options::max_memory limits it (--max-memory on the command line, max_memory= in Python); raise "
          "the limit, or set it to 0";
  }
  return conversion;
}

}  // namespace

Model::Model(std::unique_ptr<Implementation> implementation) : implementation_(std::move(implementation)) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

std::vector<Port> Model::inputs() const {
  return ports(implementation_->model->graph.parameters(), implementation_->input_names);
}
std::vector<Port> Model::outputs() const {
  return ports(implementation_->model->graph.results(), implementation_->output_names);
}

std::size_t Model::layer_count() const {
  return ir::node_count(implementation_->model->graph);
}

std::vector<std::filesystem::path> external_files(const std::filesystem::path& path,
                                                  const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  DiagnosticSink sink;
  const base::MemoryBudgetScope budget(std::nullopt);
  Options options;
  options.external_data_folder = folder;
  contain(sink, [&] { frontend::load_model(path, options, sink, &files); });
  return files;
}

Conversion convert_file(const std::filesystem::path& path, const Options& options) {
  return convert(path, options);
}
Conversion convert_bytes(std::span<const std::byte> bytes, const Options& options) {
  return convert(bytes, options);
}
Conversion convert_text(std::string_view text, const Options& options) {
  return convert(text, options);
}

std::vector<PassInfo> list_passes() {
  std::vector<PassInfo> infos;
  for (const passes::Pass& pass : passes::pipeline())
    infos.push_back({pass.name, pass.summary, names_of(pass.required), names_of(pass.ensured)});
  return infos;
}

std::vector<FaultInfo> list_faults() {
  std::vector<FaultInfo> infos;
  for (const target::FaultDescription& fault : target::all_faults()) {
    FaultInfo info{fault.name, fault.summary, to_string(fault.first), {}, fault.instruction_sets};
    if (fault.last) info.last_release = to_string(*fault.last);
    infos.push_back(std::move(info));
  }
  return infos;
}

std::vector<OperatorInfo> supported_operators() {
  std::vector<OperatorInfo> table;
  for (frontend::OperatorRow& row : frontend::operator_table()) {
    table.push_back({std::move(row.domain), std::move(row.name), std::move(row.versions),
                     row.has_translator ? "translator" : "function body", std::move(row.limits)});
  }
  return table;
}

std::string_view version() {
  return ONNX2IR_VERSION;
}

}  // namespace onnx2ir
