// The entry of the front end: translates an ONNX model to an IR graph, before any pass.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "frontend/reader/reader.hpp"
#include "ir/graph.hpp"
#include "onnx2ir/diagnostic.hpp"
#include "target/target.hpp"

namespace onnx2ir::frontend {

struct ImportedModel {
  std::unique_ptr<ir::Model> model;
  /// The source of the translation; the model does not need it any more.
  std::optional<LoadedModel> source;
};

/// Reads, checks and translates a model. Reports all errors to `sink`, and returns no model if there is one.
/// Constants of the result are views on the model's files, which it keeps open. Re-entrant. Throws only
/// std::bad_alloc, Failure (unreadable_input) if a file of the model cannot be read to its end or was changed
/// during the conversion, Failure (cancelled) if `options.is_cancelled` returns true, and base::InternalError
/// for a fault of the compiler itself. `target`: the releases of OpenVINO that the model is made for, instead
/// of Options::target_runtime. `external_paths`: see load_model().
ImportedModel import_model(const ModelSource& source, const Options& options, const target::Target& target,
                           DiagnosticSink& sink,
                           std::vector<std::filesystem::path>* external_paths = nullptr);

}  // namespace onnx2ir::frontend
