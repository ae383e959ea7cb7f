#include "platform/windows/system.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace onnx2ir::platform {
namespace {

constexpr std::wstring_view kPrefix = L"\\\\?\\";
constexpr std::wstring_view kNetworkPrefix = L"\\\\?\\UNC\\";

constexpr std::array<std::pair<DWORD, std::errc>, 26> kErrors{{
    {ERROR_FILE_NOT_FOUND, std::errc::no_such_file_or_directory},
    {ERROR_PATH_NOT_FOUND, std::errc::no_such_file_or_directory},
    {ERROR_INVALID_NAME, std::errc::no_such_file_or_directory},
    {ERROR_BAD_PATHNAME, std::errc::no_such_file_or_directory},
    {ERROR_BAD_NETPATH, std::errc::no_such_file_or_directory},
    {ERROR_BAD_NET_NAME, std::errc::no_such_file_or_directory},
    {ERROR_INVALID_DRIVE, std::errc::no_such_file_or_directory},
    {ERROR_ACCESS_DENIED, std::errc::permission_denied},
    {ERROR_PRIVILEGE_NOT_HELD, std::errc::operation_not_permitted},
    {ERROR_SHARING_VIOLATION, std::errc::device_or_resource_busy},
    {ERROR_LOCK_VIOLATION, std::errc::device_or_resource_busy},
    {ERROR_FILE_EXISTS, std::errc::file_exists},
    {ERROR_ALREADY_EXISTS, std::errc::file_exists},
    {ERROR_DISK_FULL, std::errc::no_space_on_device},
    {ERROR_HANDLE_DISK_FULL, std::errc::no_space_on_device},
    {ERROR_FILE_TOO_LARGE, std::errc::file_too_large},
    {ERROR_NOT_ENOUGH_MEMORY, std::errc::not_enough_memory},
    {ERROR_OUTOFMEMORY, std::errc::not_enough_memory},
    {ERROR_TOO_MANY_OPEN_FILES, std::errc::too_many_files_open},
    {ERROR_FILENAME_EXCED_RANGE, std::errc::filename_too_long},
    {ERROR_DIRECTORY, std::errc::not_a_directory},
    {ERROR_WRITE_PROTECT, std::errc::read_only_file_system},
    {ERROR_CANT_RESOLVE_FILENAME, std::errc::too_many_symbolic_link_levels},
    {ERROR_NOT_SUPPORTED, std::errc::not_supported},
    {ERROR_INVALID_FUNCTION, std::errc::not_supported},
    {ERROR_INVALID_PARAMETER, std::errc::invalid_argument},
}};

/// From 100 nanoseconds since 1601 to nanoseconds since 1970.
std::int64_t nanoseconds(const LARGE_INTEGER& time) {
  constexpr std::int64_t kEpoch = 116'444'736'000'000'000;
  return (time.QuadPart - kEpoch) * 100;
}

}  // namespace

Handle::~Handle() {
  if (is_open()) ::CloseHandle(windows::native(*this));
}

std::error_code windows::last_error() {
  const DWORD error = ::GetLastError();
  const auto* const found = std::ranges::find(kErrors, error, &std::pair<DWORD, std::errc>::first);
  if (found != kErrors.end()) return std::make_error_code(found->second);
  return {static_cast<int>(error), std::system_category()};
}

std::wstring windows::long_path(const std::filesystem::path& path) {
  const std::wstring& given = path.native();
  if (given.starts_with(L"\\\\?\\") || given.starts_with(L"\\\\.\\")) return given;
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  // A path without the prefix is normalised by the system: "." and ".." and "/" work, and so do "NUL" and
  // "CON".
  if (error || absolute.native().size() < MAX_PATH - 12) return given;
  std::filesystem::path normal = absolute.lexically_normal();
  normal.make_preferred();
  const std::wstring& text = normal.native();
  if (text.starts_with(L"\\\\")) return std::wstring(kNetworkPrefix) + text.substr(2);
  return std::wstring(kPrefix) + text;
}

std::optional<std::wstring> windows::final_path(HANDLE handle) {
  std::wstring path(MAX_PATH, L'\0');
  while (true) {
    const DWORD size = ::GetFinalPathNameByHandleW(handle, path.data(), static_cast<DWORD>(path.size()),
                                                   FILE_NAME_NORMALIZED | VOLUME_NAME_DOS);
    if (size == 0) return std::nullopt;
    const bool is_complete = size < path.size();
    path.resize(size);
    if (is_complete) return path;
  }
}

