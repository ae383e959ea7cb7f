// Files that are written before they get their names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>

#include "platform/folder.hpp"
#include "platform/handle.hpp"
#include "platform/read_file.hpp"

namespace onnx2ir::platform {

/// A file in a folder, opened for writing. Functions return the error of the system, or no error.
class NewFile {
 public:
  /// A file that the system removes when it is closed, also if the process is killed, unless it gets a name
  /// by give_name(). No value, with the reason in `error`, if the file system has no such files. `mode`: of
  /// POSIX, limited by the umask.
  static std::optional<NewFile> without_name(const Folder& folder, unsigned mode, std::error_code& error);
  /// A file with a name that does not exist; the error is std::errc::file_exists if it does.
  static std::optional<NewFile> with_name(const Folder& folder, const std::filesystem::path& name,
                                          unsigned mode, std::error_code& error);

  /// A file for make_memory_file().
  static std::optional<NewFile> in_memory(std::error_code& error);

  /// Takes over the handle of a file that is open for writing.
  explicit NewFile(Handle handle) noexcept : handle_(std::move(handle)) {}
  Handle take_handle() && { return std::move(handle_); }

  /// Takes over the permissions, and the owner if the process may set it.
  void take_attributes(const FileAttributes& attributes) const;
  /// Gives a file without a name one that does not exist; the error is std::errc::file_exists if it does.
  std::error_code give_name(const Folder& folder, const std::filesystem::path& name) const;

  /// Writes up to all of `bytes` at the position and moves it. Returns the number of bytes written.
  std::size_t write(std::string_view bytes, std::error_code& error) const;
  /// Writes all of `bytes`; several threads may do that. The position is unspecified afterwards.
  std::error_code write_at(std::uint64_t offset, std::span<const std::byte> bytes) const;
  /// Sets the position, also behind the end of the file. A gap reads as zeros.
  std::error_code seek(std::uint64_t position) const;
  std::error_code set_size(std::uint64_t size) const;
  /// Copies up to `size` bytes of `source` from `offset` on to the position and moves it, in the kernel.
  /// Returns the number of bytes, which is 0 if the system cannot do that.
  std::uint64_t copy_from(const ReadFile& source, std::uint64_t offset, std::uint64_t size) const;

  /// Starts writing to the disk if the system has a call for that; sync() waits for the end.
  void start_sync() const;
  std::error_code sync() const;

 private:
  Handle handle_;
};

}  // namespace onnx2ir::platform
