// Reads the input of onnx2ir-opt in any of its formats, and writes the result.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "ir/graph.hpp"
#include "onnx2ir/diagnostic.hpp"
#include "target/target.hpp"

namespace onnx2ir::opt {

struct Input {
  std::filesystem::path model;    ///< "-": text IR from standard input
  std::filesystem::path weights;  ///< of text IR and XML; empty: the model with the extension .bin
};

/// Reads text IR (.ir), IR XML (.xml), ONNX text (.onnxtxt) or ONNX (all other extensions), and verifies it.
/// Returns null if an ONNX model has errors, which are in `sink`. Throws Failure (unreadable_ir) with a
/// message for users, "model.ir:3:14: error: expected ...", if the input cannot be read.
std::unique_ptr<ir::Model> read_model(const Input& input, const target::Target& target, DiagnosticSink& sink);

/// Writes `model` to `path`: XML and weights if the extension is .xml, otherwise text IR, with a weights file
/// if it has large constants. If the path is empty, writes text IR to standard output, without large
/// constants. Returns the reason of a failure.
std::optional<std::string> write_model(const ir::Model& model, const std::filesystem::path& path);

}  // namespace onnx2ir::opt
