// The data of the page.
#pragma once

#include <string>
#include <vector>

#include "backend_html/page.hpp"
#include "ir/diff/diff.hpp"
#include "ir/graph.hpp"
#include "ir/origins.hpp"

namespace onnx2ir::backend_html {

/// A JSON object without "<". backend_html/viewer/model.js reads it and describes its form.
std::string graph_json(const ir::Model& model, const ir::Origins& origins, const Json& statistics);

/// The same for two models that are compared: a main graph of one node, whose bodies are both graphs.
std::string comparison_json(const Compared& before, const Compared& after,
                            const std::vector<ir::Difference>& differences);

}  // namespace onnx2ir::backend_html
