#include "ir/size_terms.hpp"

#include <algorithm>
#include <compare>
#include <numeric>
#include <utility>

#include "ir/checked_arithmetic.hpp"

namespace onnx2ir::ir {
namespace {

constexpr std::size_t kMaxFactors = 12;

/// The factors in the order of creation decide; the constant term is the last.
std::strong_ordering order(const SizeTerm& a, const SizeTerm& b) {
  if (a.factors.size() != b.factors.size()) return b.factors.size() <=> a.factors.size();
  for (std::size_t i = 0; i < a.factors.size(); ++i) {
    const auto difference = a.factors[i]->number <=> b.factors[i]->number;
    if (difference != std::strong_ordering::equal) return difference;
  }
  return std::strong_ordering::equal;
}

bool is_created_before(const SizeAtom* a, const SizeAtom* b) {
  return a->number < b->number;
}

/// Reduces the fraction; false if a number is too large.
bool reduce(SizeTerm& term) {
  if (term.numerator > kMaxSizeNumber || term.numerator < -kMaxSizeNumber ||
      term.denominator > kMaxSizeNumber)
    return false;
  const std::int64_t common = std::gcd(term.numerator, term.denominator);
  term.numerator /= common;
  term.denominator /= common;
  return true;
}

}  // namespace

std::optional<SizeTerm> product_of(const SizeTerm& a, const SizeTerm& b) {
  SizeTerm result;
  if (__builtin_mul_overflow(a.numerator, b.numerator, &result.numerator) ||
      __builtin_mul_overflow(a.denominator, b.denominator, &result.denominator) || !reduce(result) ||
      a.factors.size() + b.factors.size() > kMaxFactors) {
    return std::nullopt;
  }
  result.factors.reserve(a.factors.size() + b.factors.size());
  result.factors.append(a.factors.begin(), a.factors.end());
  result.factors.append(b.factors.begin(), b.factors.end());
  std::ranges::sort(result.factors, is_created_before);
  return result;
}

std::optional<SizeTerm> quotient_of(const SizeTerm& a, const SizeTerm& b) {
  SizeTerm result;
  result.factors = a.factors;
  for (const SizeAtom* factor : b.factors) {
    const auto* const found = std::ranges::find(result.factors, factor);
    if (found == result.factors.end()) return std::nullopt;
    result.factors.erase(found);
  }
  const std::int64_t sign = b.numerator < 0 ? -1 : 1;
  if (__builtin_mul_overflow(a.numerator, sign * b.denominator, &result.numerator) ||
      __builtin_mul_overflow(a.denominator, sign * b.numerator, &result.denominator) || !reduce(result)) {
    return std::nullopt;
  }
  return result;
}

bool add_term(SizeTerms& terms, const SizeTerm& term) {
  auto* const place = std::ranges::lower_bound(
      terms, term, [](const SizeTerm& a, const SizeTerm& b) { return std::is_lt(order(a, b)); });
  if (place == terms.end() || std::is_neq(order(*place, term))) {
    if (terms.size() == kMaxSizeTerms) return false;
    terms.insert(place, term);
    return true;
  }
  std::int64_t first = 0;
  std::int64_t second = 0;
  if (__builtin_mul_overflow(place->numerator, term.denominator, &first) ||
      __builtin_mul_overflow(term.numerator, place->denominator, &second) ||
      __builtin_add_overflow(first, second, &place->numerator) ||
      __builtin_mul_overflow(place->denominator, term.denominator, &place->denominator)) {
    return false;
  }
  if (place->numerator == 0) {
    terms.erase(place);
    return true;
  }
  return reduce(*place);
}

namespace {

/// A lower bound from those of the symbols and functions. All sizes are integers.
std::optional<std::int64_t> least_of(const SizeTerms& terms) {
  SizeTerms bound;
  for (const SizeTerm& term : terms) {
    if (term.numerator < 0 && !term.factors.empty()) return std::nullopt;
    SizeTerm number{.numerator = term.numerator, .denominator = term.denominator, .factors = {}};
    for (const SizeAtom* factor : term.factors) {
      if (factor->least < 0 || __builtin_mul_overflow(number.numerator, factor->least, &number.numerator))
        return std::nullopt;
    }
    if (number.numerator != 0 && !add_term(bound, number)) return std::nullopt;
  }
  if (bound.empty()) return 0;
  return -floor_divide(-bound.front().numerator, bound.front().denominator);
}

bool is_quotient(const SizeTerm& term) {
  return term.factors.size() == 1 && term.factors.front()->kind == SizeAtom::Kind::floor_quotient;
}

/// Adds a lower bound of n * floor(a / b): n * a / b if n is negative, and n * (a - (b - 1)) / b otherwise.
/// False if a number is too large.
bool add_lower_bound(SizeTerms& terms, const SizeTerm& term) {
  const SizeAtom& quotient = *term.factors.front();
  const std::int64_t divisor = *quotient.b->constant();
  SizeTerm factor{.numerator = term.numerator, .denominator = term.denominator, .factors = {}};
  if (__builtin_mul_overflow(factor.denominator, divisor, &factor.denominator)) return false;
  SizeTerms dividend = quotient.a->terms;
  if (term.numerator > 0 &&
      !add_term(dividend, SizeTerm{.numerator = 1 - divisor, .denominator = 1, .factors = {}})) {
    return false;
  }
  return std::ranges::all_of(dividend, [&](const SizeTerm& part) {
    const auto product = product_of(factor, part);
    return product && add_term(terms, *product);
  });
}

/// A lower bound without the functions that `replaces` chooses.
std::optional<std::int64_t> least_without(SizeTerms terms, bool (*replaces)(const SizeTerm& term)) {
  while (std::ranges::any_of(terms, replaces)) {
    SizeTerms lower;
    for (const SizeTerm& term : terms) {
      if (!(replaces(term) ? add_lower_bound(lower, term) : add_term(lower, term))) return std::nullopt;
    }
    terms = std::move(lower);
  }
  return least_of(terms);
}

}  // namespace

bool may_have_upper_bound(const SizeTerms& terms) {
  return std::ranges::all_of(terms, [](const SizeTerm& term) {
    return term.factors.empty() || term.numerator < 0 || is_quotient(term);
  });
}

std::optional<std::int64_t> SizeExpression::least() const {
  if (const auto bound = least_of(terms)) return bound;
  if (std::ranges::none_of(terms, is_quotient)) return std::nullopt;
  // n - 2 * floor(n / 2) is not negative, and floor(n / 2) - 2 * floor(n / 4) is not, either.
  const auto bound =
      least_without(terms, [](const SizeTerm& term) { return is_quotient(term) && term.numerator < 0; });
  return bound ? bound : least_without(terms, is_quotient);
}

}  // namespace onnx2ir::ir
