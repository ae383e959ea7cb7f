// A vector with inline storage for its first elements: most nodes have one or two inputs, one output and one
// use, and most shapes have up to four dimensions. This saves millions of allocations, and walks over nodes
// stay in the memory of the nodes.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>

namespace onnx2ir::base {

/// The supported subset behaves like std::vector; at most 2^32 - 1 elements. A move moves up to `kInline`
/// elements.
template <typename T, std::uint32_t kInline>
class SmallVector {
 public:
  using value_type = T;
  using size_type = std::size_t;
  using iterator = T*;
  using const_iterator = const T*;

  SmallVector() {}  // NOLINT(modernize-use-equals-default): the union has no constructor of its own
  explicit SmallVector(std::size_t count) { resize(count); }
  SmallVector(std::initializer_list<T> elements) { append(elements.begin(), elements.end()); }
  template <std::forward_iterator Iterator>
  SmallVector(Iterator first, Iterator last) {
    append(first, last);
  }
  SmallVector(const SmallVector& other) { append(other.begin(), other.end()); }
  SmallVector(SmallVector&& other) noexcept { take(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this == &other) return *this;
    clear();
    append(other.begin(), other.end());
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this == &other) return *this;
    release();
    take(other);
    return *this;
  }
  ~SmallVector() { release(); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return is_inline() ? storage_.elements : storage_.heap; }
  const T* data() const { return is_inline() ? storage_.elements : storage_.heap; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](std::size_t index) { return data()[checked(index)]; }
  const T& operator[](std::size_t index) const { return data()[checked(index)]; }
  T& front() { return (*this)[0]; }
  const T& front() const { return (*this)[0]; }
  T& back() { return (*this)[size() - 1]; }
  const T& back() const { return (*this)[size() - 1]; }

  void reserve(std::size_t capacity) {
    if (capacity > capacity_) reallocate(static_cast<std::uint32_t>(capacity));
  }
  template <typename... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    if (size_ == capacity_) {
      // Constructed before the other elements move, because an argument may refer to one of them.
      T element{std::forward<Arguments>(arguments)...};
      reallocate(capacity_ * 2);
      return *std::construct_at(data() + size_++, std::move(element));
    }
    return *std::construct_at(data() + size_++, std::forward<Arguments>(arguments)...);
  }
  void push_back(const T& element) { emplace_back(element); }
  void push_back(T&& element) { emplace_back(std::move(element)); }
  void pop_back() { std::destroy_at(data() + --size_); }
  /// [first, last) must not be part of this vector.
  template <std::forward_iterator Iterator>
  void append(Iterator first, Iterator last) {
    const auto count = static_cast<std::size_t>(std::distance(first, last));
    if (size_ + count > capacity_)
      reallocate(static_cast<std::uint32_t>(std::max(size_ + count, capacity_ * std::size_t{2})));
    std::uninitialized_copy(first, last, end());
    size_ += static_cast<std::uint32_t>(count);
  }
  void insert(const T* position, T element) {
    const std::ptrdiff_t at = position - begin();
    emplace_back(std::move(element));
    std::rotate(begin() + at, end() - 1, end());
  }
  T* erase(const T* position) {
    T* const at = begin() + (position - begin());
    std::move(at + 1, end(), at);
    pop_back();
    return at;
  }
  template <typename Predicate>
  void erase_if(Predicate is_erased) {
    T* const last = std::remove_if(begin(), end(), is_erased);
    while (end() != last) pop_back();
  }
  void resize(std::size_t count) {
    while (size_ > count) pop_back();
    reserve(count);
    while (size_ < count) emplace_back();
  }
  void clear() {
    std::destroy(begin(), end());
    size_ = 0;
  }

  friend bool operator==(const SmallVector& a, const SmallVector& b) { return std::ranges::equal(a, b); }

 private:
  bool is_inline() const { return capacity_ == kInline; }

  /// Fails in builds without NDEBUG, such as the fuzz targets.
  std::size_t checked(std::size_t index) const {
    assert(index < size_);
    return index;
  }

  /// `capacity` must be greater than the present one.
  void reallocate(std::uint32_t capacity) {
    T* const heap = std::allocator<T>().allocate(capacity);
    std::uninitialized_move(begin(), end(), heap);
    std::destroy(begin(), end());
    free_heap();
    storage_.heap = heap;
    capacity_ = capacity;
  }

  /// Takes over the elements of `other`. This vector must be empty and without heap memory.
  void take(SmallVector& other) noexcept {
    if (other.is_inline()) {
      std::uninitialized_move(other.begin(), other.end(), begin());
      size_ = other.size_;
      other.clear();
      return;
    }
    storage_.heap = other.storage_.heap;
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, kInline);
  }

  void release() {
    clear();
    free_heap();
    capacity_ = kInline;
  }
  void free_heap() {
    if (!is_inline()) std::allocator<T>().deallocate(storage_.heap, capacity_);
  }

  union Storage {
    Storage() {}   // NOLINT(modernize-use-equals-default): no member is constructed
    ~Storage() {}  // NOLINT(modernize-use-equals-default): the vector destroys its elements
    T elements[kInline];
    T* heap;
  };

  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = kInline;  ///< more than kInline: the elements are on the heap
  Storage storage_;
};

}  // namespace onnx2ir::base
