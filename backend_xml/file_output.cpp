#include "backend_xml/file_output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "backend_xml/data_hash.hpp"

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
  constexpr std::size_t kBuffer = std::size_t{1} << 18U;
  if (!problem_.empty()) return false;
  position_ += bytes.size();
  if (buffer_.size() + bytes.size() > kBuffer) {
    if (!flush()) return false;
    if (bytes.size() >= kBuffer) return write_through(bytes);
  }
  buffer_ += bytes;
  return true;
}

bool FileOutput::flush() {
  const bool done = write_through(buffer_);
  buffer_.clear();
  return done;
}

bool FileOutput::write_through(std::string_view bytes) {
  while (problem_.empty() && !bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return fail("cannot write");
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return problem_.empty();
}

bool FileOutput::seek(std::uint64_t offset) {
  constexpr std::uint64_t kWorthWriting = 4096;
  if (!problem_.empty()) return false;
  const std::uint64_t gap = offset - position_;
  if (gap < kWorthWriting) return write(std::string(gap, '\0'));
  if (!flush()) return false;
  if (::lseek(descriptor_, static_cast<off_t>(offset), SEEK_SET) < 0) return fail("cannot write");
  position_ = offset;
  return true;
}

bool FileOutput::write(const ir::ConstantData& data) {
  // Small ranges cost more in calls than in bytes.
  if (data.file() != nullptr && data.size() > kSmallConstant) return copy_range(data);
  const auto bytes = data.bytes();
  const bool done = write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  mapped_.add(data);
  return done;
}

bool FileOutput::copy_range(const ir::ConstantData& data) {
  constexpr std::uint64_t kMostAtOnce = std::uint64_t{1} << 30U;
  if (!flush()) return false;
  auto from = static_cast<off_t>(data.file_offset());
  std::uint64_t left = data.size();
  while (left > 0) {
    const ssize_t copied = ::copy_file_range(data.file()->descriptor(), &from, descriptor_, nullptr,
                                             std::min(left, kMostAtOnce), 0);
    if (copied < 0 && errno == EINTR) continue;
    if (copied <= 0) break;
    left -= static_cast<std::uint64_t>(copied);
    position_ += static_cast<std::uint64_t>(copied);
  }
  if (left == 0) return true;
  // Not every pair of file systems can copy in the kernel.
  std::vector<std::byte> buffer(std::size_t{1} << 20U);
  while (left > 0) {
    const auto piece = std::span(buffer).first(std::min<std::uint64_t>(left, buffer.size()));
    if (!data.copy(data.size() - left, piece)) return fail("cannot read the weights for");
    if (!write({reinterpret_cast<const char*>(piece.data()), piece.size()})) return false;
    left -= piece.size();
  }
  return true;
}

bool FileOutput::close() {
  if (!problem_.empty() || !flush()) return false;
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
