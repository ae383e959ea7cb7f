#include "ir/partial_shape.hpp"

#include <algorithm>
#include <limits>

#include "base/joined.hpp"
#include "ir/op_descriptor.hpp"
#include "ir/size_expression.hpp"

namespace onnx2ir::ir {
namespace {

constexpr std::int64_t kMaxSize = std::numeric_limits<std::int64_t>::max();

std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? kMaxSize : result;
}

std::int64_t saturating_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? kMaxSize : result;
}

/// The expression of two sizes, of which at least one is dynamic, and all dynamic ones have expressions.
template <typename Combine>
Dimension with_combined(Dimension result, const Dimension& a, const Dimension& b, Combine combine) {
  if (result.is_static()) return result;
  const Size known = a.expression() != nullptr ? a.expression() : b.expression();
  if (known == nullptr) return result;
  SizeTable& table = *known->table;
  const auto size_of = [&](const Dimension& dimension) {
    return dimension.is_static() ? table.constant(dimension.size()) : dimension.expression();
  };
  result.set_expression(combine(table, size_of(a), size_of(b)));
  return result;
}

/// The expression that both have; null if they differ.
Size common_expression(const Dimension& a, const Dimension& b) {
  return a.expression() == b.expression() ? a.expression() : nullptr;
}

/// `combine` of the dimensions of each axis; a dynamic rank if the ranks are not the same.
template <typename Combine>
PartialShape combined(const PartialShape& a, const PartialShape& b, Combine combine) {
  if (!a.has_rank() || !b.has_rank() || a.rank() != b.rank()) return PartialShape::unknown_rank();
  PartialShape result = a;
  for (std::size_t i = 0; i < a.rank(); ++i) result[i] = combine(a[i], b[i]);
  return result;
}

}  // namespace

Dimension join(Dimension a, Dimension b) {
  const bool unbounded = a.max == Dimension::kUnbounded || b.max == Dimension::kUnbounded;
  const Dimension result{std::min(a.min, b.min), unbounded ? Dimension::kUnbounded : std::max(a.max, b.max)};
  return result.with_expression(common_expression(a, b));
}

std::optional<Dimension> intersect(Dimension a, Dimension b) {
  Dimension result{std::max(a.min, b.min), a.max};
  if (b.max != Dimension::kUnbounded) {
    result.max = a.max == Dimension::kUnbounded ? b.max : std::min(a.max, b.max);
  }
  if (result.max != Dimension::kUnbounded && result.max < result.min) return std::nullopt;
  if (result.is_dynamic()) result.set_expression(a.expression() != nullptr ? a.expression() : b.expression());
  return result;
}

Dimension add(Dimension a, Dimension b) {
  const bool unbounded = a.max == Dimension::kUnbounded || b.max == Dimension::kUnbounded;
  const Dimension sum{saturating_add(a.min, b.min),
                      unbounded ? Dimension::kUnbounded : saturating_add(a.max, b.max)};
  return with_combined(sum, a, b, [](SizeTable& table, Size x, Size y) { return table.sum(x, y); });
}

Dimension multiply(Dimension a, Dimension b) {
  if (a == Dimension(0) || b == Dimension(0)) return 0;
  const bool unbounded = a.max == Dimension::kUnbounded || b.max == Dimension::kUnbounded;
  const Dimension product{saturating_multiply(a.min, b.min),
                          unbounded ? Dimension::kUnbounded : saturating_multiply(a.max, b.max)};
  return with_combined(product, a, b, [](SizeTable& table, Size x, Size y) { return table.product(x, y); });
}

void check_rank(std::size_t rank) {
  if (rank <= kMaxAxes) return;
  throw base::Failure(DiagnosticCode::invalid_node, "a tensor has " + std::to_string(rank) +
                                                        " axes; more than " + std::to_string(kMaxAxes) +
                                                        " are not supported");
}

void fail_unknown_rank(const std::string& message) {
  throw base::Failure(
      DiagnosticCode::cannot_convert, message,
      "give the inputs of the model shapes of static rank, for example with --input \"x[?,3]\"");
}

void PartialShape::fail_missing_axis(std::size_t axis) const {
  if (!known_rank_) fail_unknown_rank("the rank of one of its inputs or results is not known");
  throw base::Failure(DiagnosticCode::invalid_node,
                      "axis " + std::to_string(axis) + " of shape " + to_string(*this) + " is needed");
}

PartialShape PartialShape::of_rank(std::size_t rank) {
  check_rank(rank);
  return PartialShape(Dimensions(rank));
}

bool PartialShape::is_static() const {
  return known_rank_ && std::ranges::all_of(dimensions_, &Dimension::is_static);
}

