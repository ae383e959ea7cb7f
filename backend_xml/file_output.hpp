// Writes files that appear under their names either complete or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <onnx2ir/result.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "ir/constant_data.hpp"
#include "platform/output_folder.hpp"
#include "platform/temporary_file.hpp"

namespace onnx2ir::backend_xml {

/// A file that is written next to its target and replaces it in publish(). Without finish(), it is removed.
/// After the first error, all calls do nothing.
class FileOutput {
 public:
  /// `role` and `listener`: see TemporaryFile.
  explicit FileOutput(std::filesystem::path target, std::string role = "file",
                      platform::TemporaryListener listener = {});

  /// `written` is called with the number of bytes up to here after each part of a constant, at most 16 MiB
  /// unless it is narrowed. What it throws leaves write().
  void set_listener(std::function<void(std::uint64_t position)> written) { written_ = std::move(written); }

  bool write(std::string_view bytes);
  /// Moves forward to `offset` from the start of the file; the gap reads as zeros.
  bool seek(std::uint64_t offset);
  /// Writes a constant: ranges of files are copied in the kernel if possible, otherwise in bounded pieces.
  /// Constants that are narrowed are converted on up to `threads` threads (0: as many as the machine has).
  /// Throws Failure (unreadable_input).
  bool write(const ir::ConstantData& data, unsigned threads = 0);
  /// Completes the file, which has no name yet.
  bool complete();
  /// Starts writing the file to the disk; sync() waits for the end.
  void start_sync() const;
  bool sync();

  platform::OutputFolder& folder() { return folder_; }
  /// Whether the target exists.
  bool replaces() const { return file_ && file_->replaces(); }
  /// See TemporaryFile.
  bool prepare(bool is_locked);
  bool publish();
  bool unpublish();
  void finish();

  /// The first failure (cannot_write); no value if there was none.
  const std::optional<Problem>& problem() const { return problem_; }

 private:
  bool fail(const std::error_code& error);
  /// Reports an error, if it is one, and returns whether there was none.
  bool succeeds(const std::error_code& error) { return !error || fail(error); }
  bool flush();
  void report() const {
    if (written_) written_(position_);
  }
  bool write_through(std::string_view bytes);
  bool write_narrowed(const ir::ConstantData& data, unsigned threads);
  bool copy_range(const ir::ConstantData& data);
  bool copy_data(const ir::ConstantData& data, std::uint64_t begin, std::uint64_t end);
  bool skip(std::uint64_t size);

  std::filesystem::path target_;
  platform::OutputFolder folder_;
  std::optional<platform::TemporaryFile> file_;
  std::uint64_t position_ = 0;  ///< in the file, including the buffer
  std::string buffer_;          ///< collects small writes
  std::optional<Problem> problem_;
  std::function<void(std::uint64_t position)> written_;
};

}  // namespace onnx2ir::backend_xml
