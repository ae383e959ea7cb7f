// Files that a conversion reads: opened once, read at given positions, and checked to be unchanged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <onnx2ir/result.hpp>
#include <span>
#include <string>
#include <utility>

#include "platform/file_identity.hpp"
#include "platform/read_file.hpp"

namespace onnx2ir::base {

/// A file that a model is read from.
struct Input {
  std::string path;
  platform::FileIdentity identity;
};

/// A regular file, opened for reading.
class InputFile {
 public:
  /// `path` is its name for messages.
  InputFile(platform::ReadFile file, std::string path)
      : file_(std::move(file)), input_{std::move(path), file_.identity()} {}

  const platform::ReadFile& file() const { return file_; }
  const Input& input() const { return input_; }
  /// The size when it was opened.
  std::uint64_t size() const { return input_.identity.size; }
  /// Fills `target` with the bytes from `offset` on. Throws Failure (unreadable_input) if that fails, also if
  /// the file is too short.
  void read(std::uint64_t offset, std::span<std::byte> target) const;
  /// The first `most` bytes, or the whole file if it is shorter.
  std::string text(std::uint64_t most = UINT64_MAX) const;
  /// Throws Failure (unreadable_input) if the size or the times have changed since the file was opened.
  void check_unchanged() const;
  /// Throws Failure (unreadable_input) if the file has fewer than `size` bytes now.
  void check_size(std::uint64_t size) const;

 private:
  [[noreturn]] void fail_shortened() const;

  platform::ReadFile file_;
  Input input_;
};

/// An open file, or the reason why it could not be opened (unreadable_input).
using FileResult = Result<std::shared_ptr<const InputFile>>;

/// Opens the regular file at `path`. Never blocks: named pipes and devices are rejected without opening them.
FileResult open_file(const std::filesystem::path& path);

}  // namespace onnx2ir::base
