// The front end's one entry: an ONNX model to an IR graph, as the model says it, before any pass.
#pragma once

#include <memory>
#include <optional>

#include "frontend/reader/reader.hpp"
#include "ir/graph.hpp"
#include "onnx2ir/diagnostic.hpp"
#include "target/target.hpp"

namespace onnx2ir::frontend {

struct ImportedModel {
  std::unique_ptr<ir::Model> model;
  /// What it was translated from; the model does not need it any more.
  std::optional<LoadedModel> source;
};

/// Reads, checks and translates a model. Reports all that is wrong with it or cannot be converted to `sink`;
/// no model when anything was an error. Constants of the result are views on the model's files (which it
/// keeps open). Re-entrant. Throws nothing but std::bad_alloc, ir::InputError
/// when a file of the model cannot be read to its end or was changed meanwhile, and std::logic_error for a
/// fault of the compiler itself. `target`: the releases of OpenVINO that the model is made for.
ImportedModel import_model(const ModelSource& source, const LoadOptions& options,
                           const target::Target& target, DiagnosticSink& sink);

}  // namespace onnx2ir::frontend
