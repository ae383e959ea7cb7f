// What the stages of the public API share: errors become diagnostics.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "onnx2ir/diagnostic.hpp"
#include "target/target.hpp"

namespace onnx2ir {

Diagnostic unreadable_input(std::string message);

/// Runs `stage` and converts its exceptions to diagnostics.
void contain(DiagnosticSink& sink, const std::function<void()>& stage);

/// Parses `text` (Options::target_runtime); reports an error if it is not supported.
std::optional<target::Target> read_target(const std::string& text, DiagnosticSink& sink);

}  // namespace onnx2ir
