#include "platform/output_folder.hpp"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>

namespace onnx2ir::platform {

OutputFolder::OutputFolder(const std::filesystem::path& file) : path_(file.parent_path()) {
  if (path_.empty()) path_ = ".";
  std::error_code error;
  folder_ = Folder::open(path_, error);
  if (!folder_) error_ = error;
}

bool OutputFolder::is_same(const OutputFolder& other) const {
  return platform::is_same_file(folder_->identity(), other.folder_->identity());
}

bool OutputFolder::lock() {
  // A writer holds the lock for a few renames only. But any process that can list the folder can hold it
  // longer, so the wait is limited.
  constexpr auto kTimeout = std::chrono::seconds(10);
  constexpr auto kMaxPause = std::chrono::milliseconds(5);
  const auto end = std::chrono::steady_clock::now() + kTimeout;
  auto pause = std::chrono::microseconds(50);
  while (true) {
    const platform::LockResult result = folder_->try_lock();
    is_locked_ = result == platform::LockResult::locked;
    if (result != platform::LockResult::busy) return true;
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(pause);
    pause = std::min<std::chrono::microseconds>(2 * pause, kMaxPause);
  }
}

void OutputFolder::unlock() {
  if (is_locked_) folder_->unlock();
  is_locked_ = false;
}

FolderLocks::FolderLocks(OutputFolder& a, OutputFolder& b) : first_(&a), second_(&b) {
  const auto key = [](const OutputFolder& folder) {
    const FileIdentity& identity = folder.folder().identity();
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

}  // namespace onnx2ir::platform
