#include "platform/new_file.hpp"

#include <windows.h>

#include <algorithm>
#include <random>
#include <string>

#include "platform/windows/system.hpp"

namespace onnx2ir::platform {
namespace {

Handle create(const std::filesystem::path& path, DWORD share, DWORD flags) {
  return windows::taken(::CreateFileW(path.c_str(), GENERIC_READ | GENERIC_WRITE | DELETE, share, nullptr,
                                      CREATE_NEW, flags, nullptr));
}

/// Creates a file with a random name, and appends the name to `path`.
Handle create_with_random_name(std::wstring& path, DWORD share, DWORD flags, std::error_code& error) {
  constexpr int kMaxAttempts = 100;
  std::random_device random;
  for (int i = 0; i < kMaxAttempts; ++i) {
    const std::wstring tried = path + std::to_wstring(random());
    Handle file = create(tried, share, flags);
    error = file.is_open() ? std::error_code() : windows::last_error();
    if (error == std::errc::file_exists) continue;
    path = tried;
    return file;
  }
  return {};
}

/// Whether the system removes the file when it is closed.
std::error_code set_vanishing(const Handle& file, bool is_vanishing) {
  FILE_DISPOSITION_INFO information{};
  information.DeleteFile = is_vanishing ? TRUE : FALSE;
  return windows::error_of(::SetFileInformationByHandle(windows::native(file), FileDispositionInfo,
                                                        &information, sizeof information));
}

}  // namespace

std::optional<NewFile> NewFile::without_name(const Folder& folder, unsigned /*mode*/,
                                             std::error_code& error) {
  // The file has a name, under which it cannot be opened.
  std::wstring path = (folder.path() / L".onnx2ir-new.").native();
  Handle file = create_with_random_name(path, windows::kShareAll, FILE_ATTRIBUTE_NORMAL, error);
  if (!file.is_open()) return std::nullopt;
  error = set_vanishing(file, true);
  if (!error) return NewFile(std::move(file));
  file = Handle();
  ::DeleteFileW(path.c_str());
  return std::nullopt;
}

std::optional<NewFile> NewFile::in_memory(std::error_code& error) {
  // In the folder of temporary files: the system keeps the file in its cache, if there is room, and removes
  // it when it is closed. Windows has no files without a name.
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) return std::nullopt;
  std::wstring path = windows::long_path(folder / L"onnx2ir.");
  Handle file = create_with_random_name(path, FILE_SHARE_DELETE,
                                        FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, error);
  return file.is_open() ? std::optional<NewFile>(std::move(file)) : std::nullopt;
}

std::optional<NewFile> NewFile::with_name(const Folder& folder, const std::filesystem::path& name,
                                          unsigned /*mode*/, std::error_code& error) {
  Handle file = create(folder.path() / name, windows::kShareAll, FILE_ATTRIBUTE_NORMAL);
  error = file.is_open() ? std::error_code() : windows::last_error();
  return file.is_open() ? std::optional<NewFile>(std::move(file)) : std::nullopt;
}

void NewFile::take_attributes(const FileAttributes& /*attributes*/) const {}

std::error_code NewFile::give_name(const Folder& folder, const std::filesystem::path& name) const {
  if (const auto error = set_vanishing(handle_, false)) return error;
  const auto error = windows::rename(windows::native(handle_), (folder.path() / name).native(), false);
  if (error) static_cast<void>(set_vanishing(handle_, true));
  return error;
}

std::size_t NewFile::write(std::string_view bytes, std::error_code& error) const {
  error.clear();
  DWORD written = 0;
  const auto size = static_cast<DWORD>(std::min(bytes.size(), windows::kMostAtOnce));
  if (::WriteFile(windows::native(handle_), bytes.data(), size, &written, nullptr) != FALSE) return written;
  error = windows::last_error();
  return 0;
}

std::error_code NewFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    OVERLAPPED place = windows::overlapped_at(offset);
    DWORD written = 0;
    const auto size = static_cast<DWORD>(std::min(bytes.size(), windows::kMostAtOnce));
    if (::WriteFile(windows::native(handle_), bytes.data(), size, &written, &place) == FALSE)
      return windows::last_error();
    bytes = bytes.subspan(written);
    offset += written;
  }
  return {};
}

std::error_code NewFile::seek(std::uint64_t position) const {
  LARGE_INTEGER target{};
  target.QuadPart = static_cast<LONGLONG>(position);
  return windows::error_of(::SetFilePointerEx(windows::native(handle_), target, nullptr, FILE_BEGIN));
}

std::error_code NewFile::set_size(std::uint64_t size) const {
  FILE_END_OF_FILE_INFO information{};
  information.EndOfFile.QuadPart = static_cast<LONGLONG>(size);
  return windows::error_of(::SetFileInformationByHandle(windows::native(handle_), FileEndOfFileInfo,
                                                        &information, sizeof information));
}

std::uint64_t NewFile::copy_from(const ReadFile& /*source*/, std::uint64_t /*offset*/,
                                 std::uint64_t /*size*/) const {
  return 0;
}

void NewFile::start_sync() const {}

std::error_code NewFile::sync() const {
  return windows::error_of(::FlushFileBuffers(windows::native(handle_)));
}

}  // namespace onnx2ir::platform
