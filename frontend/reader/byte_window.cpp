#include "frontend/reader/byte_window.hpp"

#include <algorithm>

namespace onnx2ir::frontend {

void ByteWindow::append_to(std::string& target, std::uint64_t begin, std::uint64_t end) const {
  const std::uint64_t size = end - begin;
  if (begin >= begin_ && end - begin_ <= window_.size()) {
    const auto kept = window_.subspan(begin - begin_, size);
    target.append(reinterpret_cast<const char*>(kept.data()), kept.size());
    return;
  }
  const std::size_t old_size = target.size();
  target.resize(old_size + size);
  file_->read(begin, std::as_writable_bytes(std::span(target)).subspan(old_size));
}

void ByteWindow::load(std::uint64_t offset) {
  // After a jump over weights, only the few bytes between two tensors may be needed.
  constexpr std::uint64_t kMin = 4096;
  constexpr std::uint64_t kMax = std::uint64_t{1} << 18U;
  const bool is_next = offset == begin_ + window_.size();
  const std::uint64_t requested =
      is_next ? std::clamp<std::uint64_t>(2 * window_.size(), 4 * kMin, kMax) : kMin;
  const std::uint64_t size = std::min(requested, size_ - offset);
  if (buffer_.size() < size) buffer_.resize(size);
  window_ = {};
  file_->read(offset, std::span(buffer_).first(size));
  begin_ = offset;
  window_ = std::span(buffer_).first(size);
}

}  // namespace onnx2ir::frontend
