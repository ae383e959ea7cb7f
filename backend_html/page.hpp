// The entry: writes a model as an HTML page that shows its graph.
#pragma once

#include <string>
#include <vector>

#include "ir/diff/diff.hpp"
#include "ir/graph.hpp"
#include "ir/origins.hpp"
#include "json/json.hpp"

namespace onnx2ir::backend_html {

/// A page without references to other files. `model` must be as it is written, with unique names; `origins`
/// says where its layers come from, `statistics` (an object) is for the chart. Throws Failure
/// (unreadable_input).
std::string page(const ir::Model& model, const ir::Origins& origins, const Json& statistics);

/// A model that is compared with another one.
struct Compared {
  const ir::Model* model = nullptr;
  const ir::Origins* origins = nullptr;
};

/// A page with two models side by side, which marks what differs. `differences`: the result of ir::diff() for
/// these models. Throws Failure (unreadable_input).
std::string comparison_page(const Compared& before, const Compared& after,
                            const std::vector<ir::Difference>& differences);

}  // namespace onnx2ir::backend_html
