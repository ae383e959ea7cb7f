// Finds operations and element types that some release of the target lacks and that cannot be decomposed: a
// warning if newer releases of the target can run the IR, an error if none can.
#include <fmt/core.h>

#include <array>

#include "ir/views/linear_algebra.hpp"
#include "ir/views/spatial.hpp"
#include "passes/passes.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

/// Something that releases with `fault` lack.
struct RequiredFeature {
  Fault fault;
  ir::OperationSet operations;
  bool (*is_needed_by)(const ir::Node& node, bool is_in_body);
  std::string_view what;
};

template <ir::ElementType... kTypes>
bool is_input_of(const ir::Node& node, bool is_in_body) {
  return node.is(ops::Parameter) && !is_in_body && ((node.output(0).type == kTypes) || ...);
}

bool has_uint2(const ir::Node& node, bool is_in_body) {
  const bool is_output = node.is(ops::Result) && !is_in_body && node.input(0).type() == ir::ElementType::u2;
  return is_output || is_input_of<ir::ElementType::u2>(node, is_in_body);
}

bool is_dilated_average(const ir::Node& node, bool) {
  const auto pool = ir::match<ir::AvgPoolView>(node);
  return pool && pool->dilations();
}

bool has_ellipsis(const ir::Node& node, bool) {
  const auto einsum = ir::match<ir::EinsumView>(node);
  return einsum && einsum->equation().find('.') != std::string::npos;
}

bool is_dynamic_transform(const ir::Node& node, bool) {
  return node.is_one_of({ops::DFT, ops::IDFT}) && !node.input(0).shape().is_static();
}

using enum ir::ElementType;
constexpr std::array kRequiredFeatures = {
    RequiredFeature{Fault::einsum_labels, {ops::Einsum}, has_ellipsis, "an Einsum with an ellipsis"},
    RequiredFeature{
        Fault::no_average_dilations, {ops::AvgPool}, is_dilated_average, "an AvgPool with dilations"},
    RequiredFeature{Fault::no_dynamic_transforms,
                    {ops::DFT, ops::IDFT},
                    is_dynamic_transform,
                    "a Fourier transform of dynamic shape"},
    RequiredFeature{
        Fault::no_float4_inputs, {ops::Parameter}, is_input_of<f4e2m1>, "an input of type f4e2m1"},
    RequiredFeature{Fault::no_float8_inputs,
                    {ops::Parameter},
                    is_input_of<f8e4m3, f8e5m2>,
                    "an input of type f8e4m3 or f8e5m2"},
    RequiredFeature{Fault::no_scale_inputs, {ops::Parameter}, is_input_of<f8e8m0>, "an input of type f8e8m0"},
    RequiredFeature{
        Fault::no_uint2, {ops::Parameter, ops::Result}, has_uint2, "an input or output of type u2"},
};

/// The first release without the fault; no value if all supported releases have it.
std::optional<target::Release> first_release(Fault fault) {
  const auto last = target::description(fault).last;
  return last ? target::release_after(*last) : std::nullopt;
}

void report(DiagnosticSink& sink, const target::Target& target, const RequiredFeature& feature,
            std::vector<std::string> nodes) {
  const auto first = first_release(feature.fault);
  Diagnostic diagnostic;
  diagnostic.code = DiagnosticCode::needs_newer_runtime;
  diagnostic.notes = std::move(nodes);
  if (!first) {
    diagnostic.message =
        fmt::format("the model has {}, which no supported release of OpenVINO can run", feature.what);
  } else {
    diagnostic.severity = *first <= target.newest() ? Severity::warning : Severity::error;
    diagnostic.message = fmt::format("the model has {}: it runs on OpenVINO {} and newer releases only",
                                     feature.what, target::to_string(*first));
    diagnostic.hint =
        fmt::format("use OpenVINO {} or newer, and say so with --target-runtime", target::to_string(*first));
  }
  sink.report(std::move(diagnostic));
}

}  // namespace

bool warn_about_newer_operations(ir::Model& model, PassContext& context) {
  if (context.sink == nullptr) return false;
  const auto graphs = graphs_of(model);
  for (const RequiredFeature& feature : kRequiredFeatures) {
    if (!context.has(feature.fault)) continue;
    std::vector<std::string> nodes;
    for (const ir::Graph* graph : graphs) {
      if (!graph->may_hold(feature.operations)) continue;
      for (const auto& node : graph->nodes()) {
        if (!node->is_one_of(feature.operations) || !feature.is_needed_by(*node, graph != &model.graph))
          continue;
        nodes.push_back(fmt::format("{} '{}'", node->op().name, node->name));
      }
    }
    if (!nodes.empty()) report(*context.sink, context.target, feature, std::move(nodes));
  }
  return false;
}

}  // namespace onnx2ir::passes
