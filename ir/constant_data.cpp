#include "ir/constant_data.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace onnx2ir::ir {

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);  // NOLINT: munmap's signature
  if (descriptor_ >= 0) ::close(descriptor_);
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

}  // namespace onnx2ir::ir
