// The bytes of a constant: a view on them wherever they lie, never a copy without need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "ir/input_file.hpp"

namespace onnx2ir::ir {

/// The bytes of a constant in memory, for as long as this object lives.
class ConstantBytes {
 public:
  ConstantBytes(std::shared_ptr<const void> owner, std::span<const std::byte> bytes)
      : owner_(std::move(owner)), bytes_(bytes) {}

  const std::byte* data() const { return bytes_.data(); }
  std::size_t size() const { return bytes_.size(); }
  auto begin() const { return bytes_.begin(); }
  auto end() const { return bytes_.end(); }

 private:
  std::shared_ptr<const void> owner_;
  std::span<const std::byte> bytes_;
};

/// What becomes of the elements of a constant when they are written.
enum class Narrowing : std::uint8_t { none, f32_to_f16, f64_to_f16 };

/// Elements of a constant, tightly packed, little-endian, in C order. Cheap to copy: it shares what it views.
class ConstantData {
 public:
  ConstantData() = default;
  /// Owned bytes.
  explicit ConstantData(std::vector<std::byte> bytes);
  /// A view on memory that `owner` keeps alive.
  ConstantData(std::shared_ptr<const void> owner, std::span<const std::byte> bytes)
      : owner_(std::move(owner)), memory_(bytes.data()), size_(bytes.size()) {}
  /// The range [offset, offset + size) of a file; the caller has checked that it lies inside. Small ranges
  /// are read at once, larger ones when they are needed. Throws InputError.
  ConstantData(std::shared_ptr<const InputFile> file, std::uint64_t offset, std::uint64_t size);

  /// The bytes; those of a file are read for each call. Use it for values, not to move weights. Throws
  /// InputError.
  ConstantBytes bytes() const;
  std::uint64_t size() const { return size_; }
  /// Copies the bytes from `offset` on, as many as `target` holds. Throws InputError.
  void copy(std::uint64_t offset, std::span<std::byte> target) const;

  /// A view on the bytes [offset, offset + size), which lie inside.
  ConstantData part(std::uint64_t offset, std::uint64_t size) const {
    ConstantData result = *this;
    if (memory_ != nullptr) result.memory_ += offset;
    if (file_ != nullptr) result.file_offset_ += offset;
    result.size_ = size;
    return result;
  }
  /// The same elements, to be written in half precision. bytes() and size() remain what they are.
  ConstantData narrowed(Narrowing narrowing) const {
    ConstantData result = *this;
    result.narrowing_ = narrowing;
    return result;
  }
  Narrowing narrowing() const { return narrowing_; }
  /// How many bytes are written.
  std::uint64_t written_size() const {
    return narrowing_ == Narrowing::none ? size() : size() / (narrowing_ == Narrowing::f32_to_f16 ? 2 : 4);
  }

  /// The file that holds the bytes and the offset in it; null when they are in memory.
  const InputFile* file() const { return file_; }
  std::uint64_t file_offset() const { return file_offset_; }
  /// Where the bytes are: equal for views on the same ones.
  std::pair<const void*, std::uint64_t> place() const {
    if (file_ != nullptr) return {file_, file_offset_};
    return {memory_, 0};
  }

 private:
  std::shared_ptr<const void> owner_;
  const std::byte* memory_ = nullptr;  ///< null when the bytes are in a file
  std::uint64_t size_ = 0;
  const InputFile* file_ = nullptr;
  std::uint64_t file_offset_ = 0;
  Narrowing narrowing_ = Narrowing::none;
};

}  // namespace onnx2ir::ir