PartialShape PartialShape::without_expressions() const {
  PartialShape result = *this;
  for (Dimension& dimension : result.dimensions_) dimension.set_expression(nullptr);
  return result;
}

PartialShape PartialShape::without_sizes() const {
  return known_rank_ ? of_rank(rank()) : unknown_rank();
}

bool PartialShape::has(const Dimension& dimension) const {
  return std::ranges::find(dimensions_, dimension) != dimensions_.end();
}

std::vector<std::int64_t> PartialShape::sizes_or(std::int64_t dynamic) const {
  std::vector<std::int64_t> sizes;
  for (const Dimension& size : dimensions_) sizes.push_back(size.is_static() ? size.size() : dynamic);
  return sizes;
}

std::optional<Integers> PartialShape::sizes() const {
  if (!is_static()) return std::nullopt;
  Integers result;
  result.reserve(dimensions_.size());
  for (const Dimension& dimension : dimensions_) result.push_back(dimension.min);
  return result;
}

std::optional<std::int64_t> PartialShape::element_count() const {
  if (!known_rank_) return std::nullopt;
  std::int64_t count = 1;
  bool has_zero = false;  // apart from the product, which stays at its limit
  for (const Dimension& dimension : dimensions_) {
    if (!dimension.is_static()) return std::nullopt;
    has_zero = has_zero || dimension.min == 0;
    count = saturating_multiply(count, dimension.min);
  }
  return has_zero ? 0 : count;
}

bool is_identical(const PartialShape& a, const PartialShape& b) {
  return a == b &&
         std::ranges::equal(a, b, [](const Dimension& x, const Dimension& y) { return is_identical(x, y); });
}

PartialShape join(const PartialShape& a, const PartialShape& b) {
  return combined(a, b, [](const Dimension& x, const Dimension& y) { return join(x, y); });
}

PartialShape widen(const PartialShape& a, const PartialShape& b) {
  return combined(a, b, [](const Dimension& x, const Dimension& y) {
    return x == y ? x.with_expression(common_expression(x, y)) : Dimension();
  });
}

std::optional<PartialShape> intersect(const PartialShape& a, const PartialShape& b) {
  if (!a.has_rank()) return b;
  if (!b.has_rank()) return a;
  if (a.rank() != b.rank()) return std::nullopt;
  PartialShape result = a;
  for (std::size_t i = 0; i < a.rank(); ++i) {
    const std::optional<Dimension> both = intersect(a[i], b[i]);
    if (!both) return std::nullopt;
    result[i] = *both;
  }
  return result;
}

std::optional<PartialShape> broadcast(const PartialShape& a, const PartialShape& b) {
  if (!a.has_rank() || !b.has_rank()) return PartialShape::unknown_rank();
  const PartialShape& longer = a.rank() >= b.rank() ? a : b;
  const PartialShape& shorter = a.rank() >= b.rank() ? b : a;
  PartialShape result = longer;
  const std::size_t offset = longer.rank() - shorter.rank();
  for (std::size_t i = 0; i < shorter.rank(); ++i) {
    const Dimension x = longer[offset + i];
    const Dimension y = shorter[i];
    Dimension& out = result[offset + i];
    if (x == Dimension(1)) {
      out = y;
    } else if (y == Dimension(1)) {
      out = x;
    } else if (x.min > 1 && y.min > 1) {
      const std::optional<Dimension> both = intersect(x, y);
      if (!both) return std::nullopt;
      out = *both;
    } else if (x.is_static()) {
      // The other size is 1 or equals x (also if x is 0), so the result is x.
      if (!y.admits(1) && !y.admits(x.min)) return std::nullopt;
      out = x;
    } else if (y.is_static()) {
      if (!x.admits(1) && !x.admits(y.min)) return std::nullopt;
      out = y;
    } else if (x.min > 1) {
      out = x;
    } else if (y.min > 1) {
      out = y;
    } else {
      const auto combine = [](SizeTable& table, Size of_x, Size of_y) { return table.broadcast(of_x, of_y); };
      out = with_combined(join(x, y), x, y, combine);
    }
  }
  return result;
}

std::string to_string(const Dimension& dimension) {
  if (dimension.is_static()) return std::to_string(dimension.min);
  if (dimension.min == 0 && dimension.max == Dimension::kUnbounded) return "?";
  std::string text = std::to_string(dimension.min) + "..";
  if (dimension.max != Dimension::kUnbounded) text += std::to_string(dimension.max);
  return text;
}

std::string to_string(const PartialShape& shape) {
  if (!shape.has_rank()) return "?";
  return '[' + base::joined(shape, ",", [](const Dimension& dimension) { return to_string(dimension); }) +
         ']';
}

}  // namespace onnx2ir::ir
