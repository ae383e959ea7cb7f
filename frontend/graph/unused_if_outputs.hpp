// Outputs of an If that are unused whenever a certain branch is taken.
#pragma once

#include <memory>

#include "frontend/graph/graph_translator.hpp"

namespace onnx2ir::frontend {

/// Answers questions about the outputs of `node`, the current If in `scope`; both must outlive it.
///
/// This reads the ONNX model instead of the IR: the type of an output is needed before the nodes that compute
/// the conditions of later Ifs are translated.
class UnusedIfOutputs {
 public:
  UnusedIfOutputs(const GraphTranslator& scope, const onnx::NodeProto& node);
  ~UnusedIfOutputs();

  /// Whether output `index` is never used if then_branch (or else_branch) was taken: all uses are in branches
  /// of other Ifs whose conditions exclude that. Exporters translate `break` like this: one branch returns
  /// placeholders.
  bool is_unused_if_taken(bool is_then, int index);

 private:
  class Analysis;

  const GraphTranslator* scope_;
  const onnx::NodeProto* node_;
  std::unique_ptr<Analysis> if_then_;  ///< made for the first question about the branch
  std::unique_ptr<Analysis> if_else_;
};

}  // namespace onnx2ir::frontend
