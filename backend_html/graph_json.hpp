// The data of the page, and the texts in it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "backend_html/page.hpp"
#include "ir/diff/diff.hpp"
#include "ir/graph.hpp"
#include "ir/origins.hpp"

namespace onnx2ir::backend_html {

/// The most bytes of a name or a value in the page. Longer ones are cut.
inline constexpr std::size_t kMaxTextSize = 2000;

/// The text as the page shows it: if it is too long, its beginning and its size.
std::string page_text(std::string_view text);

/// JSON without "<", which could end the element of the page that the JSON is in. It is in strings only.
std::string without_markup(std::string_view json);

/// A JSON object without "<". backend_html/viewer/model.js reads it and describes its form.
std::string graph_json(const ir::Model& model, const ir::Origins& origins, const Json& statistics);

/// The same for two models that are compared: a main graph of one node, whose bodies are both graphs.
std::string comparison_json(const Compared& before, const Compared& after,
                            const std::vector<ir::Difference>& differences);

}  // namespace onnx2ir::backend_html
