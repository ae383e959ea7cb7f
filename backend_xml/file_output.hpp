// Files that appear complete or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "backend_xml/output_folder.hpp"
#include "backend_xml/temporary_file.hpp"
#include "ir/constant_data.hpp"

namespace onnx2ir::backend_xml {

/// A file that is written beside its target and takes its place in publish(). Without finish(), nothing is
/// left of it. The first error sticks: the calls after it do nothing.
class FileOutput {
 public:
  /// `role` and `listener`: see TemporaryFile.
  explicit FileOutput(std::filesystem::path target, std::string role = "file",
                      TemporaryListener listener = {});

  bool write(std::string_view bytes);
  /// Moves on to `offset` from the start, which must not lie behind; the gap reads as zeros.
  bool seek(std::uint64_t offset);
  /// Writes a constant: ranges of files go from file to file in the kernel where it can, in bounded pieces
  /// otherwise. Constants that are narrowed are converted by up to `threads` threads (0: as many as the
  /// machine runs). Throws InputError.
  bool write(const ir::ConstantData& data, unsigned threads = 0);
  /// Completes the file, which has no name yet.
  bool complete();
  /// Starts to write it to the disk; sync() waits until it is there.
  void start_sync() const;
  bool sync();

  OutputFolder& folder() { return folder_; }
  /// Whether a file with the target's name is there.
  bool replaces() const { return file_ && file_->replaces(); }
  /// See TemporaryFile.
  bool prepare(bool is_locked);
  bool publish();
  bool take_back();
  void finish();

  /// Why it failed, empty when it has not.
  const std::string& problem() const { return problem_; }

 private:
  bool fail(std::string_view what);
  bool flush();
  bool write_through(std::string_view bytes);
  bool write_narrowed(const ir::ConstantData& data, unsigned threads);
  bool copy_range(const ir::ConstantData& data);
  bool copy_data(const ir::ConstantData& data, std::uint64_t begin, std::uint64_t end);
  bool skip(std::uint64_t size);

  std::filesystem::path target_;
  OutputFolder folder_;
  std::optional<TemporaryFile> file_;
  int descriptor_ = -1;
  std::uint64_t position_ = 0;  ///< of the file with what is in the buffer
  std::string buffer_;          ///< small writes, before they are one large one
  std::string problem_;
};

}  // namespace onnx2ir::backend_xml
