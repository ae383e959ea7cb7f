// The bytes of a constant: a view on memory or on a file, copied only if necessary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/input_file.hpp"

namespace onnx2ir::ir {

/// The bytes of a constant in memory, for as long as this object lives.
class ConstantBytes {
 public:
  ConstantBytes(std::shared_ptr<const void> owner, std::span<const std::byte> bytes)
      : owner_(std::move(owner)), bytes_(bytes) {}

  /// For arguments of calls. The class is no range with begin() and end(), because a span could then be
  /// initialized with an object that ends before the span. Here Clang rejects that.
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator std::span<const std::byte>() const [[clang::lifetimebound]] { return bytes_; }
  std::span<const std::byte> span() const [[clang::lifetimebound]] { return bytes_; }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::shared_ptr<const void> owner_;
  std::span<const std::byte> bytes_;
};

/// The conversion of the elements of a constant when it is written.
enum class Narrowing : std::uint8_t { none, f32_to_f16, f64_to_f16 };

/// Elements of a constant, tightly packed, little-endian, in C order. Copies share the bytes.
class ConstantData {
 public:
  /// Shapes, axes and scales have no more bytes. They are read often.
  static constexpr std::uint64_t kSmall = 4096;

  ConstantData() = default;
  /// Owned bytes.
  explicit ConstantData(std::vector<std::byte> bytes);
  /// A view on memory that `owner` keeps alive.
  ConstantData(std::shared_ptr<const void> owner, std::span<const std::byte> bytes)
      : owner_(std::move(owner)), memory_(bytes.data()), size_(bytes.size()) {}
  /// The range [offset, offset + size) of a file; the caller has checked that it is inside the file. Ranges
  /// of up to kSmall bytes are read at once, larger ones on demand. Throws Failure (unreadable_input).
  ConstantData(std::shared_ptr<const base::InputFile> file, std::uint64_t offset, std::uint64_t size);

  /// The bytes. Bytes in a file are read on each call, so do not use this to move weights. Throws Failure
  /// (unreadable_input).
  ConstantBytes bytes() const;
  /// The bytes if they are in memory, as small ones are; empty if they are in a file. Faster than bytes().
  std::span<const std::byte> bytes_in_memory() const [[clang::lifetimebound]] {
    return memory_ == nullptr ? std::span<const std::byte>() : std::span(memory_, size_);
  }
  std::uint64_t size() const { return size_; }
  /// Copies bytes from `offset` on until `target` is full. Throws Failure (unreadable_input).
  void copy(std::uint64_t offset, std::span<std::byte> target) const;

  /// A view on the bytes [offset, offset + size), which must exist. Small parts of a file are read at once.
  /// Throws Failure (unreadable_input).
  ConstantData part(std::uint64_t offset, std::uint64_t size) const;
  /// The same elements, to be written in half precision. bytes() and size() do not change.
  ConstantData narrowed(Narrowing narrowing) const {
    ConstantData result = *this;
    result.narrowing_ = narrowing;
    return result;
  }
  Narrowing narrowing() const { return narrowing_; }
  /// The number of bytes in the weights file.
  std::uint64_t written_size() const {
    return narrowing_ == Narrowing::none ? size() : size() / (narrowing_ == Narrowing::f32_to_f16 ? 2 : 4);
  }

  /// The bytes that were passed to the constructor for owned bytes; empty for views.
  std::span<const std::byte> owned_bytes() const {
    return is_owned_ ? std::span(memory_, size_) : std::span<const std::byte>();
  }
  const std::shared_ptr<const void>& owner() const { return owner_; }
  /// The same data over equal `bytes`, which `owner` keeps alive.
  ConstantData with_bytes_of(std::shared_ptr<const void> owner, std::span<const std::byte> bytes) const {
    ConstantData result = *this;
    result.owner_ = std::move(owner);
    result.memory_ = bytes.data();
    return result;
  }

  /// The file that holds the bytes, and the offset in it; null if they are in memory.
  const base::InputFile* file() const { return file_; }
  std::uint64_t file_offset() const { return file_offset_; }
  /// The location of the bytes: equal for views on the same bytes.
  std::pair<const void*, std::uint64_t> place() const {
    if (file_ != nullptr) return {file_, file_offset_};
    return {memory_, 0};
  }

 private:
  std::shared_ptr<const void> owner_;
  const std::byte* memory_ = nullptr;  ///< null if the bytes are in a file
  std::uint64_t size_ = 0;
  const base::InputFile* file_ = nullptr;
  std::uint64_t file_offset_ = 0;
  Narrowing narrowing_ = Narrowing::none;
  bool is_owned_ = false;
};

/// The constants that a reader of IR finds in a weights file: parts of `whole`. Equal ranges are views on the
/// same bytes (ConstantData::place), also small ones of a file, which are copied to memory.
class SharedParts {
 public:
  explicit SharedParts(ConstantData whole) : whole_(std::move(whole)) {}

  /// The number of bytes of the whole.
  std::uint64_t size() const { return whole_.size(); }
  /// The bytes [offset, offset + size), which must exist. Throws Failure (unreadable_input).
  const ConstantData& part(std::uint64_t offset, std::uint64_t size) {
    const auto [found, is_new] = parts_.try_emplace({offset, size});
    if (is_new) found->second = whole_.part(offset, size);
    return found->second;
  }

 private:
  ConstantData whole_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, ConstantData> parts_;
};

}  // namespace onnx2ir::ir
