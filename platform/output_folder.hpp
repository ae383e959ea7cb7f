// The folder that a file is written to. It is held open, so that renaming it or changing the working
// directory has no effect, and locked while files are renamed.
#pragma once

#include <filesystem>
#include <optional>
#include <system_error>

#include "platform/folder.hpp"

namespace onnx2ir::platform {

class OutputFolder {
 public:
  /// Opens the folder of `file`. If that fails, error() gives the reason.
  explicit OutputFolder(const std::filesystem::path& file);
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  ~OutputFolder() = default;

  /// Only if there is no error().
  const Folder& folder() const { return *folder_; }
  const std::filesystem::path& path() const { return path_; }
  const std::error_code& error() const { return error_; }
  bool is_same(const OutputFolder& other) const;

  /// Waits some seconds for the lock. Returns false on a timeout, and true without the lock if the folder or
  /// its file system does not support locks (see is_locked()).
  bool lock();
  bool is_locked() const { return is_locked_; }
  void unlock();
  /// Waits until the directory entries are on the disk.
  void sync() const { folder_->sync(); }

 private:
  std::filesystem::path path_;
  std::optional<Folder> folder_;
  bool is_locked_ = false;
  std::error_code error_;
};

/// Locks one or two folders in the same order in all writers, to prevent deadlocks.
class FolderLocks {
 public:
  FolderLocks(OutputFolder& a, OutputFolder& b);
  FolderLocks(const FolderLocks&) = delete;
  FolderLocks& operator=(const FolderLocks&) = delete;
  ~FolderLocks();

  /// The folder whose lock timed out; null if all locks were taken.
  const OutputFolder* locked_by_other() const { return locked_by_other_; }
  /// Whether the locks are held; false if a file system does not support locks.
  bool are_held() const { return first_->is_locked() && (second_ == nullptr || second_->is_locked()); }

 private:
  OutputFolder* first_;
  OutputFolder* second_;  ///< null if both are the same folder
  const OutputFolder* locked_by_other_ = nullptr;
};

}  // namespace onnx2ir::platform
