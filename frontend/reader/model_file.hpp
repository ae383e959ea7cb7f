// Opens files for reading, with error messages for users.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <onnx2ir/result.hpp>
#include <optional>
#include <span>
#include <string>

#include "base/input_file.hpp"

namespace onnx2ir::frontend {

/// An open file, or the reason why it could not be opened (unreadable_input).
using FileResult = Result<std::shared_ptr<const base::InputFile>>;

/// Opens the regular file at `path`. Never blocks: named pipes and devices are rejected without opening them.
FileResult open_file(const std::filesystem::path& path);

/// Supplies the data of a location of external data instead of a file; no value if it does not.
using ExternalSource = std::function<std::optional<FileResult>(const std::string& location)>;

/// Fills `target` with the bytes from `offset` on; returns whether it could.
using DataReader = std::function<bool(std::uint64_t offset, std::span<std::byte> target)>;
/// A file in memory that has no name in the file system, with `size` bytes of `read`. `name` is for messages.
FileResult file_in_memory(const std::string& name, std::uint64_t size, const DataReader& read);

}  // namespace onnx2ir::frontend
