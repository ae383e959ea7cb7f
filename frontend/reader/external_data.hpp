// External data of tensors: its file and range, and the files that a model may refer to.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <onnx2ir/options.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/input_file.hpp"
#include "frontend/reader/onnx_proto.hpp"

namespace onnx2ir::frontend {

/// The content of TensorProto.external_data.
struct ExternalRange {
  std::string location;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;  ///< no value: the size of the tensor
};

/// Parses the external_data entries of `tensor`. A problem (bad_external_data) if they are malformed.
Result<ExternalRange> parse_external_range(const onnx::TensorProto& tensor);

/// The folders that may contain a model's external data: the folder of the model's path, and the folder of
/// the file that this path links to. They differ if the model is a symbolic link, as in hub caches, where
/// model and data are links into one folder of blobs.
class ExternalFolders {
 public:
  /// No folder: external data is an error.
  ExternalFolders() = default;
  static ExternalFolders of_model(const std::filesystem::path& model);
  static ExternalFolders only(const std::filesystem::path& folder);

  /// Opens `location`. Rejects everything that is not a regular file with a single hard link inside one of
  /// the folders after symbolic links are resolved.
  base::FileResult open(std::string_view location) const;
  const std::vector<std::filesystem::path>& folders() const { return folders_; }

 private:
  std::vector<std::filesystem::path> folders_;  ///< searched in this order, without symbolic links
};

/// The external files of a model; each is opened once.
class ExternalFiles {
 public:
  explicit ExternalFiles(ExternalFolders folders) : folders_(std::move(folders)) {}

  /// See Options::external_data.
  using Source = std::function<std::optional<SuppliedData>(const std::string& location)>;
  void set_source(Source source) { source_ = std::move(source); }

  /// Opens `location` unless that has been attempted before.
  const base::FileResult& open(std::string_view location);
  /// The result of open(location); null if it was never opened.
  const base::FileResult* find(std::string_view location) const;
  /// The paths that open() looked for, also of files that it rejected.
  std::vector<std::filesystem::path> paths() const;
  /// All files that were opened.
  std::vector<std::shared_ptr<const base::InputFile>> files() const;

 private:
  base::FileResult opened(std::string_view location);

  ExternalFolders folders_;
  Source source_;
  std::set<std::string, std::less<>> supplied_;  ///< locations that the source has supplied
  std::map<std::string, base::FileResult, std::less<>> files_;
};

}  // namespace onnx2ir::frontend
