// Generates docs/passes.md from the table of passes.
#pragma once

#include <string>

namespace onnx2ir::opt {

/// A Markdown document of all passes in the order they run.
std::string pass_table();

}  // namespace onnx2ir::opt
