// What sources in platform/posix share, and functions that platform/linux and platform/macos implement.
#pragma once

#include <sys/types.h>

#include <cerrno>
#include <cstdint>
#include <optional>
#include <system_error>

#include "platform/file_identity.hpp"
#include "platform/handle.hpp"
#include "platform/read_file.hpp"

namespace onnx2ir::platform::posix {

inline int descriptor(const Handle& handle) {
  return static_cast<int>(handle.value());
}

inline std::error_code last_error() {
  return {errno, std::generic_category()};
}

/// The error of a call that returned -1, or no error.
inline std::error_code error_of(int result) {
  return result == 0 ? std::error_code() : last_error();
}

/// Whether the program was linked dynamically. A static program may have dlopen(), too, but that of glibc
/// needs the shared libraries of the same release at run time.
bool has_dynamic_section();

/// Of an open file.
std::optional<FileIdentity> identify(int descriptor);
FileKind kind_of(mode_t mode);

// The functions below return -1 and set errno if they fail, or if the system cannot do that.

/// Opens a folder that may be written but not listed.
int open_unlistable_folder(const char* path);
/// Opens an entry without reading it; links are not followed.
int hold_entry(int folder, const char* name);
int exchange_entries(int folder, const char* from, const char* to);
int open_nameless_file(int folder, unsigned mode);
/// Gives a file of open_nameless_file() a name.
int link_nameless_file(int file, int folder, const char* name);
/// Opens an empty file in memory, or one that is gone when it is closed.
int open_memory_file();
/// Copies to the position of `to`. Returns the number of bytes.
std::int64_t copy_range(int from, std::uint64_t offset, int to, std::uint64_t size);
void start_sync(int file);

}  // namespace onnx2ir::platform::posix
