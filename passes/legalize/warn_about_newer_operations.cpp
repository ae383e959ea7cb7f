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

/// Those of `operations` for which `is_needed_by` is true: releases with `fault` lack them.
struct RequiredOperation {
  Fault fault;
  ir::OperationSet operations;
  bool (*is_needed_by)(const ir::Node& node);
  std::string_view what;
};

/// Element types that the inputs of a model, and with `of_outputs` its outputs, cannot have in releases with
/// `fault`. Bodies can have them.
struct RequiredPortType {
  Fault fault;
  base::EnumSet<ir::ElementType, 64> types;
  std::string_view what;
  bool of_outputs = false;
};

bool is_dilated_average(const ir::Node& node) {
  return ir::AvgPoolView(node).dilations().has_value();
}

bool has_ellipsis(const ir::Node& node) {
  return ir::EinsumView(node).equation().find('.') != std::string::npos;
}

bool is_dynamic_transform(const ir::Node& node) {
  return !node.input(0).shape().is_static();
}

constexpr std::array kRequiredOperations = {
    RequiredOperation{Fault::einsum_labels, {ops::Einsum}, has_ellipsis, "an Einsum with an ellipsis"},
    RequiredOperation{
        Fault::no_average_dilations, {ops::AvgPool}, is_dilated_average, "an AvgPool with dilations"},
    RequiredOperation{Fault::no_dynamic_transforms,
                      {ops::DFT, ops::IDFT},
                      is_dynamic_transform,
                      "a Fourier transform of dynamic shape"},
};

using enum ir::ElementType;
constexpr std::array kRequiredPortTypes = {
    RequiredPortType{Fault::no_float4_inputs, {f4e2m1}, "an input of type f4e2m1"},
    RequiredPortType{Fault::no_float8_inputs, {f8e4m3, f8e5m2}, "an input of type f8e4m3 or f8e5m2"},
    RequiredPortType{Fault::no_scale_inputs, {f8e8m0}, "an input of type f8e8m0"},
    RequiredPortType{Fault::no_uint2, {u2}, "an input or output of type u2", true},
};

using Nodes = std::vector<const ir::Node*>;

/// Reports that `nodes` need a release without `fault`; nothing if there are none.
void report(PassContext& context, Fault fault, std::string_view what, const Nodes& nodes) {
  if (nodes.empty()) return;
  const auto last = target::description(fault).last;
  const auto first = last ? target::release_after(*last) : std::nullopt;
  Diagnostic diagnostic;
  diagnostic.code = DiagnosticCode::needs_newer_runtime;
  for (const ir::Node* node : nodes)
    diagnostic.notes.push_back(fmt::format("{} '{}'", node->op().name, node->name));
  if (!first) {
    diagnostic.message =
        fmt::format("the model has {}, which no supported release of OpenVINO can run", what);
  } else {
    diagnostic.severity = *first <= context.target.newest() ? Severity::warning : Severity::error;
    diagnostic.message = fmt::format("the model has {}: it runs on OpenVINO {} and newer releases only", what,
                                     target::to_string(*first));
    diagnostic.hint =
        fmt::format("use OpenVINO {} or newer, and say so with --target-runtime", target::to_string(*first));
  }
  context.sink->report(std::move(diagnostic));
}

Nodes find_nodes(ir::Model& model, const RequiredOperation& row) {
  Nodes found;
  for (const ir::Node* node : nodes_of(model, row.operations)) {
    if (row.is_needed_by(*node)) found.push_back(node);
  }
  return found;
}

Nodes find_ports(const ir::Graph& graph, const RequiredPortType& row) {
  Nodes found;
  for (const ir::Node* parameter : graph.parameters()) {
    if (row.types.contains(parameter->output(0).type)) found.push_back(parameter);
  }
  for (const ir::Node* result : graph.results()) {
    if (row.of_outputs && row.types.contains(result->input(0).type())) found.push_back(result);
  }
  return found;
}

}  // namespace

bool warn_about_newer_operations(ir::Model& model, PassContext& context) {
  if (context.sink == nullptr) return false;
  for (const RequiredOperation& row : kRequiredOperations) {
    if (context.has(row.fault)) report(context, row.fault, row.what, find_nodes(model, row));
  }
  for (const RequiredPortType& row : kRequiredPortTypes) {
    if (context.has(row.fault)) report(context, row.fault, row.what, find_ports(model.graph, row));
  }
  return false;
}

}  // namespace onnx2ir::passes
