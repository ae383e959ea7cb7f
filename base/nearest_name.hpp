// Suggestions for misspelt names.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace onnx2ir::base {

/// The name in `known` with the smallest edit distance to `name`, ignoring case; the first one of several.
/// Empty if none is near enough.
std::string_view nearest_name(std::string_view name, std::span<const std::string> known);

/// "did you mean 'NAME'?" with the nearest name, after `before`; empty if none is near enough.
std::string suggestion(std::string_view name, std::span<const std::string> known,
                       std::string_view before = {});

}  // namespace onnx2ir::base
