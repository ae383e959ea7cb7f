// The options of the C interface: one name for those of a conversion and those of writing its result.
#pragma once

#include <onnx2ir/options.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace onnx2ir {

/// Sets the option `name` of `saving` if it has one with this name, otherwise that of `conversion`. See
/// set_option() in the public header. A problem quotes the name as C writes it, with "_".
std::optional<std::string> set_option(Options& conversion, SaveOptions& saving, std::string_view name,
                                      std::string_view value);

}  // namespace onnx2ir
