// Which file a name refers to, and whether it has changed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace onnx2ir::platform {

/// The identity and state of a file as the file system reports it. Times are in nanoseconds.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t created = 0;  ///< 0 if the file system does not store it
  std::uint64_t size = 0;
  std::int64_t modified = 0;
  std::int64_t status_changed = 0;
};

/// Of the file at `path` (symbolic links are followed); no value if the system reports an error.
std::optional<FileIdentity> identify(const std::filesystem::path& path);

/// Whether both are the same file under any names. A file that reuses an inode number is different.
inline bool is_same_file(const FileIdentity& a, const FileIdentity& b) {
  const bool created_differs = a.created != 0 && b.created != 0 && a.created != b.created;
  return a.device == b.device && a.inode == b.inode && !created_differs;
}

}  // namespace onnx2ir::platform
