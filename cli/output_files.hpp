// The files that a command writes: the XML and the weights, where they are, and the page of --html.
#pragma once

#include <filesystem>
#include <functional>
#include <onnx2ir/onnx2ir.hpp>
#include <optional>
#include <string>

namespace onnx2ir::cli {

/// The reason why `output`, the value of -o, is invalid. `is_folder`: several models are written.
std::optional<std::string> output_name_problem(const std::string& output, bool is_folder);

/// As in ovc: if `output` is a folder, the XML has the name of `model`; otherwise `output` is the name of the
/// XML. `is_folder`: it is one even if it does not exist yet.
std::filesystem::path xml_path(const std::string& model, const std::string& output, bool is_folder);

/// If a signal is about to end the process, the temporary files of save_pair() are removed first
/// (platform/signals.hpp lists the signals). Signal handlers are process-wide, so they belong to the program,
/// not to the library.
void handle_signals();

/// Creates the folder and writes the model.
std::optional<Diagnostic> save_pair(const Model& model, const std::filesystem::path& xml,
                                    SaveOptions options);

/// Writes `text` to the file `path`, which keeps its content if that fails; "-": standard output. Returns the
/// reason of a failure.
std::optional<std::string> write_text(const std::string& path, std::string_view text);

/// Writes what `page` returns to `path`, which the caller has checked with WrittenFiles; "-": standard
/// output. Returns the reason of a failure. `page` throws std::runtime_error if a file cannot be read any
/// more.
std::optional<Diagnostic> write_html_page(const std::string& path, const std::function<std::string()>& page);

}  // namespace onnx2ir::cli
