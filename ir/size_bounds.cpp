#include <algorithm>
#include <optional>
#include <utility>

#include "ir/checked_arithmetic.hpp"
#include "ir/size_terms.hpp"

namespace onnx2ir::ir {
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
