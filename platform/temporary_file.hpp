// A file without a name, or with a temporary one, that replaces another file atomically.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "platform/new_file.hpp"
#include "platform/output_folder.hpp"

namespace onnx2ir::platform {

/// Called before a file gets a temporary name (`is_there`), and after the name is gone, so that a program
/// that is ended by a signal can remove the file.
using TemporaryListener = std::function<void(const std::filesystem::path& path, bool is_there)>;

/// The roles of the files of a pair.
inline constexpr std::string_view kModelRole = "model";
inline constexpr std::string_view kWeightsRole = "weights";

/// The name that a file has during the renames, if the folder is locked. A file that a killed writer left
/// under this name is removed.
std::string temporary_name(std::string_view role);

/// Functions that can fail return false; error() is the reason. Without finish(), the destructor removes the
/// file.
class TemporaryFile {
 public:
  /// A file in `folder` that will become `target`. If the file system supports it, the file has no name, so
  /// that nothing is left if the process is killed. A new file gets the default mode of the process; a file
  /// that replaces another one gets its mode, and its owner if the process may set it. `role` distinguishes
  /// the files that are renamed under one lock.
  TemporaryFile(const OutputFolder& folder, std::filesystem::path target, std::string role,
                TemporaryListener listener);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  /// Null if the file could not be created; error() is the reason.
  const NewFile* file() const { return file_ ? &*file_ : nullptr; }
  const std::error_code& error() const { return error_; }
  /// Whether the target exists and will be replaced.
  bool replaces() const { return replaces_; }

  /// Gives the file a temporary name. `is_locked`: no other writer renames files in this folder until
  /// finish().
  bool prepare(bool is_locked);
  /// Renames the file to the target. The previous file is kept until finish() if the file system can exchange
  /// two files.
  bool publish();
  /// Undoes publish(). Returns false if the previous file is lost.
  bool unpublish();
  /// Completes publish(): removes the previous file.
  void finish();

 private:
  template <typename Use>
  bool find_name(std::string name, Use use);
  bool fails(std::error_code error);
  void set_temporary(std::filesystem::path name);
  void remove_temporary();

  const OutputFolder* folder_;
  std::filesystem::path target_;
  std::string role_;
  TemporaryListener listener_;
  std::optional<NewFile> file_;
  std::error_code error_;
  bool replaces_ = false;
  std::optional<platform::Handle> old_;  ///< keeps the previous file alive: freeing gigabytes takes time
  std::filesystem::path temporary_;      ///< the name; after an exchange, the name of the previous file
  bool is_exchanged_ = false;
  bool is_published_ = false;
};

}  // namespace onnx2ir::platform
