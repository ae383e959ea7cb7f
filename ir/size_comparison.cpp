#include "ir/size_comparison.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/inference.hpp"

namespace onnx2ir::ir {
namespace {

/// numerator / denominator * factors. The fraction is reduced.
struct Product {
  std::int64_t numerator = 1;
  std::int64_t denominator = 1;
  std::vector<Place> factors;

  friend bool operator==(const Product& a, const Product& b) {
    return a.numerator == b.numerator && a.denominator == b.denominator &&
           std::ranges::is_permutation(a.factors, b.factors);
  }
};

/// No value if a number is too large.
std::optional<Product> fraction(std::int64_t numerator, std::int64_t denominator,
                                std::vector<Place> factors) {
  constexpr std::int64_t kMax = std::int64_t{1} << 60;
  if (numerator < 0 || numerator > kMax || denominator > kMax) return std::nullopt;
  if (numerator == 0) return Product{0, 1, {}};
  const std::int64_t common = std::gcd(numerator, denominator);
  return Product{numerator / common, denominator / common, std::move(factors)};
}

std::optional<Product> multiplied(const Product& a, const Product& b) {
  constexpr std::size_t kMaxFactors = 16;
  std::int64_t numerator = 0;
  std::int64_t denominator = 0;
  if (__builtin_mul_overflow(a.numerator, b.numerator, &numerator) ||
      __builtin_mul_overflow(a.denominator, b.denominator, &denominator) ||
      a.factors.size() + b.factors.size() > kMaxFactors) {
    return std::nullopt;
  }
  std::vector<Place> factors = a.factors;
  factors.insert(factors.end(), b.factors.begin(), b.factors.end());
  return fraction(numerator, denominator, std::move(factors));
}

/// The sum of two products of the same factors.
std::optional<Product> added(const Product& a, const Product& b) {
  std::int64_t first = 0;
  std::int64_t second = 0;
  std::int64_t numerator = 0;
  std::int64_t denominator = 0;
  if (__builtin_mul_overflow(a.numerator, b.denominator, &first) ||
      __builtin_mul_overflow(b.numerator, a.denominator, &second) ||
      __builtin_add_overflow(first, second, &numerator) ||
      __builtin_mul_overflow(a.denominator, b.denominator, &denominator)) {
    return std::nullopt;
  }
  return fraction(numerator, denominator, a.factors);
}

/// No value if the divisor has a factor that the dividend does not have, or is 0.
std::optional<Product> divided(const Product& a, const Product& b) {
  if (b.numerator == 0) return std::nullopt;
  std::vector<Place> factors = a.factors;
  for (const Place& factor : b.factors) {
    const auto found = std::ranges::find(factors, factor);
    if (found == factors.end()) return std::nullopt;
    factors.erase(found);
  }
  std::int64_t numerator = 0;
  std::int64_t denominator = 0;
  if (__builtin_mul_overflow(a.numerator, b.denominator, &numerator) ||
      __builtin_mul_overflow(a.denominator, b.numerator, &denominator)) {
    return std::nullopt;
  }
  return fraction(numerator, denominator, std::move(factors));
}

struct PlaceHash {
  std::size_t operator()(const Place& place) const {
    return std::hash<const void*>()(place.value.node) + 31 * (place.index * 2 + (place.is_element ? 1 : 0)) +
           std::size_t{7919} * place.value.index;
  }
};

/// Products of different factors, added. A size of 0 has no terms.
using Sum = std::vector<Product>;

bool are_equal(const Sum& a, const Sum& b) {
  return std::ranges::is_permutation(a, b);
}

/// No value if there are too many terms, or a number is too large.
std::optional<Sum> added(const Sum& a, const Sum& b) {
  constexpr std::size_t kMaxTerms = 8;
  Sum result = a;
  for (const Product& term : b) {
    const auto like = std::ranges::find_if(result, [&](const Product& other) {
      return std::ranges::is_permutation(other.factors, term.factors);
    });
    if (like == result.end()) {
      result.push_back(term);
      continue;
    }
    const auto both = added(*like, term);
    if (!both) return std::nullopt;
    *like = *both;
  }
  return result.size() <= kMaxTerms ? std::optional(std::move(result)) : std::nullopt;
}

std::optional<Sum> multiplied(const Sum& a, const Sum& b) {
  Sum result;
  for (const Product& left : a) {
    for (const Product& right : b) {
      const auto term = multiplied(left, right);
      auto more = term ? added(result, Sum{*term}) : std::nullopt;
      if (!more) return std::nullopt;
      result = *std::move(more);
    }
  }
  return result;
}

/// No value if the divisor is not a factor of each term.
std::optional<Sum> divided(const Sum& a, const Sum& b) {
  if (b.size() != 1) return std::nullopt;
  Sum result;
  for (const Product& term : a) {
    const auto quotient = divided(term, b.front());
    if (!quotient) return std::nullopt;
    result.push_back(*quotient);
  }
  return result;
}

}  // namespace

class Sizes {
 public:
  /// Allows the next query its number of steps.
  void start_query() { steps_ = 0; }

