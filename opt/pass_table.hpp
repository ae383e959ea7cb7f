// docs/passes.md, which is made from the passes themselves.
#pragma once

#include <string>

namespace onnx2ir::opt {

/// All passes in the order they run, as a document in Markdown.
std::string pass_table();

}  // namespace onnx2ir::opt
