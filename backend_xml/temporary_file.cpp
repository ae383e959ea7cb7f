#include "backend_xml/temporary_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <random>
#include <string_view>
#include <utility>

namespace onnx2ir::backend_xml {
namespace {

constexpr mode_t kPermissions = 0777;
constexpr int kMaxAttempts = 100;

std::string random_letters(std::random_device& random) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::string letters(8, ' ');
  for (char& letter : letters) letter = kLetters[random() % kLetters.size()];
  return letters;
}

}  // namespace

std::string temporary_name(std::string_view role) {
  return ".onnx2ir-" + std::string(role);
}

TemporaryFile::TemporaryFile(const OutputFolder& folder, const std::filesystem::path& target,
                             std::string role, TemporaryListener listener)
    : folder_(&folder), target_(target), role_(std::move(role)), listener_(std::move(listener)) {
  struct stat before {};
  replaces_ = ::fstatat(folder.descriptor(), target_.c_str(), &before, 0) == 0;
  const unsigned mode = replaces_ ? before.st_mode & 0666U : 0666U;
  if (!make_nameless(mode) && !make_named(mode)) return;
  if (!replaces_) return;
  // Only privileged processes can keep another owner, and only members can keep a group.
  if (::fchown(descriptor_, before.st_uid, before.st_gid) != 0) errno = 0;
  ::fchmod(descriptor_, before.st_mode & kPermissions);
}

TemporaryFile::~TemporaryFile() {
  remove_temporary();
  if (old_ >= 0) ::close(old_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool TemporaryFile::make_nameless(unsigned mode) {
  // The file is linked through /proc later.
  if (::access("/proc/self/fd", F_OK) != 0) return false;
  descriptor_ = ::openat(folder_->descriptor(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
  return descriptor_ >= 0;
}

bool TemporaryFile::make_named(unsigned mode) {
  std::random_device random;
  for (int i = 0; i < kMaxAttempts; ++i) {
    set_temporary(temporary_name(role_) + "." + random_letters(random));
    descriptor_ =
        ::openat(folder_->descriptor(), temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor_ >= 0) return true;
    const int reason = errno;
    set_temporary({});
    errno = reason;
    if (reason != EEXIST) return false;
  }
  return false;
}

bool TemporaryFile::prepare(bool is_locked) {
  if (!temporary_.empty()) return true;
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor_);
  const auto link_as = [&](std::string name) {
    set_temporary(std::move(name));
    if (::linkat(AT_FDCWD, link.c_str(), folder_->descriptor(), temporary_.c_str(), AT_SYMLINK_FOLLOW) == 0)
      return true;
    const int reason = errno;
    set_temporary({});
    errno = reason;
    return false;
  };
  if (is_locked) {
    // All writers use the same name, so that the next one removes the file of a killed writer.
    const std::string name = temporary_name(role_);
    ::unlinkat(folder_->descriptor(), name.c_str(), 0);
    if (link_as(name)) return true;
    if (errno != EEXIST) return false;
  }
  std::random_device random;
  for (int i = 0; i < kMaxAttempts; ++i) {
    if (link_as(temporary_name(role_) + "." + random_letters(random))) return true;
    if (errno != EEXIST) return false;
  }
  return false;
}

bool TemporaryFile::publish() {
  const int folder = folder_->descriptor();
  old_ = ::openat(folder, target_.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
  replaces_ = old_ >= 0;
  if (replaces_ && ::renameat2(folder, temporary_.c_str(), folder, target_.c_str(), RENAME_EXCHANGE) == 0) {
    is_exchanged_ = true;
  } else if (::renameat(folder, temporary_.c_str(), folder, target_.c_str()) == 0) {
    set_temporary({});
  } else {
    return false;
  }
  is_published_ = true;
  return true;
}

bool TemporaryFile::unpublish() {
  if (!is_published_) return true;
  is_published_ = false;
  const int folder = folder_->descriptor();
  if (is_exchanged_) {
    is_exchanged_ = false;
    return ::renameat2(folder, temporary_.c_str(), folder, target_.c_str(), RENAME_EXCHANGE) == 0;
  }
  if (replaces_) return false;
  return ::unlinkat(folder, target_.c_str(), 0) == 0;
}

void TemporaryFile::finish() {
  is_exchanged_ = false;
  remove_temporary();
}

void TemporaryFile::set_temporary(std::string name) {
  if (!name.empty() && listener_) listener_(folder_->path() / name, true);
  std::swap(temporary_, name);
  if (!name.empty() && listener_) listener_(folder_->path() / name, false);
}

void TemporaryFile::remove_temporary() {
  if (temporary_.empty()) return;
  ::unlinkat(folder_->descriptor(), temporary_.c_str(), 0);
  set_temporary({});
}

}  // namespace onnx2ir::backend_xml