  /// The size itself is the only factor if nothing else is known of it.
  Sum of(const Place& place) {
    if (const auto known = constant(place)) return *known;
    if (const auto found = found_.find(place); found != found_.end()) return found->second;
    Sum result{Product{1, 1, {place}}};
    if (steps_ == kMaxSteps || depth_ == kMaxDepth) return result;
    ++steps_;
    ++depth_;
    if (auto traced = trace(place)) result = *std::move(traced);
    --depth_;
    found_.insert_or_assign(place, result);
    return result;
  }

  /// The size that a Reshape leaves for the -1 at `axis`.
  std::optional<Sum> remaining(Value data, Value pattern, std::size_t axis, bool special_zero) {
    const auto sizes = known_values(pattern);
    const PartialShape& shape = data.shape();
    if (!sizes || !shape.has_rank()) return std::nullopt;
    std::vector<Sum> left;
    for (std::size_t i = 0; i < shape.rank(); ++i) left.push_back(of({data, i}));
    Sum taken = kOne;
    for (std::size_t i = 0; i < sizes->size(); ++i) {
      if (i == axis) continue;
      const auto size = reshaped(data, pattern, (*sizes)[i], i, special_zero);
      if (!size) return std::nullopt;
      const auto same = std::ranges::find_if(left, [&](const Sum& other) { return are_equal(other, *size); });
      if (!size->empty() && same != left.end()) {
        left.erase(same);
        continue;
      }
      const auto more = multiplied(taken, *size);
      if (!more) return std::nullopt;
      taken = *more;
    }
    Sum all = kOne;
    for (const Sum& size : left) {
      const auto more = multiplied(all, size);
      if (!more) return std::nullopt;
      all = *more;
    }
    return divided(all, taken);
  }

 private:
  // Limits that bound time and stack; beyond them, a size is its own factor.
  static constexpr int kMaxSteps = 256;  ///< of a query
  static constexpr int kMaxDepth = 128;

  inline static const Sum kOne{Product{}};

  static std::optional<Sum> number(std::int64_t value) {
    if (value == 0) return Sum{};
    auto product = fraction(value, 1, {});
    return product ? std::optional(Sum{*std::move(product)}) : std::nullopt;
  }

  static std::optional<Sum> constant(const Place& place) {
    if (!place.is_element) {
      const PartialShape& shape = place.value.shape();
      if (!shape.has_rank() || shape[place.index].is_dynamic()) return std::nullopt;
      return number(shape[place.index].size());
    }
    const auto known = known_values(place.value);
    if (!known || !(*known)[place.index].is_exact()) return std::nullopt;
    return number((*known)[place.index].min);
  }

  /// The size of axis `axis` of a Reshape, whose known range in the pattern is `range` and not -1.
  std::optional<Sum> reshaped(Value data, Value pattern, const ValueRange& range, std::size_t axis,
                              bool special_zero) {
    if (range.min < 0) return std::nullopt;
    const Place element{pattern, axis, true};
    if (!special_zero || range.min > 0) return of(element);
    // A 0 copies the dimension of the data.
    if (axis >= data.shape().rank()) return std::nullopt;
    const Sum copied = of({data, axis});
    return range.is_exact() || are_equal(of(element), copied) ? std::optional(copied) : std::nullopt;
  }

  std::optional<Sum> trace_reshape(const Node& node, std::size_t axis) {
    const auto sizes = known_values(node.input(1));
    if (!sizes || axis >= sizes->size() || !node.input(0).shape().has_rank()) return std::nullopt;
    const bool special_zero = node.boolean("special_zero");
    const ValueRange& range = (*sizes)[axis];
    if (range == ValueRange::exactly(-1)) return remaining(node.input(0), node.input(1), axis, special_zero);
    return reshaped(node.input(0), node.input(1), range, axis, special_zero);
  }

  /// The common product of the operands that determine a dimension of an elementwise result.
  std::optional<Sum> trace_broadcast(const Node& node, std::size_t rank, std::size_t axis) {
    std::optional<Sum> common;
    for (const Place& place : operand_dimensions(node, rank, axis)) {
      if (place.value.shape()[place.index] == Dimension(1)) continue;
      Sum size = of(place);
      if (common && !are_equal(*common, size)) return std::nullopt;
      common = std::move(size);
    }
    return common;
  }

