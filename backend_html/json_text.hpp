// JSON inside of an HTML page.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace onnx2ir::backend_html {

/// The most bytes of a name or a value in the page. Longer ones are cut.
inline constexpr std::size_t kMaxTextSize = 2000;

/// Appends `text` as a JSON string without "<", which could end the element of the page that the JSON is in.
/// Bytes that are not UTF-8 become U+FFFD.
void append_json(std::string& json, std::string_view text);

}  // namespace onnx2ir::backend_html
