// Files opened for reading, with reasons for people when that fails.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "ir/input_file.hpp"

namespace onnx2ir::frontend {

/// An open file, or why there is none.
struct FileResult {
  std::shared_ptr<const ir::InputFile> file;
  std::string problem;
};

/// Opens the regular file at `path`. Never waits: named pipes and devices are refused unopened.
FileResult open_file(const std::filesystem::path& path);

/// The regular file behind `descriptor`, which it takes over, also on failure. `path`: its name for messages.
FileResult take_descriptor(int descriptor, const std::filesystem::path& path);

}  // namespace onnx2ir::frontend