  /// The common product of the data and the requested size of a Broadcast.
  std::optional<Sum> trace_broadcast_to(const Node& node, std::size_t rank, std::size_t axis) {
    const PartialShape& data = node.input(0).shape();
    const auto count = node.input(1).shape().element_count();
    if (!data.has_rank() || !count) return std::nullopt;
    const std::size_t missing = rank - data.rank();
    const std::size_t missing_sizes = rank - static_cast<std::size_t>(*count);
    if (axis < missing || axis < missing_sizes) return std::nullopt;
    Sum size = of({node.input(0), axis - missing});
    return are_equal(size, of({node.input(1), axis - missing_sizes, true})) ? std::optional(size)
                                                                            : std::nullopt;
  }

  std::optional<Sum> trace(const Place& place) {
    const Node& node = *place.value.node;
    if (place.is_element) {
      if (is_integral(place.value.type()) && node.is_one_of({ops::Add, ops::Multiply}))
        return trace_arithmetic(node, place.index);
    } else if (place.value.shape().has_rank()) {
      const std::size_t rank = place.value.shape().rank();
      if (node.is(ops::Reshape)) return trace_reshape(node, place.index);
      if (node.is(ops::Concat) && normalize_axis(node.integer("axis"), rank) == place.index)
        return trace_joined(node, place.index);
      const bool is_product = node.is(ops::MatMul) || node.is(ops::ScaledDotProductAttention);
      const bool is_batch = is_product && place.index + 2 < rank;
      if (node.op().traits.broadcasts || is_batch) return trace_broadcast(node, rank, place.index);
      const auto repeats = node.is(ops::Tile) ? node.input(1).shape().element_count() : std::nullopt;
      if (repeats == static_cast<std::int64_t>(rank) && node.input(0).shape().has_rank() &&
          node.input(0).shape().rank() == rank) {
        return multiplied(of({node.input(0), place.index}), of({node.input(1), place.index, true}));
      }
    }
    if (const auto previous = previous_place(place)) return of(*previous);
    if (!place.is_element && place.value.shape().has_rank() && node.is(ops::Broadcast)) {
      return trace_broadcast_to(node, place.value.shape().rank(), place.index);
    }
    return std::nullopt;
  }

  /// The sum of the sizes that a Concat joins.
  std::optional<Sum> trace_joined(const Node& node, std::size_t axis) {
    Sum result;
    for (const Value part : node.inputs()) {
      const auto more = part.shape().has_rank() ? added(result, of({part, axis})) : std::nullopt;
      if (!more) return std::nullopt;
      result = *more;
    }
    return result;
  }

  /// An element of a sum or product of two lists, or of a list and a number.
  std::optional<Sum> trace_arithmetic(const Node& node, std::size_t index) {
    std::array<Sum, 2> operands;
    for (std::size_t i = 0; i < 2; ++i) {
      const Value operand = node.input(i);
      const auto count = operand.shape().element_count();
      if (!count || operand.shape().rank() > 1) return std::nullopt;
      operands[i] = of({operand, *count == 1 ? 0 : index, true});
    }
    return node.is(ops::Add) ? added(operands[0], operands[1]) : multiplied(operands[0], operands[1]);
  }

  std::unordered_map<Place, Sum, PlaceHash> found_;
  int steps_ = 0;
  int depth_ = 0;
};

SizeComparison::SizeComparison() : sizes_(std::make_unique<Sizes>()) {}
SizeComparison::~SizeComparison() = default;

bool SizeComparison::are_equal_products(const Place& a, const Place& b) {
  sizes_->start_query();
  const Sum first = sizes_->of(a);
  return are_equal(first, sizes_->of(b));
}

std::optional<std::int64_t> remaining_size(Value data, Value pattern, bool special_zero) {
  const auto sizes = known_values(pattern);
  if (!sizes) return std::nullopt;
  const auto inferred = std::ranges::find(*sizes, ValueRange::exactly(-1));
  if (inferred == sizes->end()) return std::nullopt;
  const auto axis = static_cast<std::size_t>(inferred - sizes->begin());
  const auto size = Sizes().remaining(data, pattern, axis, special_zero);
  if (!size || size->size() > 1) return std::nullopt;
  if (size->empty()) return 0;
  const Product& product = size->front();
  if (!product.factors.empty() || product.denominator != 1) return std::nullopt;
  return product.numerator;
}

}  // namespace onnx2ir::ir
