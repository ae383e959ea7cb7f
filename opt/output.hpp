// Writes the result of onnx2ir-opt.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "ir/graph.hpp"

namespace onnx2ir::opt {

/// Writes `model` to `path`: XML and its weights for the ending .xml, otherwise text IR, with a weights file
/// if it has large constants. An empty path: text IR to standard output, without the large constants. Returns
/// the reason of a failure.
std::optional<std::string> write_model(const ir::Model& model, const std::filesystem::path& path);

}  // namespace onnx2ir::opt
