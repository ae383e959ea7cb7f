// Finds the layers of an IR that faults of OpenVINO affect, and works around the faults.
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "api/model.hpp"
#include "api/provenance.hpp"
#include "api/stages.hpp"
#include "ir/inference.hpp"
#include "ir/known_values.hpp"
#include "ir/shape_tools.hpp"
#include "ir/views/elementwise.hpp"
#include "ir/views/unary.hpp"
#include "json/json.hpp"
#include "onnx2ir/onnx2ir.hpp"
#include "passes/analysis/constant_values.hpp"
#include "passes/analysis/uses.hpp"
#include "passes/fault_search.hpp"
#include "passes/finished_forms.hpp"
#include "passes/graph_walk.hpp"
#include "target/faults.hpp"

namespace onnx2ir {
namespace {

/// The fact `name` that onnx2ir has written into an IR; empty if it has not.
std::string_view fact_of(const ir::Model& model, std::string_view name) {
  const auto found = std::ranges::find(model.provenance, name, [](const auto& fact) { return fact.first; });
  return found == model.provenance.end() ? std::string_view() : found->second;
}

/// Decompresses small constants that are stored in half precision, for the passes that ask whether an operand
/// is a constant. A constant that is read in both types has a fault of its own (shared_half_table).
void decompress_small_constants(ir::Model& model) {
  for (ir::Graph* graph : passes::graphs_of(model)) {
    for (std::size_t i = 0, count = graph->nodes().size(); i < count; ++i) {
      ir::Node& node = *graph->nodes()[i];
      const auto convert = ir::match<ir::ConvertView>(node);
      const ir::ConstantData* const data = convert ? convert->data().node->constant() : nullptr;
      if (data == nullptr || data->size() > ir::ConstantData::kSmall ||
          !passes::is_used_once(*convert->data().node))
        continue;
      const ir::ElementType stored = convert->data().type();
      const bool is_half = stored == ir::ElementType::f16 || stored == ir::ElementType::bf16;
      const auto numbers = is_half ? ir::exact_numbers(convert->data()) : std::nullopt;
      const auto shape = convert->data().shape().sizes();
      if (!numbers || !shape || node.output(0).type != ir::ElementType::f32) continue;
      ir::Builder builder = ir::builder_beside(node);
      ir::replace_all_uses(node.value(), builder.numbers(*numbers, *shape, ir::ElementType::f32));
    }
    graph->sort();
  }
}

/// Stacks scan outputs in the order of the iterations and reverses them after the loop. A TensorIterator may
/// stack them in reverse; a Loop that does so does not compile if OpenVINO removes a state of it.
void stack_forward(ir::LoopView loop) {
  for (ir::Scan& scan : loop.scans()) {
    if (scan.start != -1 || scan.end != 0 || scan.stride != -1 || scan.part_size != 1) continue;
    static_cast<ir::Slices&>(scan) = {.axis = scan.axis};
    ir::Builder builder = ir::builder_beside(loop.node());
    const ir::Value reversed = ir::reverse(builder, loop.output(scan), scan.axis);
    ir::replace_uses_except(loop.output(scan), reversed, *reversed.node);
  }
  loop.node().graph().sort();
}

/// OpenVINO's front ends write m_pythondiv, which means that quotients of integers are rounded down, for each
/// Divide: also for Div of ONNX and torch.div(rounding_mode="trunc"), which are a bare Divide, and for
/// tf.truncatediv, which reads it three times. Only PyTorch's `//` means it, which is a Floor of the Divide:
/// a Floor of integers has no other use. Other quotients are rounded toward zero, as the CPU plugin does it.
void state_truncation(ir::Model& model) {
  for (ir::Graph* graph : passes::graphs_of(model)) {
    for (const ir::NodePointer& node : graph->nodes()) {
      const auto divide = ir::match<ir::DivideView>(*node);
      if (!divide || !ir::is_signed_integral(divide->a().type()) || !divide->m_pythondiv().value_or(true) ||
          (passes::are_at_least(divide->a(), 0) && passes::are_at_least(divide->b(), 0)))
        continue;
      const ir::Node* const reader = passes::only_reader(*node);
      if (reader == nullptr || !reader->is(ops::Floor)) node->set_attribute({"m_pythondiv", false});
    }
  }
}

/// Makes a model that was read fit for the passes, which expect no unused nodes, and marks loops that they
/// have legalised already. A Loop with a state of unknown rank runs if nothing uses the state: it is removed.
void prepare(ir::Model& model) {
  for (ir::LoopView loop : passes::loops_of(model)) {
    loop.remove_states(
        [](const ir::Carried& state) { return !state.output && !ir::is_read(state.parameter->value()); });
    stack_forward(loop);
  }
  passes::mark_guarded_outputs(model, recorded_targets(model.provenance));
  decompress_small_constants(model);
  state_truncation(model);
  passes::remove_dead_nodes(model);
  ir::infer(model.graph);
  passes::mark_finished_forms(model);
  ir::infer(model.graph);
}

/// `options` with the choices of the conversion that wrote the IR: it has chosen in which products the inputs
/// may be rounded, from facts that the XML does not have.
Options with_choices_of(const ir::Model& model, Options options) {
  if (fact_of(model, "target_runtime").empty()) return options;
  if (options.dynamic_quantization == DynamicQuantization::automatic)
    options.dynamic_quantization = DynamicQuantization::always;
  if (fact_of(model, "quantization") == "exact") options.quantization = Quantization::exact;
  return options;
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
  static const ir::Model& data(const Model& model) { return *model.implementation_->model; }

  static std::vector<std::filesystem::path> files(const Model& model) {
    std::vector<std::filesystem::path> paths;
    for (const base::Input& input : data(model).inputs) paths.emplace_back(input.path);
    return paths;
  }

  /// A copy of `model`, to be changed.
  static std::unique_ptr<ir::Model> copy(const Model& model) {
    auto copied = written(*model.implementation_);
    copied->inputs = data(model).inputs;
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
    const Options chosen = with_choices_of(Legalizer::data(model), options);
    const auto nodes =
        passes::affected_nodes([&] { return Legalizer::copy(model); }, context_of(chosen, *target, sink));
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
    const Options chosen = with_choices_of(Legalizer::data(model), options);
    passes::PassContext context = context_of(chosen, *target, sink);
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
  const auto json_of = [&](const AffectedLayer& layer) -> Json {
    const FaultInfo& fault = *std::ranges::find(faults, layer.fault, &FaultInfo::name);
    return {{"layer", layer.layer},
            {"operation", layer.operation},
            {"fault", fault.name},
            {"summary", fault.summary},
            {"first_release", fault.first_release},
            {"last_release", fault.last_release},
            {"instruction_sets", fault.instruction_sets},
            {"warning", layer.warning}};
  };
  return indented_text(json_list(lint.layers, json_of)) + '\n';
}

}  // namespace onnx2ir
