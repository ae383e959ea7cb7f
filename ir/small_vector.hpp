// A vector that keeps its first elements in itself: most nodes have two inputs, one output and one user.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>

namespace onnx2ir::ir {

/// Like std::vector<T>, with room for `kInside` elements before it allocates. At most 2^32 elements. Moving
/// it moves the elements that lie inside. T moves without exceptions.
template <typename T, std::size_t kInside>
class SmallVector {
 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  SmallVector() = default;
  explicit SmallVector(std::size_t count) {
    reserve(count);
    std::uninitialized_value_construct_n(data(), count);
    size_ = static_cast<std::uint32_t>(count);
  }
  template <std::input_iterator Iterator>
  SmallVector(Iterator first, Iterator last) {
    assign(first, last);
  }
  SmallVector(std::initializer_list<T> elements) : SmallVector(elements.begin(), elements.end()) {}
  SmallVector(const SmallVector& other) : SmallVector(other.begin(), other.end()) {}
  SmallVector(SmallVector&& other) noexcept { take(other); }
  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) *this = SmallVector(other);
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this == &other) return *this;
    clear();
    free_outside();
    take(other);
    return *this;
  }
  ~SmallVector() {
    clear();
    free_outside();
  }

  template <typename Iterator>
  void assign(Iterator first, Iterator last) {
    clear();
    reserve(static_cast<std::size_t>(std::distance(first, last)));
    for (; first != last; ++first) emplace_back(*first);
  }

  T* data() { return outside_ != nullptr ? outside_ : inside(); }
  const T* data() const { return outside_ != nullptr ? outside_ : inside(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  iterator begin() { return data(); }
  iterator end() { return data() + size_; }
  const_iterator begin() const { return data(); }
  const_iterator end() const { return data() + size_; }
  auto rbegin() { return std::make_reverse_iterator(end()); }
  auto rend() { return std::make_reverse_iterator(begin()); }
  auto rbegin() const { return std::make_reverse_iterator(end()); }
  auto rend() const { return std::make_reverse_iterator(begin()); }
  T& operator[](std::size_t index) { return data()[index]; }
  const T& operator[](std::size_t index) const { return data()[index]; }
  T& front() { return data()[0]; }
  const T& front() const { return data()[0]; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }

  void reserve(std::size_t count) {
    if (count > capacity_) move_to(count);
  }
  template <typename... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    if (size_ == capacity_) {
      // Made first: the arguments may refer to an element that is about to move.
      T element(std::forward<Arguments>(arguments)...);
      move_to(std::size_t{capacity_} * 2);
      return *std::construct_at(data() + size_++, std::move(element));
    }
    return *std::construct_at(data() + size_++, std::forward<Arguments>(arguments)...);
  }
  void push_back(T element) { emplace_back(std::move(element)); }
  void pop_back() { std::destroy_at(data() + --size_); }
  iterator insert(const_iterator position, T element) {
    const auto index = position - begin();
    emplace_back(std::move(element));
    std::rotate(begin() + index, end() - 1, end());
    return begin() + index;
  }
  iterator erase(const_iterator position) {
    T* const hole = begin() + (position - begin());
    std::move(hole + 1, end(), hole);
    pop_back();
    return hole;
  }
  void resize(std::size_t count) {
    while (size_ > count) pop_back();
    reserve(count);
    while (size_ < count) emplace_back();
  }
  void clear() {
    std::destroy_n(data(), size_);
    size_ = 0;
  }

  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  T* inside() { return reinterpret_cast<T*>(inside_); }
  const T* inside() const { return reinterpret_cast<const T*>(inside_); }

  void move_to(std::size_t capacity) {
    T* const target = std::allocator<T>().allocate(capacity);
    std::uninitialized_move_n(data(), size_, target);
    std::destroy_n(data(), size_);
    free_outside();
    outside_ = target;
    capacity_ = static_cast<std::uint32_t>(capacity);
  }
  void free_outside() {
    if (outside_ == nullptr) return;
    std::allocator<T>().deallocate(outside_, capacity_);
    outside_ = nullptr;
    capacity_ = kInside;
  }
  /// The elements of `other`, which is left empty. This one is empty and has nothing outside.
  void take(SmallVector& other) noexcept {
    if (other.outside_ != nullptr) {
      outside_ = std::exchange(other.outside_, nullptr);
      capacity_ = std::exchange(other.capacity_, static_cast<std::uint32_t>(kInside));
      size_ = std::exchange(other.size_, 0);
      return;
    }
    std::uninitialized_move_n(other.inside(), other.size_, inside());
    size_ = other.size_;
    other.clear();
  }

  T* outside_ = nullptr;  ///< null: the elements lie in inside_
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = kInside;
  alignas(T) std::byte inside_[kInside * sizeof(T)];
};

}  // namespace onnx2ir::ir
