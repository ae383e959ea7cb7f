// Runs passes that are a table, in which each row works around one fault.
#pragma once

#include <span>

#include "passes/passes.hpp"
#include "passes/rewrite.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {

struct Legalization {
  Fault fault;
  ir::OperationSet operations;
  /// Returns the value that replaces the first output of `node`, or null if `node` is computed correctly.
  ir::Value (*replace)(ir::Builder& builder, const ir::Node& node);
};

/// Applies, in order, the rows whose fault the target has. Returns whether anything was replaced.
inline bool apply_legalizations(ir::Model& model, const PassContext& context,
                                std::span<const Legalization> rows) {
  bool modified = false;
  for (const Legalization& row : rows) {
    if (!context.has(row.fault)) continue;
    modified = rewrite_values(model, row.operations, row.replace) || modified;
  }
  return modified;
}

}  // namespace onnx2ir::passes
