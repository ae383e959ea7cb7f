#include "ir/constant_data.hpp"

#include <algorithm>
#include <cstring>

#include "base/memory_budget.hpp"

namespace onnx2ir::ir {
namespace {

struct OwnedBytes {
  explicit OwnedBytes(std::vector<std::byte> owned) : charge(owned.size()), bytes(std::move(owned)) {}
  base::MemoryCharge charge;
  std::vector<std::byte> bytes;
};

}  // namespace

ConstantData::ConstantData(std::vector<std::byte> bytes) : size_(bytes.size()), is_owned_(true) {
  auto owned = std::make_shared<const OwnedBytes>(std::move(bytes));
  memory_ = owned->bytes.data();
  owner_ = std::move(owned);
}

ConstantData::ConstantData(std::shared_ptr<const base::InputFile> file, std::uint64_t offset,
                           std::uint64_t size)
    : size_(size) {
  if (size > kSmall) {
    file_ = file.get();
    file_offset_ = offset;
    owner_ = std::move(file);
    return;
  }
  auto owned = std::make_shared<std::vector<std::byte>>(size);
  file->read(offset, *owned);
  memory_ = owned->data();
  owner_ = std::move(owned);
}

ConstantData ConstantData::part(std::uint64_t offset, std::uint64_t size) const {
  ConstantData result = *this;
  if (file_ != nullptr) {
    const std::shared_ptr<const base::InputFile> file(owner_, file_);
    result = ConstantData(file, file_offset_ + offset, size);
    result.narrowing_ = narrowing_;
    return result;
  }
  result.memory_ += offset;
  result.size_ = size;
  return result;
}

ConstantBytes ConstantData::bytes() const {
  if (file_ == nullptr) return {owner_, std::span(memory_, size_)};
  auto read = std::make_shared<std::vector<std::byte>>(size_);
  file_->read(file_offset_, *read);
  const std::span<const std::byte> bytes = *read;
  return {std::move(read), bytes};
}

void ConstantData::copy(std::uint64_t offset, std::span<std::byte> target) const {
  if (file_ != nullptr) {
    file_->read(file_offset_ + offset, target);
  } else if (!target.empty()) {
    std::memcpy(target.data(), std::span(memory_, size_).subspan(offset, target.size()).data(),
                target.size());
  }
}

}  // namespace onnx2ir::ir
