#include "frontend/reader/place.hpp"

#include <fmt/core.h>

#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/opset_imports.hpp"

namespace onnx2ir::frontend {

std::string body_path(std::string_view graph_path, const onnx::NodeProto& node, std::int64_t index,
                      std::string_view attribute) {
  if (!node.name().empty()) return fmt::format("{}/{}.{}", graph_path, node.name(), attribute);
  return fmt::format("{}/{}_{}.{}", graph_path, node.op_type(), index, attribute);
}

std::string function_path(const onnx::FunctionProto& function) {
  std::string path = fmt::format("function {}::{}", function.domain(), function.name());
  if (!function.overload().empty()) path += ":" + function.overload();
  return path;
}

std::string operator_name(const onnx::NodeProto& node) {
  const std::string_view domain = canonical_domain(node.domain());
  return domain.empty() ? node.op_type() : fmt::format("{}.{}", domain, node.op_type());
}

Place graph_place(std::string_view path) {
  Place place;
  place.graph = path;
  return place;
}

Place node_place(std::string_view graph_path, const onnx::NodeProto& node, std::int64_t index,
                 std::int64_t opset) {
  Place place = graph_place(graph_path);
  place.node_index = index;
  place.node_name = node.name();
  place.domain = canonical_domain(node.domain());
  place.op_type = node.op_type();
  place.opset = opset;
  place.outputs.assign(node.output().begin(), node.output().end());
  return place;
}

}  // namespace onnx2ir::frontend
