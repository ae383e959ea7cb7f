// Writes the result of onnx2ir-opt.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "ir/graph.hpp"

namespace onnx2ir::opt {

/// Writes `model` to `path`: XML and weights if the extension is .xml, otherwise text IR, with a weights file
/// if it has large constants. If the path is empty, writes text IR to standard output, without large
/// constants. Returns the reason of a failure.
std::optional<std::string> write_model(const ir::Model& model, const std::filesystem::path& path);

}  // namespace onnx2ir::opt
