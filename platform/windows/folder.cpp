#include "platform/folder.hpp"

#include <windows.h>
// After <windows.h>, whose types it uses.
#include <winternl.h>

#include "platform/windows/system.hpp"

extern "C" NTSYSAPI NTSTATUS NTAPI RtlGetLastNtStatus();

namespace onnx2ir::platform {
namespace {

/// Opens a file to read its attributes, or to rename it (DELETE); links are not followed.
Handle open_entry(const std::wstring& path, DWORD access) {
  return windows::taken(::CreateFileW(path.c_str(), access, windows::kShareAll, nullptr, OPEN_EXISTING,
                                      FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_BACKUP_SEMANTICS, nullptr));
}

}  // namespace

std::optional<Folder> Folder::open(const std::filesystem::path& path, std::error_code& error) {
  error.clear();
  // Without FILE_SHARE_DELETE, nobody can rename the folder, so its path stays valid.
  constexpr DWORD kShare = FILE_SHARE_READ | FILE_SHARE_WRITE;
  Handle handle = windows::taken(::CreateFileW(windows::long_path(path).c_str(), FILE_READ_ATTRIBUTES, kShare,
                                               nullptr, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr));
  const auto identity =
      handle.is_open() ? windows::identify(windows::native(handle)) : std::optional<FileIdentity>();
  FILE_BASIC_INFO information{};
  if (!identity || ::GetFileInformationByHandleEx(windows::native(handle), FileBasicInfo, &information,
                                                  sizeof information) == FALSE) {
    error = windows::last_error();
    return std::nullopt;
  }
  if ((information.FileAttributes & FILE_ATTRIBUTE_DIRECTORY) == 0) {
    error = std::make_error_code(std::errc::not_a_directory);
    return std::nullopt;
  }
  auto real = windows::final_path(windows::native(handle));
  return Folder(std::move(handle), *identity, real ? *std::move(real) : windows::long_path(absolute(path)),
                true);
}

LockResult Folder::try_lock() {
  // Windows cannot lock folders. The lock is a file that cannot be opened twice, and that the system removes
  // when it is closed, also at the end of a killed process.
  const std::wstring file = (path_ / L".onnx2ir-lock").native();
  Handle handle = windows::taken(::CreateFileW(file.c_str(), GENERIC_WRITE | DELETE, 0, nullptr, OPEN_ALWAYS,
                                               FILE_ATTRIBUTE_HIDDEN | FILE_FLAG_DELETE_ON_CLOSE, nullptr));
  if (handle.is_open()) {
    lock_ = std::move(handle);
    return LockResult::locked;
  }
  constexpr auto kDeletePending = static_cast<NTSTATUS>(0xC0000056);
  const bool is_busy =
      ::GetLastError() == ERROR_SHARING_VIOLATION || ::RtlGetLastNtStatus() == kDeletePending;
  return is_busy ? LockResult::busy : LockResult::unsupported;
}

void Folder::unlock() {
  const Handle released = std::move(lock_);
}

void Folder::sync() const {
  // There is no such call: file systems with a journal write the entries with the renames.
}

std::optional<FileAttributes> Folder::attributes(const std::filesystem::path& name) const {
  if (!identify(path_ / name)) return std::nullopt;
  return FileAttributes();
}

std::optional<Handle> Folder::hold(const std::filesystem::path& name) const {
  // An open file cannot be replaced on all releases, so it is not held.
  if (!open_entry((path_ / name).native(), FILE_READ_ATTRIBUTES).is_open()) return std::nullopt;
  return Handle();
}

std::error_code Folder::rename(const std::filesystem::path& from, const std::filesystem::path& to) const {
  const Handle file = open_entry((path_ / from).native(), DELETE | SYNCHRONIZE);
  if (!file.is_open()) return windows::last_error();
  return windows::rename(windows::native(file), (path_ / to).native(), true);
}

std::error_code Folder::exchange(const std::filesystem::path& from, const std::filesystem::path& to) const {
  // Windows has no call for that. The previous file gets a second name before it is replaced atomically.
  const std::filesystem::path second = from.native() + L".old";
  remove(second);
  if (::CreateHardLinkW((path_ / second).c_str(), (path_ / to).c_str(), nullptr) == FALSE)
    return windows::last_error();
  if (const auto error = rename(from, to)) {
    remove(second);
    return error;
  }
  const std::error_code error = rename(second, from);
  if (error) rename(second, to);
  return error;
}

std::error_code Folder::remove(const std::filesystem::path& name) const {
  return windows::error_of(::DeleteFileW((path_ / name).c_str()));
}

}  // namespace onnx2ir::platform
