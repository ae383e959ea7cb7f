// Formats of diagnostics for services that show them beside the files.
#pragma once

#include <onnx2ir/onnx2ir.hpp>
#include <span>
#include <string>
#include <string_view>

namespace onnx2ir::cli {

/// Commands of a GitHub workflow, one line for each diagnostic: "::error
/// file=m.onnx,title=undefined-name::...".
std::string github_text(std::span<const Diagnostic> diagnostics, std::string_view model);

/// A log in SARIF 2.1.0, with a rule for each code that occurs.
std::string sarif_text(std::span<const Diagnostic> diagnostics, std::string_view model);

}  // namespace onnx2ir::cli
