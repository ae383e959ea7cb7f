// Opens files whose names are not trusted: all checks are made on the file that is read afterwards.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <system_error>

#include "platform/handle.hpp"
#include "platform/read_file.hpp"

namespace onnx2ir::platform {

/// A file that was found under a name, but not opened for reading, which would have effects on devices and
/// pipes. If another file gets the name later, this one stays the same.
class FileReference {
 public:
  struct Status {
    FileKind kind = FileKind::regular;
    std::uint64_t links = 0;  ///< the number of its names (hard links)
  };

  /// Finds the file at `path`; symbolic links are followed. No value, with the reason in `error`, if there is
  /// none.
  static std::optional<FileReference> find(const std::filesystem::path& path, std::error_code& error);

  /// The path of the file without symbolic links, as reported by the system; no value if it cannot report it.
  std::optional<std::filesystem::path> real_path() const;
  std::optional<Status> status(std::error_code& error) const;
  /// Opens this file. If another one has its name now, this one is opened or, on some systems, none.
  std::optional<ReadFile> open(OpenFailure& failure) const;

 private:
  explicit FileReference(Handle handle) noexcept : handle_(std::move(handle)) {}

  Handle handle_;
};

}  // namespace onnx2ir::platform
