// Tensors whose elements lie in another file: which file and range that is, and which files a model may refer
// to.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/reader/model_file.hpp"

namespace onnx {
class TensorProto;
}  // namespace onnx

namespace onnx2ir::frontend {

/// What TensorProto.external_data says.
struct ExternalRange {
  std::string location;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;  ///< nothing: as much as the tensor needs
};

/// Parses the external_data entries of `tensor`; nothing, and the reason in `problem`, when they are
/// malformed.
std::optional<ExternalRange> parse_external_range(const onnx::TensorProto& tensor, std::string& problem);

/// The folders a model's external data may lie in: that of the path it was opened by and that of the file
/// this path leads to. They differ when the model is a symbolic link, as in hub caches, where model and
/// data are links into one folder of blobs.
class ExternalFolders {
 public:
  /// No folder: external data is refused.
  ExternalFolders() = default;
  static ExternalFolders of_model(const std::filesystem::path& model);
  static ExternalFolders only(const std::filesystem::path& folder);

  /// Opens `location`. Refuses everything that is not a regular file with one name inside one of
  /// the folders, whatever links lead to.
  FileResult open(std::string_view location) const;

 private:
  std::vector<std::filesystem::path> folders_;       ///< where to look, in this order
  std::vector<std::filesystem::path> real_folders_;  ///< where the file must be, without symbolic links
};

/// The external files of one model: each is opened once.
class ExternalFiles {
 public:
  explicit ExternalFiles(ExternalFolders folders) : folders_(std::move(folders)) {}

  /// Opens `location` unless that was tried before.
  const FileResult& open(std::string_view location);
  /// The result of open(location); null when it was never opened.
  const FileResult* find(std::string_view location) const;
  /// All files that were opened.
  std::vector<std::shared_ptr<const ir::InputFile>> files() const;

 private:
  ExternalFolders folders_;
  std::map<std::string, FileResult, std::less<>> files_;
};

}  // namespace onnx2ir::frontend
