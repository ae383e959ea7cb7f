#include "frontend/reader/function_index.hpp"

#include <string_view>

#include "frontend/reader/onnx_proto.hpp"
#include "frontend/reader/opset_imports.hpp"

namespace onnx2ir::frontend {
namespace {

std::string key_of(std::string_view domain, std::string_view name, std::string_view overload) {
  std::string key;
  domain = canonical_domain(domain);
  key.reserve(domain.size() + name.size() + overload.size() + 2);
  return key.append(domain).append(1, '\0').append(name).append(1, '\0').append(overload);
}

}  // namespace

FunctionIndex::FunctionIndex(const onnx::ModelProto& model) {
  for (const auto& function : model.functions()) {
    functions_.emplace(key_of(function.domain(), function.name(), function.overload()), &function);
  }
}

const onnx::FunctionProto* FunctionIndex::find(const onnx::NodeProto& node) const {
  if (functions_.empty()) return nullptr;
  auto found = functions_.find(key_of(node.domain(), node.op_type(), node.overload()));
  return found == functions_.end() ? nullptr : found->second;
}

const onnx::FunctionProto* FunctionIndex::find(const onnx::FunctionProto& function) const {
  auto found = functions_.find(key_of(function.domain(), function.name(), function.overload()));
  return found == functions_.end() ? nullptr : found->second;
}

}  // namespace onnx2ir::frontend
