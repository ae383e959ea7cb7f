// Texts of the data inside of an HTML page.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace onnx2ir::backend_html {

/// The most bytes of a name or a value in the page. Longer ones are cut.
inline constexpr std::size_t kMaxTextSize = 2000;

/// The text as the page shows it: if it is too long, its beginning and its size.
std::string page_text(std::string_view text);

/// JSON without "<", which could end the element of the page that the JSON is in. It is in strings only.
std::string without_markup(std::string_view json);

}  // namespace onnx2ir::backend_html
