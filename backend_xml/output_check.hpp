// Files that must not be written over.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "ir/input_file.hpp"

namespace onnx2ir::backend_xml {

/// Why `xml` and `bin` cannot be the files of a model that was read from `inputs`: one of them is an input,
/// under whatever name, or is no regular file, or both are one file. Nothing when they can.
std::optional<std::string> refuse_outputs(const std::filesystem::path& xml, const std::filesystem::path& bin,
                                          std::span<const ir::Input> inputs);

}  // namespace onnx2ir::backend_xml
