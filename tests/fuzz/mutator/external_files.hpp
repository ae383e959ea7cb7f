// A temporary folder with the files of external data that the mutator names.
#pragma once

#include <filesystem>

namespace onnx2ir::fuzz {

class ExternalFiles {
 public:
  ExternalFiles();
  ExternalFiles(const ExternalFiles&) = delete;
  ExternalFiles& operator=(const ExternalFiles&) = delete;
  ~ExternalFiles();
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

}  // namespace onnx2ir::fuzz
