// Finds the functions of a model.
#pragma once

#include <string>
#include <unordered_map>

namespace onnx {
class FunctionProto;
class ModelProto;
class NodeProto;
}  // namespace onnx

namespace onnx2ir::frontend {

/// Finds the function that a node calls: domain, name and overload must be equal.
class FunctionIndex {
 public:
  explicit FunctionIndex(const onnx::ModelProto& model);

  /// The function that `node` calls; null if it calls none. The first one if there are duplicates.
  const onnx::FunctionProto* find(const onnx::NodeProto& node) const;
  /// The function with the same domain, name and overload as `function`: itself, unless it is a duplicate.
  const onnx::FunctionProto* find(const onnx::FunctionProto& function) const;

 private:
  std::unordered_map<std::string, const onnx::FunctionProto*> functions_;
};

}  // namespace onnx2ir::frontend
