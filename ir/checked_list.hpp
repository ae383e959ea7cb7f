// Lists whose lengths come from a model, so that each access is checked. Values of constants, attributes and
// shapes are returned in these types only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace onnx2ir::ir {

/// Throws InternalError: a list of `size` elements has no element `index`.
[[noreturn]] void fail_missing_element(std::size_t index, std::size_t size);

/// A std::vector that throws base::InternalError on an out-of-range access. The inheritance is private, so
/// that no copy of it loses the checks by accident.
template <typename T>
class CheckedList : private std::vector<T> {
 public:
  using Base = std::vector<T>;
  using Base::Base;
  CheckedList(Base list) : Base(std::move(list)) {}  // NOLINT(google-explicit-constructor): the same list

  using Base::assign;
  using Base::begin;
  using Base::clear;
  using Base::data;
  using Base::emplace_back;
  using Base::empty;
  using Base::end;
  using Base::erase;
  using Base::insert;
  using Base::pop_back;
  using Base::push_back;
  using Base::rbegin;
  using Base::rend;
  using Base::reserve;
  using Base::resize;
  using Base::size;
  using typename Base::const_iterator;
  using typename Base::const_reference;
  using typename Base::difference_type;
  using typename Base::iterator;
  using typename Base::reference;
  using typename Base::size_type;
  using typename Base::value_type;

  /// The elements as a list without checks, for attributes.
  const Base& unchecked() const& { return *this; }
  Base unchecked() && { return std::move(*this); }

  T& operator[](std::size_t index) { return Base::operator[](checked(index)); }
  const T& operator[](std::size_t index) const { return Base::operator[](checked(index)); }
  T& front() { return (*this)[0]; }
  const T& front() const { return (*this)[0]; }
  T& back() { return (*this)[Base::size() - 1]; }
  const T& back() const { return (*this)[Base::size() - 1]; }

  friend bool operator==(const CheckedList& a, const CheckedList& b) {
    return a.unchecked() == b.unchecked();
  }

 private:
  std::size_t checked(std::size_t index) const {
    if (index >= Base::size()) fail_missing_element(index, Base::size());
    return index;
  }
};

/// The same for elements owned by another object.
template <typename T>
class CheckedView {
 public:
  explicit CheckedView(std::span<const T> elements) : elements_(elements) {}

  const T& operator[](std::size_t index) const {
    if (index >= elements_.size()) fail_missing_element(index, elements_.size());
    return elements_[index];
  }
  auto begin() const { return elements_.begin(); }
  auto end() const { return elements_.end(); }
  std::size_t size() const { return elements_.size(); }
  /// A copy of the elements.
  CheckedList<T> list() const { return {elements_.begin(), elements_.end()}; }

 private:
  std::span<const T> elements_;
};

/// Elements of integer or boolean values, sizes, axes.
using Integers = CheckedList<std::int64_t>;
/// Elements of numeric values.
using Numbers = CheckedList<double>;

}  // namespace onnx2ir::ir
