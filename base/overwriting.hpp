// Decides which files may be written: none that is read or written as well.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "platform/file_identity.hpp"

namespace onnx2ir::base {

/// A file that is in use while another one is written.
struct UsedFile {
  std::filesystem::path path;
  std::string use;  ///< completes "which ...": "the model is read from"
  /// As it was opened; no value: the file that has the path now.
  std::optional<platform::FileIdentity> identity = std::nullopt;
};

/// Whether writing to one of the paths changes the file of the other: they are the same file under any names
/// or, if neither exists yet, the same path after symbolic links are resolved.
bool is_one_target(const std::filesystem::path& a, const std::filesystem::path& b);

/// The reason why `output` must not be written: it is one of the `used` files. Devices, pipes and folders are
/// permitted, because writing to them destroys no data.
std::optional<std::string> overwriting_problem(const std::filesystem::path& output,
                                               std::span<const UsedFile> used);

/// The reason why the `written` files must not be written: one of them is one of the `used` files, or two of
/// them are one file. Asks the system once for each file.
std::optional<std::string> overwriting_problem(std::span<const UsedFile> written,
                                               std::span<const UsedFile> used);

}  // namespace onnx2ir::base
