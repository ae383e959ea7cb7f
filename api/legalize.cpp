// Finds the layers of an IR that faults of OpenVINO affect, and works around the faults.
#include <algorithm>
#include <utility>

#include "api/model.hpp"
#include "api/provenance.hpp"
#include "api/stages.hpp"
#include "ir/inference.hpp"
#include "json/json.hpp"
#include "onnx2ir/onnx2ir.hpp"
#include "passes/fault_search.hpp"
#include "passes/graph_walk.hpp"
#include "passes/support/zero_iterations.hpp"
#include "target/faults.hpp"

namespace onnx2ir {
namespace {

/// Makes a model that was read fit for the passes, which expect no unused nodes. In an IR that onnx2ir wrote,
/// operations after a loop select the right outputs if it runs zero times, as its releases need it. In
/// others, nothing does.
void prepare(ir::Model& model) {
  const std::vector<target::Target> targets = recorded_targets(model.provenance);
  const auto faults = [&](target::Fault fault) {
    return std::ranges::any_of(targets, [&](const target::Target& target) { return target.has(fault); });
  };
  for (const ir::LoopView loop : passes::loops_of(model)) {
    for (ir::Carried& state : loop.states()) state.is_guarded = passes::is_guarded_for(state, faults);
    for (ir::Scan& scan : loop.scans()) scan.is_guarded = passes::has_guarded_scans(faults);
  }
  for (ir::Graph* graph : passes::graphs_of(model)) graph->remove_dead_nodes();
  ir::infer(model.graph);
}

passes::PassContext context_of(const Options& options, const target::Target& target, DiagnosticSink& sink) {
  passes::PassContext context;
  context.sink = &sink;
  context.target = target;
  context.options = &options;
  context.checks =
      false;  // the IR of another program need not have the properties that earlier passes ensure
  return context;
}

}  // namespace

/// Access to the data of a model.
struct Legalizer {
  static std::vector<std::filesystem::path> files(const Model& model) {
    std::vector<std::filesystem::path> paths;
    for (const base::Input& input : model.implementation_->model->inputs) paths.emplace_back(input.path);
    return paths;
  }

  /// A copy of `model`, to be changed.
  static std::unique_ptr<ir::Model> copy(const Model& model) {
    auto copied = written(*model.implementation_);
    copied->inputs = model.implementation_->model->inputs;
    prepare(*copied);
    return copied;
  }
};

Lint lint(const Model& model, const Options& options) {
  Lint result;
  DiagnosticSink sink;
  contain(sink, [&] {
    const auto target = read_target(options.target_runtime, sink);
    if (!target) return;
    const auto nodes =
        passes::affected_nodes([&] { return Legalizer::copy(model); }, context_of(options, *target, sink));
    for (const passes::AffectedNode& node : nodes)
      result.layers.push_back(
          {node.layer, node.operation, target::description(node.fault).name, node.warning});
  });
  result.diagnostics = sink.take();
  return result;
}

Conversion legalize(const Model& model, const Options& options) {
  Conversion conversion;
  DiagnosticSink sink;
  contain(sink, [&] {
    const auto target = read_target(options.target_runtime, sink);
    if (!target) return;
    auto implementation = std::make_unique<Model::Implementation>();
    implementation->model = Legalizer::copy(model);
    implementation->threads = options.threads;
    passes::PassContext context = context_of(options, *target, sink);
    passes::run_legalizations(*implementation->model, context);
    record_legalization(implementation->model->provenance, *target);
    if (!sink.has_errors()) conversion.model.emplace(std::move(implementation));
  });
  conversion.files = Legalizer::files(model);
  conversion.diagnostics = sink.take();
  return conversion;
}

std::string to_json(const Lint& lint) {
  const auto faults = list_faults();
  Json json = Json::array();
  for (const AffectedLayer& layer : lint.layers) {
    const FaultInfo& fault = *std::ranges::find(faults, layer.fault, &FaultInfo::name);
    json.push_back({{"layer", layer.layer},
                    {"operation", layer.operation},
                    {"fault", fault.name},
                    {"summary", fault.summary},
                    {"first_release", fault.first_release},
                    {"last_release", fault.last_release},
                    {"instruction_sets", fault.instruction_sets},
                    {"warning", layer.warning}});
  }
  return indented_text(json) + '\n';
}

}  // namespace onnx2ir
