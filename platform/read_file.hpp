// Files, and files in memory, which have no name, that are read at given positions. Files are not mapped,
// because truncating a mapped file ends the process with SIGBUS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <system_error>

#include "platform/file_identity.hpp"
#include "platform/handle.hpp"

namespace onnx2ir::platform {

enum class FileKind : std::uint8_t { regular, folder, pipe, socket, device };

/// Why a file could not be opened: an error of the system, or it is of another kind than a regular file.
struct OpenFailure {
  std::error_code error;
  FileKind kind = FileKind::regular;
};

/// The reason as text: "No such file or directory", or "it is a folder, not a file".
std::string to_string(const OpenFailure& failure);

/// A part of a file.
struct DataRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// A regular file, opened for reading. Several threads may read it at once.
class ReadFile {
 public:
  /// Takes over `handle`, whose file had the identity when it was opened.
  ReadFile(Handle handle, const FileIdentity& identity) noexcept
      : handle_(std::move(handle)), identity_(identity) {}

  /// When the file was opened.
  const FileIdentity& identity() const { return identity_; }
  /// Of the file now; no value if the system reports an error.
  std::optional<FileIdentity> current_identity() const;
  /// Reads up to as many bytes as `target` has from `offset` on. Returns their number, which is 0 at the end
  /// of the file and after an error.
  std::size_t read(std::uint64_t offset, std::span<std::byte> target, std::error_code& error) const;
  /// The first range in [from, end) that the file stores. If [from, end) is a hole, the range is [end, end).
  /// If the file system cannot report holes, it is the whole of [from, end).
  DataRange next_data(std::uint64_t from, std::uint64_t end) const;

  const Handle& handle() const { return handle_; }

 private:
  Handle handle_;
  FileIdentity identity_;
};

/// The file of an open handle, if it is a regular one.
std::optional<ReadFile> take_file(Handle handle, OpenFailure& failure);

/// Opens the regular file at `path`. Never blocks: named pipes and devices are rejected without opening them.
std::optional<ReadFile> open_file(const std::filesystem::path& path, OpenFailure& failure);

/// Fills `target` with the bytes from `offset` on; returns whether it could.
using SupplyBytes = std::function<bool(std::uint64_t offset, std::span<std::byte> target)>;

/// A file with `size` bytes of `fill`, which is called for one piece after the other. No value if `fill`
/// fails, or with the `error` of the system. On Windows, which has no such files, it has a name among the
/// temporary files until it is closed.
std::optional<ReadFile> make_memory_file(std::uint64_t size, const SupplyBytes& fill, std::error_code& error);

}  // namespace onnx2ir::platform
