// The data of the page.
#pragma once

#include <string>

#include "ir/graph.hpp"

namespace onnx2ir::backend_html {

/// A JSON object without "<". backend_html/viewer/model.js reads it and describes its form.
std::string graph_json(const ir::Model& model);

}  // namespace onnx2ir::backend_html
