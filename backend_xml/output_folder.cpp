#include "backend_xml/output_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <tuple>
#include <utility>

namespace onnx2ir::backend_xml {

OutputFolder::OutputFolder(const std::filesystem::path& file) : path_(file.parent_path()) {
  if (path_.empty()) path_ = ".";
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0 && errno == EACCES) {
    // A folder that may be written but not listed cannot be locked.
    descriptor_ = ::open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    may_lock_ = false;
  }
  const auto identity = descriptor_ < 0 ? std::nullopt : ir::identify(descriptor_);
  if (identity) {
    identity_ = *identity;
  } else {
    problem_ = std::strerror(errno);
  }
}

OutputFolder::~OutputFolder() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool OutputFolder::is_same(const OutputFolder& other) const {
  return ir::is_same_file(identity_, other.identity_);
}

bool OutputFolder::lock() {
  // A writer holds the lock for a few renames only. But any process that can list the folder can hold it
  // longer, so the wait is limited.
  constexpr auto kTimeout = std::chrono::seconds(10);
  constexpr auto kMaxPause = std::chrono::milliseconds(5);
  if (!may_lock_) return true;
  const auto end = std::chrono::steady_clock::now() + kTimeout;
  auto pause = std::chrono::microseconds(50);
  while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return true;  // some network file systems cannot lock folders
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(pause);
    pause = std::min<std::chrono::microseconds>(2 * pause, kMaxPause);
  }
  is_locked_ = true;
  return true;
}

void OutputFolder::unlock() {
  if (is_locked_) ::flock(descriptor_, LOCK_UN);
  is_locked_ = false;
}

void OutputFolder::sync() const {
  if (may_lock_) ::fsync(descriptor_);
}

FolderLocks::FolderLocks(OutputFolder& a, OutputFolder& b) : first_(&a), second_(&b) {
  const auto key = [](const OutputFolder& folder) {
    const auto identity = ir::identify(folder.descriptor()).value_or(ir::FileIdentity());
    return std::tuple(identity.device, identity.inode);
  };
  if (a.is_same(b)) {
    second_ = nullptr;
  } else if (key(b) < key(a)) {
    std::swap(first_, second_);
  }
  if (!first_->lock()) locked_by_other_ = first_;
  if (locked_by_other_ == nullptr && second_ != nullptr && !second_->lock()) locked_by_other_ = second_;
}

FolderLocks::~FolderLocks() {
  if (second_ != nullptr) second_->unlock();
  first_->unlock();
}

}  // namespace onnx2ir::backend_xml
