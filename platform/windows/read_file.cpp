#include "platform/read_file.hpp"

#include <windows.h>

#include <algorithm>

#include "platform/file_reference.hpp"
#include "platform/windows/system.hpp"

namespace onnx2ir::platform {

std::optional<ReadFile> open_file(const std::filesystem::path& path, OpenFailure& failure) {
  const auto reference = FileReference::find(path, failure.error);
  if (!reference) return std::nullopt;
  const auto status = reference->status(failure.error);
  if (!status) return std::nullopt;
  failure.kind = status->kind;
  if (failure.kind != FileKind::regular) return std::nullopt;
  return reference->open(failure);
}

std::optional<ReadFile> take_file(Handle handle, OpenFailure& failure) {
  const auto identity =
      handle.is_open() ? windows::identify(windows::native(handle)) : std::optional<FileIdentity>();
  if (identity) return ReadFile(std::move(handle), *identity);
  failure.error = windows::last_error();
  return std::nullopt;
}

std::optional<FileIdentity> ReadFile::current_identity() const {
  return windows::identify(windows::native(handle_));
}

std::size_t ReadFile::read(std::uint64_t offset, std::span<std::byte> target, std::error_code& error) const {
  error.clear();
  OVERLAPPED place = windows::overlapped_at(offset);
  DWORD got = 0;
  const auto size = static_cast<DWORD>(std::min(target.size(), windows::kMostAtOnce));
  if (::ReadFile(windows::native(handle_), target.data(), size, &got, &place) == FALSE) {
    if (::GetLastError() != ERROR_HANDLE_EOF) error = windows::last_error();
    return 0;
  }
  return got;
}

DataRange ReadFile::next_data(std::uint64_t from, std::uint64_t end) const {
  return {from, end};
}

std::optional<FileReference> FileReference::find(const std::filesystem::path& path, std::error_code& error) {
  error.clear();
  Handle handle =
      windows::taken(::CreateFileW(windows::long_path(path).c_str(), FILE_READ_ATTRIBUTES, windows::kShareAll,
                                   nullptr, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr));
  if (handle.is_open()) return FileReference(std::move(handle));
  error = windows::last_error();
  return std::nullopt;
}

std::optional<std::filesystem::path> FileReference::real_path() const {
  auto path = windows::final_path(windows::native(handle_));
  if (!path) return std::nullopt;
  return windows::without_prefix(*std::move(path));
}

std::optional<FileReference::Status> FileReference::status(std::error_code& error) const {
  const DWORD type = ::GetFileType(windows::native(handle_));
  if (type == FILE_TYPE_PIPE) return Status{FileKind::pipe, 1};
  if (type != FILE_TYPE_DISK) return Status{FileKind::device, 1};
  BY_HANDLE_FILE_INFORMATION information{};
  if (::GetFileInformationByHandle(windows::native(handle_), &information) == FALSE) {
    error = windows::last_error();
    return std::nullopt;
  }
  const bool is_folder = (information.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  return Status{is_folder ? FileKind::folder : FileKind::regular, information.nNumberOfLinks};
}

std::optional<ReadFile> FileReference::open(OpenFailure& failure) const {
  auto file = take_file(
      windows::taken(::ReOpenFile(windows::native(handle_), GENERIC_READ, windows::kShareAll, 0)), failure);
  if (!file) return std::nullopt;
  const auto expected = windows::identify(windows::native(handle_));
  if (!expected) {
    failure.error = windows::last_error();
    return std::nullopt;
  }
  if (is_same_file(file->identity(), *expected)) return file;
  // Wine opens the name again, which another file may have got.
  failure.error = std::make_error_code(std::errc::no_such_file_or_directory);
  return std::nullopt;
}

}  // namespace onnx2ir::platform
