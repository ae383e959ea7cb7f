// The XML and the weights that a command writes: where they are, and writing them.
#pragma once

#include <filesystem>
#include <onnx2ir/onnx2ir.hpp>
#include <optional>
#include <string>

namespace onnx2ir::cli {

/// The reason why `output`, the value of -o, is invalid. `is_folder`: several models are written.
std::optional<std::string> output_name_problem(const std::string& output, bool is_folder);

/// As in ovc: if `output` is a folder, the XML has the name of `model`; otherwise `output` is the name of the
/// XML. `is_folder`: it is one even if it does not exist yet.
std::filesystem::path xml_path(const std::string& model, const std::string& output, bool is_folder);

/// Creates the folder and writes the model. If a signal ends the process, temporary files are removed.
std::optional<Diagnostic> save_pair(const Model& model, const std::filesystem::path& xml,
                                    SaveOptions options);

}  // namespace onnx2ir::cli
