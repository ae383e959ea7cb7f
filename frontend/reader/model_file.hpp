// Files opened for reading and mapped, with reasons for people when that fails.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "ir/constant_data.hpp"

namespace onnx2ir::frontend {

/// A mapped file, or why there is none.
struct FileResult {
  std::shared_ptr<const ir::MappedFile> file;
  std::string problem;
};

/// Opens and maps the regular file at `path`. Never waits: named pipes and devices are refused unopened.
FileResult map_file(const std::filesystem::path& path);

/// Maps the regular file behind `descriptor`, which it takes over, also on failure.
FileResult map_descriptor(int descriptor);

}  // namespace onnx2ir::frontend
