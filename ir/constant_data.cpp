#include "ir/constant_data.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace onnx2ir::ir {

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);  // NOLINT: munmap's signature
  if (descriptor_ >= 0) ::close(descriptor_);
}

void MappedFile::release_pages() const {
  if (data_ != nullptr) ::madvise(const_cast<std::byte*>(data_), size_, MADV_DONTNEED);  // NOLINT: as above
}

ConstantData::ConstantData(std::vector<std::byte> bytes) {
  auto owned = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  bytes_ = *owned;
  owner_ = std::move(owned);
}

ConstantData::ConstantData(std::shared_ptr<const MappedFile> file, std::uint64_t offset, std::uint64_t size)
    : bytes_(file->bytes().subspan(offset, size)), file_(file.get()), file_offset_(offset) {
  owner_ = std::move(file);
}

bool ConstantData::copy(std::uint64_t offset, std::span<std::byte> target) const {
  if (file_ == nullptr) {
    std::ranges::copy(bytes_.subspan(offset, target.size()), target.begin());
    return true;
  }
  while (!target.empty()) {
    const ssize_t got =
        ::pread(file_->descriptor(), target.data(), target.size(), static_cast<off_t>(file_offset_ + offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) {
      errno = ENODATA;
      return false;
    }
    target = target.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return true;
}

void MappedReads::add(const ConstantData& data) {
  // Pages around the one that is read come with it.
  constexpr std::uint64_t kPagesOfOneRead = std::uint64_t{1} << 16U;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 24U;
  if (data.file() == nullptr) return;
  bytes_ += data.size() + kPagesOfOneRead;
  if (bytes_ < kMost) return;
  data.file()->release_pages();
  bytes_ = 0;
}

}  // namespace onnx2ir::ir
