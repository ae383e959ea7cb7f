// A folder for the files of a test.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iterator>
#include <random>
#include <string>

/// An empty folder, which is removed at the end of the test with all files in it.
class TemporaryFolder {
 public:
  /// Folders that exist at the same time need different names. The path has no symbolic links.
  explicit TemporaryFolder(const std::string& name)
      : path_(std::filesystem::temp_directory_path() /
              ("onnx2ir_" + name + "_" + std::to_string(std::random_device()()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
    path_ = std::filesystem::canonical(path_);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code no_error;
    std::filesystem::remove_all(path_, no_error);
  }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};
