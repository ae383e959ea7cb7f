// Characters in UTF-8.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace onnx2ir::frontend {

/// Takes the first character off `text`; nothing when it is malformed or there is none.
std::optional<std::uint32_t> take_code_point(std::string_view& text);

}  // namespace onnx2ir::frontend
