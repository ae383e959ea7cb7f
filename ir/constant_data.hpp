// The bytes of a constant: a view on them wherever they lie, never a copy without need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace onnx2ir::ir {

/// A file mapped read-only. Opened, checked and mapped by the front end; here only its bytes and its
/// descriptor matter: the writer of weights moves ranges of it from file to file.
class MappedFile {
 public:
  /// Takes over the open `descriptor` and the mapping of its `size` bytes at `data` (null when size is 0).
  MappedFile(int descriptor, const std::byte* data, std::uint64_t size) noexcept
      : descriptor_(descriptor), data_(data), size_(size) {}
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  int descriptor() const { return descriptor_; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }
  /// Gives back the memory of what was read through bytes(): whoever reads on gets it from the file again.
  void release_pages() const;

 private:
  int descriptor_;
  const std::byte* data_;
  std::uint64_t size_;
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
      : owner_(std::move(owner)), bytes_(bytes) {}
  /// The range [offset, offset + size) of a mapped file; the caller has checked that it lies inside.
  ConstantData(std::shared_ptr<const MappedFile> file, std::uint64_t offset, std::uint64_t size);

  /// The bytes. Reading those of a file range pulls its pages in; use it for values, not to move weights.
  std::span<const std::byte> bytes() const { return bytes_; }
  std::uint64_t size() const { return bytes_.size(); }
  /// Copies the bytes from `offset` on, as many as `target` holds, without pulling in pages. False when the
  /// file behind them cannot be read or has become shorter.
  [[nodiscard]] bool copy(std::uint64_t offset, std::span<std::byte> target) const;

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

  /// The file behind the bytes and the offset in it; null when they are in memory.
  const MappedFile* file() const { return file_; }
  std::uint64_t file_offset() const { return file_offset_; }

 private:
  std::shared_ptr<const void> owner_;
  std::span<const std::byte> bytes_;
  const MappedFile* file_ = nullptr;
  std::uint64_t file_offset_ = 0;
  Narrowing narrowing_ = Narrowing::none;
};

/// Keeps reading through mappings from filling the memory: is told of each constant that was read through
/// bytes(), and releases the pages of its file now and then.
class MappedReads {
 public:
  void add(const ConstantData& data);

 private:
  std::uint64_t bytes_ = 0;
};

}  // namespace onnx2ir::ir
