#include "frontend/model_names.hpp"

#include "frontend/reader/bodies.hpp"
#include "frontend/reader/onnx_proto.hpp"

namespace onnx2ir::frontend {
namespace {

template <typename Values>
DimensionNames names_of(const Values& values) {
  DimensionNames names;
  for (const auto& value : values) {
    if (!value.type().has_tensor_type()) continue;
    std::vector<std::string> of_value;
    bool has_name = false;
    for (const auto& dimension : value.type().tensor_type().shape().dim()) {
      of_value.push_back(dimension.dim_param());
      has_name = has_name || !of_value.back().empty();
    }
    if (has_name) names.emplace(value.name(), std::move(of_value));
  }
  return names;
}

using Operators = std::unordered_map<std::string, std::string>;

void add(const onnx::GraphProto& graph, Operators& operators) {
  for (const onnx::NodeProto& node : graph.node()) {
    if (node.output().empty()) continue;
    operators.emplace(node.name().empty() ? node.output(0) : node.name(), node.op_type());
    for_each_body(node, [&](const onnx::GraphProto& body) { add(body, operators); });
  }
}

}  // namespace

DimensionNames input_dimension_names(const LoadedModel& model) {
  return names_of(model.proto().graph().input());
}
DimensionNames output_dimension_names(const LoadedModel& model) {
  return names_of(model.proto().graph().output());
}

Operators operators_by_name(const LoadedModel& model) {
  Operators operators;
  add(model.proto().graph(), operators);
  return operators;
}

}  // namespace onnx2ir::frontend
