// Reads the input of onnx2ir-opt in any of its formats.
#pragma once

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "ir/graph.hpp"
#include "onnx2ir/diagnostic.hpp"
#include "target/target.hpp"

namespace onnx2ir::opt {

/// The input cannot be read. The message is for users: "model.ir:3:14: error: expected ...".
class BadInput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Input {
  std::filesystem::path model;    ///< "-": text IR from standard input
  std::filesystem::path weights;  ///< of text IR and XML; empty: the model with the extension .bin
};

/// Reads text IR (.ir), IR XML (.xml), ONNX text (.onnxtxt) or ONNX (all other extensions), and verifies it.
/// Returns null if an ONNX model has errors, which are in `sink`. Throws BadInput.
std::unique_ptr<ir::Model> read_model(const Input& input, const target::Target& target, DiagnosticSink& sink);

}  // namespace onnx2ir::opt
