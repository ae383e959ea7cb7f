// Files that a conversion reads: opened once, read with pread, and checked to be unchanged. They are not
// mapped, because truncating a mapped file ends the process with SIGBUS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

namespace onnx2ir::ir {

/// The identity and state of a file as the kernel reports it. Times are in nanoseconds.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t created = 0;  ///< 0 if the file system does not store it
  std::uint64_t size = 0;
  std::int64_t modified = 0;
  std::int64_t status_changed = 0;
};

/// Of an open file, or of the file at `path` (symbolic links are followed); no value if the kernel reports an
/// error.
std::optional<FileIdentity> identify(int descriptor);
std::optional<FileIdentity> identify(const char* path);

/// Whether both are the same file under any names. A file that reuses an inode number is different.
bool is_same_file(const FileIdentity& a, const FileIdentity& b);

/// A file that a model is read from.
struct Input {
  std::string path;
  FileIdentity identity;
};

/// An input file cannot be read, or was truncated or changed while it was read.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A regular file, opened for reading.
class InputFile {
 public:
  /// Takes over the open `descriptor`.
  InputFile(int descriptor, Input input) noexcept;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  int descriptor() const { return descriptor_; }
  const Input& input() const { return input_; }
  /// The size when it was opened.
  std::uint64_t size() const { return input_.identity.size; }
  /// Fills `target` with the bytes from `offset` on. Throws InputError, also if the file is too short.
  void read(std::uint64_t offset, std::span<std::byte> target) const;
  /// Throws InputError if the size or the times have changed since the file was opened.
  void check_unchanged() const;
  /// Throws the InputError for a file that is too short.
  [[noreturn]] void fail_shortened() const;

 private:
  int descriptor_;
  Input input_;
};

}  // namespace onnx2ir::ir
