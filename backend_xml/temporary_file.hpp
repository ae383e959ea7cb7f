// A file without a name, or under a temporary one, that takes the place of another file at once.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "backend_xml/output_folder.hpp"

namespace onnx2ir::backend_xml {

/// Is told of each temporary name before a file gets it (`is_there`), and when no file has it any more: a
/// program that a signal ends can remove the file.
using TemporaryListener = std::function<void(const std::filesystem::path& path, bool is_there)>;

/// The functions that can fail return false and set errno. Without finish(), the destructor removes the file.
class TemporaryFile {
 public:
  /// A file in `folder` that is going to be `target`. It has no name where the file system can do that, so
  /// that nothing is left if the process is killed. A new file gets the mode that the process gives to new
  /// files; one that replaces another gets its mode, and its owner if the process may set that. `role` tells
  /// the files apart that are renamed under one lock.
  TemporaryFile(const OutputFolder& folder, const std::filesystem::path& target, std::string role,
                TemporaryListener listener);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  /// -1 when it could not be made; errno says why.
  int descriptor() const { return descriptor_; }
  /// Whether it is going to replace a file.
  bool replaces() const { return replaces_; }

  /// Gives it a temporary name. `is_locked`: no other writer renames files in this folder until finish().
  bool prepare(bool is_locked);
  /// Gives it the name of the target. The previous file is kept until finish() if the file system can
  /// exchange two files.
  bool publish();
  /// Undoes publish(). Returns false if the previous file is lost.
  bool take_back();
  /// Ends a publish() that is not undone: removes the previous file.
  void finish();

 private:
  bool make_nameless(unsigned mode);
  bool make_named(unsigned mode);
  void set_temporary(std::string name);
  void remove_temporary();

  const OutputFolder* folder_;
  std::string target_;
  std::string role_;
  TemporaryListener listener_;
  int descriptor_ = -1;
  bool replaces_ = false;
  int old_ = -1;           ///< keeps the previous file on the disk: freeing gigabytes takes time
  std::string temporary_;  ///< the name; after an exchange, that of the file that was there before
  bool is_exchanged_ = false;
  bool is_published_ = false;
};

}  // namespace onnx2ir::backend_xml
