// The entry: writes a model as an HTML page that shows its graph.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
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

/// The most bytes of a name or a value in the page. Longer ones are cut.
inline constexpr std::size_t kMaxTextSize = 2000;

/// The text as the page shows it: if it is too long, its beginning and its size.
std::string page_text(std::string_view text);

/// JSON without "<", which could end the element of the page that the JSON is in. It is in strings only.
std::string without_markup(std::string_view json);

/// The page before and after the data of the model. cmake/generate_viewer.py writes them from the files in
/// backend_html/viewer.
extern const std::string_view kPageStart;
extern const std::span<const std::string_view> kPageEnd;

}  // namespace onnx2ir::backend_html
