#include "platform/temporary_file.hpp"

#include <random>
#include <string_view>
#include <utility>

namespace onnx2ir::platform {
namespace {

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

TemporaryFile::TemporaryFile(const OutputFolder& folder, std::filesystem::path target, std::string role,
                             TemporaryListener listener)
    : folder_(&folder), target_(std::move(target)), role_(std::move(role)), listener_(std::move(listener)) {
  constexpr unsigned kReadWrite = 0666;
  const auto before = folder.folder().attributes(target_);
  replaces_ = before.has_value();
  const unsigned mode = replaces_ ? before->mode & kReadWrite : kReadWrite;
  file_ = NewFile::without_name(folder.folder(), mode, error_);
  const auto make_named = [&] {
    file_ = NewFile::with_name(folder.folder(), temporary_, mode, error_);
    return file_.has_value();
  };
  if (!file_ && !find_name({}, make_named)) return;
  if (replaces_) file_->take_attributes(*before);
}

TemporaryFile::~TemporaryFile() {
  remove_temporary();
}

bool TemporaryFile::fails(std::error_code error) {
  error_ = error;
  return static_cast<bool>(error);
}

/// Sets a temporary name with which `use` succeeds: `name`, unless it is empty, or one with random letters.
template <typename Use>
bool TemporaryFile::find_name(std::string name, Use use) {
  std::random_device random;
  for (int i = 0; i < kMaxAttempts; ++i) {
    if (name.empty()) name = temporary_name(role_) + "." + random_letters(random);
    set_temporary(std::exchange(name, {}));
    if (use()) return true;
    set_temporary({});
    if (error_ != std::errc::file_exists) return false;
  }
  return false;
}

bool TemporaryFile::prepare(bool is_locked) {
  if (!temporary_.empty()) return true;
  // All writers use the same name, so that the next one removes the file of a killed writer.
  const std::string name = is_locked ? temporary_name(role_) : std::string();
  if (is_locked) folder_->folder().remove(name);
  return find_name(name, [&] { return !fails(file_->give_name(folder_->folder(), temporary_)); });
}

bool TemporaryFile::publish() {
  const Folder& folder = folder_->folder();
  old_ = folder.hold(target_);
  replaces_ = old_.has_value();
  if (replaces_ && !folder.exchange(temporary_, target_)) {
    is_exchanged_ = true;
  } else if (!fails(folder.rename(temporary_, target_))) {
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
  file_.reset();  // Windows before 10 cannot replace an open file.
  const Folder& folder = folder_->folder();
  if (is_exchanged_) {
    is_exchanged_ = false;
    return !fails(folder.exchange(temporary_, target_));
  }
  if (replaces_) return false;
  return !fails(folder.remove(target_));
}

void TemporaryFile::finish() {
  is_exchanged_ = false;
  remove_temporary();
}

void TemporaryFile::set_temporary(std::filesystem::path name) {
  if (!name.empty() && listener_) listener_(folder_->path() / name, true);
  std::swap(temporary_, name);
  if (!name.empty() && listener_) listener_(folder_->path() / name, false);
}

void TemporaryFile::remove_temporary() {
  if (temporary_.empty()) return;
  folder_->folder().remove(temporary_);
  set_temporary({});
}

}  // namespace onnx2ir::platform
