// Checks which files may be overwritten.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/input_file.hpp"

namespace onnx2ir::backend_xml {

/// What the user can do if a file must not be overwritten.
inline constexpr std::string_view kOtherOutput = "choose another name or folder for the output";

/// The reason why `xml` and `bin` cannot be the output of a model that was read from `inputs`: one of them is
/// an input, under any name, or is not a regular file, or both are the same file. No value if they can.
std::optional<std::string> output_problem(const std::filesystem::path& xml, const std::filesystem::path& bin,
                                          std::span<const base::Input> inputs);

}  // namespace onnx2ir::backend_xml
