// Opens files for reading, with error messages for users.
#pragma once

#include <filesystem>
#include <memory>
#include <onnx2ir/options.hpp>
#include <onnx2ir/result.hpp>
#include <string>

#include "base/input_file.hpp"

namespace onnx2ir::frontend {

/// An open file, or the reason why it could not be opened (unreadable_input).
using FileResult = Result<std::shared_ptr<const base::InputFile>>;

/// Opens the regular file at `path`. Never blocks: named pipes and devices are rejected without opening them.
FileResult open_file(const std::filesystem::path& path);

/// A file in memory that has no name in the file system, with the supplied data. `name` is for messages.
FileResult file_in_memory(const std::string& name, const SuppliedData& data);

}  // namespace onnx2ir::frontend
