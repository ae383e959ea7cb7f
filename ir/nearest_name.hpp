// Suggestions for misspelt names.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace onnx2ir::ir {

/// The one of `known` that `name` was probably meant to be: few letters differ, case aside. Empty when none
/// is near enough; the first of several that are equally near.
std::string_view nearest_name(std::string_view name, std::span<const std::string> known);

}  // namespace onnx2ir::ir
