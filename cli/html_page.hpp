// The file of --html.
#pragma once

#include <onnx2ir/onnx2ir.hpp>
#include <optional>
#include <string>

namespace onnx2ir::cli {

/// Writes the HTML page of `model` to `path`, which the caller has checked with WrittenFiles; "-": standard
/// output. Returns the reason of a failure.
std::optional<Diagnostic> write_html_page(const Model& model, const std::string& path);
/// The same with a chart of these counts.
std::optional<Diagnostic> write_html_page(const Model& model, const Stats& stats, const std::string& path);
/// The page of a comparison.
std::optional<Diagnostic> write_html_page(const Model& before, const Model& after, const DiffOptions& options,
                                          const std::string& path);

}  // namespace onnx2ir::cli
