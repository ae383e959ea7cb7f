// A folder that is held open while files in it are created, renamed and removed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <system_error>

#include "platform/file_identity.hpp"
#include "platform/handle.hpp"

namespace onnx2ir::platform {

enum class LockResult : std::uint8_t { locked, busy, unsupported };

/// What a file that replaces another one takes over from it.
struct FileAttributes {
  unsigned mode = 0;  ///< permissions of POSIX; 0 on Windows
  std::uint64_t user = 0;
  std::uint64_t group = 0;
};

/// Renaming the folder, or changing the working directory, does not change where its files are: the folder is
/// found by its handle (POSIX), or cannot be renamed while it is open (Windows). Parameters that are names
/// have no folder.
class Folder {
 public:
  /// No value, with the reason in `error`, if `path` is not a folder that files may be created in.
  static std::optional<Folder> open(const std::filesystem::path& path, std::error_code& error);

  const FileIdentity& identity() const { return identity_; }

  /// Locks the folder against other holders of the lock, in this process and in others. The system releases
  /// the lock of a process that ends.
  LockResult try_lock();
  void unlock();
  /// Waits until the entries of the folder are on the disk.
  void sync() const;

  /// The attributes of a file in the folder (symbolic links are followed); no value if it does not exist.
  std::optional<FileAttributes> attributes(const std::filesystem::path& name) const;
  /// Keeps the content of a file until the result is destroyed, if the system can do that: freeing gigabytes
  /// takes time. No value if there is no such file (symbolic links are not followed).
  std::optional<Handle> hold(const std::filesystem::path& name) const;
  /// Renames a file; an existing file with the new name is replaced atomically.
  std::error_code rename(const std::filesystem::path& from, const std::filesystem::path& to) const;
  /// Swaps the names of two files. At any time, `to` is one of both files. Afterwards, either both names are
  /// swapped, or neither is and an error is returned; some file systems cannot do this.
  std::error_code exchange(const std::filesystem::path& from, const std::filesystem::path& to) const;
  std::error_code remove(const std::filesystem::path& name) const;

  const Handle& handle() const { return handle_; }
  /// The absolute path on Windows; empty on other systems.
  const std::filesystem::path& path() const { return path_; }

 private:
  Folder(Handle handle, const FileIdentity& identity, std::filesystem::path path, bool may_lock) noexcept
      : handle_(std::move(handle)), identity_(identity), path_(std::move(path)), may_lock_(may_lock) {}

  Handle handle_;
  Handle lock_;  ///< the lock file on Windows
  FileIdentity identity_;
  std::filesystem::path path_;
  [[maybe_unused]] bool may_lock_;  ///< not on Windows
};

}  // namespace onnx2ir::platform
