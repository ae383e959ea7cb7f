// The entry: writes a model as an HTML page that shows its graph.
#pragma once

#include <string>

#include "ir/graph.hpp"

namespace onnx2ir::backend_html {

/// A page without references to other files. `model` must be as it is written, with unique names. Throws
/// ir::InputError.
std::string page(const ir::Model& model);

}  // namespace onnx2ir::backend_html
