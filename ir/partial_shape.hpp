// Shapes whose rank and dimensions may be dynamic.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/small_vector.hpp"
#include "ir/checked_list.hpp"

namespace onnx2ir::ir {

struct SizeExpression;

/// A dimension: an interval of non-negative sizes, and the expression of a dynamic size, if it is known.
/// `max == kUnbounded` means no upper bound. Equality compares the intervals; see is_identical().
struct Dimension {
  static constexpr std::int64_t kUnbounded = -1;

  std::int64_t min = 0;
  std::int64_t max = kUnbounded;

  constexpr Dimension() = default;
  /// A static size, or a dynamic dimension if `size` is negative, as in the ports of the IR.
  constexpr Dimension(std::int64_t size)  // NOLINT(google-explicit-constructor): shapes are lists of sizes
      : min(size < 0 ? 0 : size), max(size < 0 ? kUnbounded : size) {}
  constexpr Dimension(std::int64_t minimum, std::int64_t maximum) : min(minimum), max(maximum) {}

  constexpr bool is_static() const { return min == max; }
  constexpr bool is_dynamic() const { return !is_static(); }
  /// The size; -1 if it is dynamic.
  constexpr std::int64_t size() const { return is_static() ? min : -1; }
  /// Whether `size` lies in the interval.
  constexpr bool admits(std::int64_t size) const { return size >= min && (max == kUnbounded || size <= max); }

  friend constexpr bool operator==(const Dimension& a, const Dimension& b) {
    return a.min == b.min && a.max == b.max;
  }

  /// The expression of the size (ir/size_expression.hpp); null if it is not known, and for static sizes.
  const SizeExpression* expression() const {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return reinterpret_cast<const SizeExpression*>(pointer_and_flag_ & ~std::uintptr_t{1});
  }
  /// Whether the expression is a symbol that was made for this dimension of this value.
  bool has_own_symbol() const { return (pointer_and_flag_ & 1U) != 0; }
  void set_expression(const SizeExpression* size, bool is_own_symbol = false) {
    pointer_and_flag_ = reinterpret_cast<std::uintptr_t>(size) | (is_own_symbol ? 1U : 0U);
  }
  /// The same interval with another expression.
  Dimension with_expression(const SizeExpression* size) const {
    Dimension result = *this;
    result.set_expression(size);
    return result;
  }

 private:
  /// One word instead of two: large models have millions of dimensions.
  std::uintptr_t pointer_and_flag_ = 0;
};

/// Whether interval and expression are the same.
inline bool is_identical(const Dimension& a, const Dimension& b) {
  return a == b && a.expression() == b.expression();
}

/// The interval of `function` of a size; `function` does not decrease.
template <typename Function>
Dimension mapped(Dimension size, Function function) {
  return {function(size.min), size.max == Dimension::kUnbounded ? Dimension::kUnbounded : function(size.max)};
}
/// The smallest interval that contains both.
Dimension join(Dimension a, Dimension b);
/// The sizes that both admit; no value if they have none in common.
std::optional<Dimension> intersect(Dimension a, Dimension b);
/// Arithmetic on intervals, which saturates instead of overflowing, and on expressions.
Dimension add(Dimension a, Dimension b);
Dimension multiply(Dimension a, Dimension b);

using Dimensions = base::SmallVector<Dimension, 4>;

/// The runtime supports about ten axes. The limit prevents a model from filling the memory with axes.
inline constexpr std::size_t kMaxAxes = 256;
/// Throws Failure (invalid_node) if a tensor has more axes than that.
void check_rank(std::size_t rank);
/// Throws Failure (cannot_convert) with this message, and the hint how to give ranks: the model may be right.
[[noreturn]] void fail_unknown_rank(const std::string& message);

/// A shape of static or dynamic rank. Default-constructed: dynamic rank. Constructed from sizes: static rank;
/// a scalar is `PartialShape::scalar()`.
class PartialShape {
 public:
  PartialShape() = default;
  PartialShape(std::initializer_list<Dimension> dimensions) : dimensions_(dimensions), known_rank_(true) {}
  explicit PartialShape(Dimensions dimensions) : dimensions_(std::move(dimensions)), known_rank_(true) {}
  /// From sizes; -1 is a dynamic dimension.
  explicit PartialShape(std::span<const std::int64_t> sizes)
      : dimensions_(sizes.begin(), sizes.end()), known_rank_(true) {}

  static PartialShape scalar() { return PartialShape(Dimensions{}); }
  static PartialShape unknown_rank() { return {}; }
  /// `rank` dynamic dimensions. Throws Failure (invalid_node) if there are more than a tensor can have.
  static PartialShape of_rank(std::size_t rank);

  bool has_rank() const { return known_rank_; }
  /// The rank. Requires has_rank().
  std::size_t rank() const { return dimensions_.size(); }
  bool is_static() const;
  /// Whether the rank is known to be `rank`.
  bool has_rank(std::size_t rank) const { return known_rank_ && dimensions_.size() == rank; }
  /// Whether the rank is `rank` or not known.
  bool admits_rank(std::size_t rank) const { return !known_rank_ || dimensions_.size() == rank; }
  bool is_scalar() const { return known_rank_ && dimensions_.empty(); }

  /// Throws Failure (invalid_node) if there is no such axis.
  const Dimension& operator[](std::size_t axis) const { return dimensions_[checked(axis)]; }
  Dimension& operator[](std::size_t axis) { return dimensions_[checked(axis)]; }
  std::span<const Dimension> dimensions() const { return dimensions_; }
  Dimensions& mutable_dimensions() { return dimensions_; }
  auto begin() const { return dimensions_.begin(); }
  auto end() const { return dimensions_.end(); }

  /// The same intervals without expressions.
  PartialShape without_expressions() const;
  /// The same rank with dynamic dimensions.
  PartialShape without_sizes() const;
  /// Whether `dimension` is one of the dimensions.
  bool has(const Dimension& dimension) const;
  /// The sizes, with `dynamic` in place of each dynamic one.
  std::vector<std::int64_t> sizes_or(std::int64_t dynamic) const;
  /// The sizes if all are static.
  std::optional<Integers> sizes() const;
  /// The number of elements if all sizes are static; saturates at the largest int64.
  std::optional<std::int64_t> element_count() const;

  friend bool operator==(const PartialShape&, const PartialShape&) = default;

 private:
  std::size_t checked(std::size_t axis) const {
    if (axis >= dimensions_.size()) fail_missing_axis(axis);
    return axis;
  }
  [[noreturn]] void fail_missing_axis(std::size_t axis) const;

  Dimensions dimensions_;
  bool known_rank_ = false;
};

/// Whether all dimensions have the same intervals and expressions.
bool is_identical(const PartialShape& a, const PartialShape& b);
/// The smallest shape that contains both: an interval for different sizes, a dynamic rank for other ranks.
PartialShape join(const PartialShape& a, const PartialShape& b);
/// As join, but different dimensions become dynamic without bounds: joins reach their fixpoint in one step.
PartialShape widen(const PartialShape& a, const PartialShape& b);
/// The shapes that both admit; no value if they have none in common.
std::optional<PartialShape> intersect(const PartialShape& a, const PartialShape& b);
/// Multidirectional (numpy) broadcast; no value if the shapes cannot be broadcast together.
std::optional<PartialShape> broadcast(const PartialShape& a, const PartialShape& b);

/// "[1,?,3..7]", or "?" for a dynamic rank: for messages and the text printer.
std::string to_string(const Dimension& dimension);
std::string to_string(const PartialShape& shape);

}  // namespace onnx2ir::ir
