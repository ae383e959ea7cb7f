// The folder that a file is written to: held open, so that renaming it or changing the working folder
// meanwhile changes nothing, and locked while files get their names.
#pragma once

#include <filesystem>
#include <string>

#include "ir/input_file.hpp"

namespace onnx2ir::backend_xml {

class OutputFolder {
 public:
  /// Opens the folder of `file`. problem() says why that failed.
  explicit OutputFolder(const std::filesystem::path& file);
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  ~OutputFolder();

  /// A descriptor for openat() and the like; -1 when the folder could not be opened.
  int descriptor() const { return descriptor_; }
  const std::filesystem::path& path() const { return path_; }
  const std::string& problem() const { return problem_; }
  bool is_same(const OutputFolder& other) const;

  /// Waits until no other writer holds the lock, up to some seconds. False when the lock was not free in that
  /// time. True without the lock where the folder or its file system has none (is_locked()).
  bool lock();
  bool is_locked() const { return is_locked_; }
  void unlock();
  /// Waits until the names in the folder are on the disk.
  void sync() const;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  ir::FileIdentity identity_;
  bool may_lock_ = true;
  bool is_locked_ = false;
  std::string problem_;
};

/// Locks one or two folders in an order that all writers use, so that none waits for another in a circle.
class FolderLocks {
 public:
  FolderLocks(OutputFolder& a, OutputFolder& b);
  FolderLocks(const FolderLocks&) = delete;
  FolderLocks& operator=(const FolderLocks&) = delete;
  ~FolderLocks();

  /// The folder whose lock was not free in time; null if all locks were taken.
  const OutputFolder* busy() const { return busy_; }
  /// Whether no other writer can hold them: false where a file system has no locks.
  bool are_held() const { return first_->is_locked() && (second_ == nullptr || second_->is_locked()); }

 private:
  OutputFolder* first_;
  OutputFolder* second_;  ///< null when both are the same folder
  const OutputFolder* busy_ = nullptr;
};

}  // namespace onnx2ir::backend_xml
