// The data of a converted model.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "frontend/frontend.hpp"
#include "frontend/model_facts.hpp"
#include "ir/graph.hpp"
#include "onnx2ir/onnx2ir.hpp"
#include "platform/file_identity.hpp"

namespace onnx2ir {

struct Model::Implementation {
  std::unique_ptr<ir::Model> model;
  std::optional<frontend::LoadedModel> source;
  unsigned threads = 0;
  /// Whether the model was converted from ONNX in this process, not read from an IR.
  bool is_converted = false;
  frontend::DimensionNames input_names = {};
  frontend::DimensionNames output_names = {};
  /// The operators and weights of the ONNX model, if `source` is not kept; no value for IR.
  std::optional<GraphCounts> counts = {};
  /// Writing stores numbers in the nodes: one thread at a time.
  std::mutex writing = {};
};

/// Notes that `model` was read from the files that are there: they are not overwritten.
inline void add_inputs(ir::Model& model, const std::vector<std::filesystem::path>& files) {
  for (const auto& path : files) {
    if (const auto identity = platform::identify(path)) model.inputs.push_back({path.string(), *identity});
  }
}

/// A copy of the model as it is written: with unique names, and without notes for passes.
std::unique_ptr<ir::Model> written(Model::Implementation& model);

}  // namespace onnx2ir
