#include "ir/size_terms.hpp"

#include <algorithm>
#include <compare>
#include <numeric>

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

}  // namespace onnx2ir::ir
