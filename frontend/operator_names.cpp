#include "frontend/operator_names.hpp"

#include "frontend/reader/bodies.hpp"
#include "frontend/reader/onnx_proto.hpp"

namespace onnx2ir::frontend {
namespace {

using Operators = std::unordered_map<std::string, std::string>;

void add(const onnx::GraphProto& graph, Operators& operators) {
  for (const onnx::NodeProto& node : graph.node()) {
    if (node.output().empty()) continue;
    operators.emplace(node.name().empty() ? node.output(0) : node.name(), node.op_type());
    for_each_body(node, [&](const onnx::GraphProto& body) { add(body, operators); });
  }
}

}  // namespace

Operators operators_by_name(const LoadedModel& model) {
  Operators operators;
  add(model.proto().graph(), operators);
  return operators;
}

}  // namespace onnx2ir::frontend
