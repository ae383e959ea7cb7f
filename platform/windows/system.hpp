// What the implementations for Windows share.
#pragma once

#include <windows.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "platform/file_identity.hpp"
#include "platform/handle.hpp"

namespace onnx2ir::platform::windows {

/// Other processes may do with an open file what they may do on other systems.
inline constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

inline HANDLE native(const Handle& handle) {
  return reinterpret_cast<HANDLE>(handle.value());
}

/// Takes over the result of CreateFile and the like.
inline Handle taken(HANDLE handle) {
  return Handle(reinterpret_cast<std::intptr_t>(handle));
}

/// The error of the calling thread's last call; as std::errc where there is one, so that messages are those
/// of other systems.
std::error_code last_error();
/// The error of a call that returned FALSE, or no error.
inline std::error_code error_of(BOOL result) {
  return result != FALSE ? std::error_code() : last_error();
}

/// The path for system calls, which is not limited to 260 characters.
std::wstring long_path(const std::filesystem::path& path);
/// The path of an open file without links, with the prefix of long paths; no value if it has none.
std::optional<std::wstring> final_path(HANDLE handle);
std::wstring without_prefix(std::wstring path);

/// Of an open file.
std::optional<FileIdentity> identify(HANDLE handle);

/// Bytes that one call reads or writes at most.
inline constexpr std::size_t kMostAtOnce = std::size_t{1} << 30U;

/// The place of a call that reads or writes at `offset` of a file.
inline OVERLAPPED overlapped_at(std::uint64_t offset) {
  constexpr unsigned kHalf = 32;
  OVERLAPPED place{};
  place.Offset = static_cast<DWORD>(offset);
  place.OffsetHigh = static_cast<DWORD>(offset >> kHalf);
  return place;
}

/// Renames an open file; `path` is absolute.
std::error_code rename(HANDLE handle, const std::wstring& path, bool replaces);

std::string to_utf8(const std::wstring& text);
std::wstring from_utf8(const std::string& text);

}  // namespace onnx2ir::platform::windows