std::wstring windows::without_prefix(std::wstring path) {
  if (path.starts_with(kNetworkPrefix)) return L"\\\\" + path.substr(kNetworkPrefix.size());
  if (path.starts_with(kPrefix)) return path.substr(kPrefix.size());
  return path;
}

std::optional<FileIdentity> windows::identify(HANDLE handle) {
  BY_HANDLE_FILE_INFORMATION information{};
  FILE_BASIC_INFO times{};
  if (::GetFileInformationByHandle(handle, &information) == FALSE) return std::nullopt;
  if (::GetFileInformationByHandleEx(handle, FileBasicInfo, &times, sizeof times) == FALSE)
    return std::nullopt;
  constexpr unsigned kHalf = 32;
  FileIdentity identity;
  identity.device = information.dwVolumeSerialNumber;
  identity.inode = (std::uint64_t{information.nFileIndexHigh} << kHalf) | information.nFileIndexLow;
  // The index of NTFS has a number that grows with each reuse, so that the time of creation is not needed;
  // that of Wine changes.
  identity.size = (std::uint64_t{information.nFileSizeHigh} << kHalf) | information.nFileSizeLow;
  identity.modified = nanoseconds(times.LastWriteTime);
  identity.status_changed = nanoseconds(times.ChangeTime);
  return identity;
}

std::optional<FileIdentity> identify(const std::filesystem::path& path) {
  const Handle handle =
      windows::taken(::CreateFileW(windows::long_path(path).c_str(), FILE_READ_ATTRIBUTES, windows::kShareAll,
                                   nullptr, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr));
  return handle.is_open() ? windows::identify(windows::native(handle)) : std::nullopt;
}

namespace {

/// Renames an open file once. `information` has the new name.
std::error_code rename_once(HANDLE handle, std::span<std::byte> buffer, bool replaces) {
  auto* const information = reinterpret_cast<FILE_RENAME_INFO*>(buffer.data());
  const auto size = static_cast<DWORD>(buffer.size());
  // With the semantics of POSIX, a file that other processes have open can be replaced.
  information->Flags =
      FILE_RENAME_FLAG_POSIX_SEMANTICS | (replaces ? FILE_RENAME_FLAG_REPLACE_IF_EXISTS : 0U);
  if (::SetFileInformationByHandle(handle, FileRenameInfoEx, information, size) != FALSE) return {};
  if (const std::error_code error = windows::last_error(); error == std::errc::file_exists) return error;
  // Older releases and some file systems have only the other call.
  information->Flags = 0;
  information->ReplaceIfExists = replaces ? TRUE : FALSE;
  return windows::error_of(::SetFileInformationByHandle(handle, FileRenameInfo, information, size));
}

}  // namespace

std::error_code windows::rename(HANDLE handle, const std::wstring& path, bool replaces) {
  const std::size_t bytes = path.size() * sizeof(wchar_t);
  std::vector<std::byte> buffer(sizeof(FILE_RENAME_INFO) + bytes);
  auto* const information = reinterpret_cast<FILE_RENAME_INFO*>(buffer.data());
  information->FileNameLength = static_cast<DWORD>(bytes);
  std::memcpy(information->FileName, path.data(), bytes);
  // Virus scanners, indexers and, on file systems without the semantics of POSIX, readers have a file open
  // for a moment.
  constexpr auto kPatience = std::chrono::seconds(2);
  constexpr auto kPause = std::chrono::milliseconds(10);
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    const std::error_code error = rename_once(handle, buffer, replaces);
    if (!replaces || error != std::errc::permission_denied || std::chrono::steady_clock::now() >= deadline)
      return error;
    std::this_thread::sleep_for(kPause);
  }
}

std::string windows::to_utf8(const std::wstring& text) {
  const auto size = static_cast<int>(text.size());
  const int needed = ::WideCharToMultiByte(CP_UTF8, 0, text.data(), size, nullptr, 0, nullptr, nullptr);
  std::string result(static_cast<std::size_t>(needed), '\0');
  ::WideCharToMultiByte(CP_UTF8, 0, text.data(), size, result.data(), needed, nullptr, nullptr);
  return result;
}

std::wstring windows::from_utf8(const std::string& text) {
  const auto size = static_cast<int>(text.size());
  const int needed = ::MultiByteToWideChar(CP_UTF8, 0, text.data(), size, nullptr, 0);
  std::wstring result(static_cast<std::size_t>(needed), L'\0');
  ::MultiByteToWideChar(CP_UTF8, 0, text.data(), size, result.data(), needed);
  return result;
}

}  // namespace onnx2ir::platform
