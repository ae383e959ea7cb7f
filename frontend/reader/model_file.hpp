// Opens files for reading, with error messages for users.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "ir/input_file.hpp"

namespace onnx2ir::frontend {

/// An open file, or the reason why it could not be opened.
struct FileResult {
  std::shared_ptr<const ir::InputFile> file;
  std::string problem;
};

/// Opens the regular file at `path`. Never blocks: named pipes and devices are rejected without opening them.
FileResult open_file(const std::filesystem::path& path);

}  // namespace onnx2ir::frontend
