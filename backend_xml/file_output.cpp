#include "backend_xml/file_output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

namespace onnx2ir::backend_xml {

FileOutput::FileOutput(std::filesystem::path target) : target_(std::move(target)) {
  // mkostemp makes files only the owner may read; the target gets what any new file would.
  std::string name = target_.string() + ".XXXXXX";
  descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor_ < 0) {
    fail("cannot write");
    return;
  }
  temporary_ = name;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(descriptor_, 0666 & ~mask);
}

FileOutput::~FileOutput() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

bool FileOutput::fail(std::string_view what) {
  if (problem_.empty()) problem_ = std::string(what) + " '" + target_.string() + "': " + std::strerror(errno);
  return false;
}

bool FileOutput::write(std::string_view bytes) {
  while (problem_.empty() && !bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return fail("cannot write");
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
    position_ += static_cast<std::uint64_t>(written);
  }
  return problem_.empty();
}

bool FileOutput::seek(std::uint64_t offset) {
  if (!problem_.empty()) return false;
  if (offset == position_) return true;
  if (::lseek(descriptor_, static_cast<off_t>(offset), SEEK_SET) < 0) return fail("cannot write");
  position_ = offset;
  return true;
}

bool FileOutput::write(const ir::ConstantData& data) {
  // Small ranges cost more in calls than in bytes.
  constexpr std::uint64_t kWorthCopying = std::uint64_t{1} << 16U;
  if (data.file() != nullptr && data.size() >= kWorthCopying) return copy_range(data);
  const auto bytes = data.bytes();
  return write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

bool FileOutput::copy_range(const ir::ConstantData& data) {
  constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 30U;
  auto from = static_cast<off_t>(data.file_offset());
  std::uint64_t left = data.size();
  while (problem_.empty() && left > 0) {
    const ssize_t copied = ::copy_file_range(data.file()->descriptor(), &from, descriptor_, nullptr,
                                             std::min(left, kMostAtOnce), 0);
    if (copied < 0 && errno == EINTR) continue;
    if (copied <= 0) break;
    left -= static_cast<std::uint64_t>(copied);
    position_ += static_cast<std::uint64_t>(copied);
  }
  if (left == 0 || !problem_.empty()) return problem_.empty();
  // Not every pair of file systems can copy in the kernel.
  std::vector<char> buffer(std::size_t{1} << 20U);
  while (left > 0) {
    const ssize_t got =
        ::pread(data.file()->descriptor(), buffer.data(), std::min<std::uint64_t>(left, buffer.size()), from);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail("cannot read the weights for");
    if (got == 0) {
      errno = ENODATA;
      return fail("the file with the weights became shorter while writing");
    }
    if (!write(std::string_view(buffer.data(), static_cast<std::size_t>(got)))) return false;
    from += got;
    left -= static_cast<std::uint64_t>(got);
  }
  return true;
}

bool FileOutput::close() {
  if (!problem_.empty()) return false;
  // A gap at the end is only there once the length says so.
  if (::ftruncate(descriptor_, static_cast<off_t>(position_)) < 0) return fail("cannot write");
  const int result = ::close(descriptor_);
  descriptor_ = -1;
  return result == 0 || fail("cannot write");
}

bool FileOutput::rename() {
  if (!problem_.empty()) return false;
  if (::rename(temporary_.c_str(), target_.c_str()) < 0) return fail("cannot write");
  temporary_.clear();
  return true;
}

}  // namespace onnx2ir::backend_xml
