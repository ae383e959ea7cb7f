// Loaded with LD_PRELOAD, makes system calls on files fail as on other file systems and broken disks. The
// environment variable ONNX2IR_FAULTS names what fails, separated by commas.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/types.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <string_view>

namespace {

bool is_faulty(std::string_view name) {
  const char* const faults = std::getenv("ONNX2IR_FAULTS");
  std::string_view left = faults == nullptr ? "" : faults;
  while (!left.empty()) {
    const std::size_t comma = left.find(',');
    if (left.substr(0, comma) == name) return true;
    left.remove_prefix(comma == std::string_view::npos ? left.size() : comma + 1);
  }
  return false;
}

/// The function of the C library.
template <typename Function>
Function original(Function, const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

int fail(int error) {
  errno = error;
  return -1;
}

}  // namespace

extern "C" {

#pragma GCC visibility push(default)

/// no-nameless-files: as on NFS.
int openat(int folder, const char* path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & (O_CREAT | O_TMPFILE)) != 0) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  if ((flags & O_TMPFILE) == O_TMPFILE && is_faulty("no-nameless-files")) return fail(EOPNOTSUPP);
  return original(&openat, "openat")(folder, path, flags, mode);
}

/// no-locks: as on some network file systems.
int lock_file(int descriptor, int operation) __asm__("flock");  // a struct has the name as well
int lock_file(int descriptor, int operation) {
  if (is_faulty("no-locks")) return fail(EBADF);
  return original(&lock_file, "flock")(descriptor, operation);
}

/// no-exchange: as on file systems that cannot swap two names. xml-rename: the XML cannot get its name.
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  if (is_faulty("no-exchange")) return fail(EINVAL);
  if (is_faulty("xml-rename") && std::string_view(to).ends_with(".xml")) return fail(EPERM);
  return original(&renameat2, "renameat2")(from_folder, from, to_folder, to, flags);
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  if (is_faulty("xml-rename") && std::string_view(to).ends_with(".xml")) return fail(EPERM);
  return original(&renameat, "renameat")(from_folder, from, to_folder, to);
}

/// no-copies: as between two file systems.
ssize_t copy_file_range(int from, off64_t* from_offset, int to, off64_t* to_offset, size_t size,
                        unsigned flags) {
  if (is_faulty("no-copies")) return fail(EXDEV);
  return original(&copy_file_range, "copy_file_range")(from, from_offset, to, to_offset, size, flags);
}

/// reads: the disk of the model is broken. short-reads: at most 1000 bytes at once.
ssize_t pread(int descriptor, void* target, size_t size, off_t offset) {
  if (is_faulty("reads") && size > 4096) return fail(EIO);
  if (is_faulty("short-reads") && size > 1000) size = 1000;
  return original(&pread, "pread")(descriptor, target, size, offset);
}

/// syncs: written data cannot be synchronised to the disk.
int fsync(int descriptor) {
  if (is_faulty("syncs")) return fail(EIO);
  return original(&fsync, "fsync")(descriptor);
}

#pragma GCC visibility pop
}
