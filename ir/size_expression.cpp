#include "ir/size_expression.hpp"

#include <algorithm>
#include <compare>
#include <deque>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <unordered_map>
#include <utility>

#include "base/memory_budget.hpp"
#include "ir/checked_arithmetic.hpp"

namespace onnx2ir::ir {
namespace {

using Kind = SizeAtom::Kind;
using Terms = std::vector<SizeTerm>;

constexpr std::size_t kMaxTerms = 8;
constexpr std::size_t kMaxFactors = 12;
constexpr std::uint32_t kMaxDepth = 16;
constexpr std::int64_t kMaxNumber = std::int64_t{1} << 60;
constexpr std::int64_t kNoBound = std::numeric_limits<std::int64_t>::min();

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
  if (term.numerator > kMaxNumber || term.numerator < -kMaxNumber || term.denominator > kMaxNumber)
    return false;
  const std::int64_t common = std::gcd(term.numerator, term.denominator);
  term.numerator /= common;
  term.denominator /= common;
  return true;
}

std::optional<SizeTerm> multiplied(const SizeTerm& a, const SizeTerm& b) {
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

/// No value if `b` has a factor that `a` does not have.
std::optional<SizeTerm> divided(const SizeTerm& a, const SizeTerm& b) {
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

/// Adds `term` to sorted terms; false if there are too many, or a number is too large.
bool add(Terms& terms, const SizeTerm& term) {
  const auto place = std::ranges::lower_bound(
      terms, term, [](const SizeTerm& a, const SizeTerm& b) { return std::is_lt(order(a, b)); });
  if (place == terms.end() || std::is_neq(order(*place, term))) {
    if (terms.size() == kMaxTerms) return false;
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

bool is_integral(const SizeExpression& size) {
  return std::ranges::all_of(size.terms, [](const SizeTerm& term) { return term.denominator == 1; });
}

std::size_t combine(std::size_t hash, std::size_t more) {
  return hash * 1000003 ^ more;
}

std::size_t hash_of(const Terms& terms) {
  std::size_t hash = terms.size();
  for (const SizeTerm& term : terms) {
    hash = combine(hash, std::hash<std::int64_t>()(term.numerator));
    hash = combine(hash, std::hash<std::int64_t>()(term.denominator));
    for (const SizeAtom* factor : term.factors) hash = combine(hash, factor->number);
  }
  return hash;
}

struct Function {
  Kind kind;
  Size a;
  Size b;
  friend bool operator==(const Function&, const Function&) = default;
};
struct FunctionHash {
  std::size_t operator()(const Function& function) const {
    const std::hash<const void*> of;
    return combine(combine(of(function.a), of(function.b)), static_cast<std::size_t>(function.kind));
  }
};

/// The depth of the functions in `size`.
std::uint32_t depth_of(Size size) {
  std::uint32_t depth = 0;
  for (const SizeTerm& term : size->terms) {
    for (const SizeAtom* factor : term.factors) depth = std::max(depth, factor->depth);
  }
  return depth;
}

}  // namespace

std::optional<std::int64_t> SizeExpression::constant() const {
  if (terms.empty()) return 0;
  const SizeTerm& term = terms.front();
  if (terms.size() > 1 || !term.factors.empty() || term.denominator != 1) return std::nullopt;
  return term.numerator;
}

namespace {

/// A lower bound from those of the symbols and functions. All sizes are integers.
std::optional<std::int64_t> least_of(const Terms& terms) {
  Terms bound;
  for (const SizeTerm& term : terms) {
    if (term.numerator < 0 && !term.factors.empty()) return std::nullopt;
    SizeTerm number{.numerator = term.numerator, .denominator = term.denominator, .factors = {}};
    for (const SizeAtom* factor : term.factors) {
      if (factor->least < 0 || __builtin_mul_overflow(number.numerator, factor->least, &number.numerator))
        return std::nullopt;
    }
    if (number.numerator != 0 && !add(bound, number)) return std::nullopt;
  }
  if (bound.empty()) return 0;
  return -floor_divide(-bound.front().numerator, bound.front().denominator);
}

bool is_quotient(const SizeTerm& term) {
  return term.factors.size() == 1 && term.factors.front()->kind == Kind::floor_quotient;
}

/// Adds a lower bound of n * floor(a / b): n * a / b if n is negative, and n * (a - (b - 1)) / b otherwise.
/// False if a number is too large.
bool add_lower_bound(Terms& terms, const SizeTerm& term) {
  const SizeAtom& quotient = *term.factors.front();
  const std::int64_t divisor = *quotient.b->constant();
  SizeTerm factor{.numerator = term.numerator, .denominator = term.denominator, .factors = {}};
  if (__builtin_mul_overflow(factor.denominator, divisor, &factor.denominator)) return false;
  Terms dividend = quotient.a->terms;
  if (term.numerator > 0 &&
      !add(dividend, SizeTerm{.numerator = 1 - divisor, .denominator = 1, .factors = {}})) {
    return false;
  }
  return std::ranges::all_of(dividend, [&](const SizeTerm& part) {
    const auto product = multiplied(factor, part);
    return product && add(terms, *product);
  });
}

/// A lower bound without the functions that `replaces` chooses.
std::optional<std::int64_t> least_without(Terms terms, bool (*replaces)(const SizeTerm& term)) {
  while (std::ranges::any_of(terms, replaces)) {
    Terms lower;
    for (const SizeTerm& term : terms) {
      if (!(replaces(term) ? add_lower_bound(lower, term) : add(lower, term))) return std::nullopt;
    }
    terms = std::move(lower);
  }
  return least_of(terms);
}

}  // namespace

std::optional<std::int64_t> SizeExpression::least() const {
  if (const auto bound = least_of(terms)) return bound;
  // n - 2 * floor(n / 2) is not negative, and floor(n / 2) - 2 * floor(n / 4) is not, either.
  const auto bound =
      least_without(terms, [](const SizeTerm& term) { return is_quotient(term) && term.numerator < 0; });
  return bound ? bound : least_without(terms, is_quotient);
}

class SizeTable::Storage {
 public:
  Size intern(SizeTable* table, Terms terms) {
    const std::size_t hash = hash_of(terms);
    const auto [first, last] = by_hash_.equal_range(hash);
    for (auto at = first; at != last; ++at) {
      if (at->second->terms == terms) return at->second;
    }
    base::charge_permanently(sizeof(SizeExpression) + 64 + terms.size() * sizeof(SizeTerm));
    const Size made = &expressions_.emplace_back(
        SizeExpression{table, static_cast<std::uint32_t>(expressions_.size()), std::move(terms)});
    by_hash_.emplace(hash, made);
    return made;
  }

  Size of(SizeTable* table, const SizeAtom& atom) {
    return intern(table, {SizeTerm{.numerator = 1, .denominator = 1, .factors = {&atom}}});
  }

  SizeAtom& make(Kind kind, std::int64_t least) {
    base::charge_permanently(sizeof(SizeAtom) + 64);
    SizeAtom& atom = atoms_.emplace_back();
    atom.kind = kind;
    atom.number = static_cast<std::uint32_t>(atoms_.size() - 1);
    atom.least = least;
    return atom;
  }

  /// The size `kind` of `a` and `b`, which may be null; null if it has too many functions in functions.
  Size function(SizeTable* table, Kind kind, Size a, Size b, std::int64_t least) {
    const auto [found, is_new] = functions_.try_emplace({kind, a, b}, nullptr);
    if (!is_new) return found->second;
    const std::uint32_t depth = std::max(depth_of(a), b == nullptr ? 0 : depth_of(b)) + 1;
    if (depth > kMaxDepth) return nullptr;
    SizeAtom& atom = make(kind, least);
    atom.depth = depth;
    atom.a = a;
    atom.b = b;
    return found->second = of(table, atom);
  }

  /// The expression of a number; null if it was not made yet.
  Size& constant(std::int64_t value) { return constants_[value]; }

  std::size_t count() const { return expressions_.size(); }

 private:
  std::deque<SizeExpression> expressions_;
  std::deque<SizeAtom> atoms_;
  std::unordered_multimap<std::size_t, Size> by_hash_;  ///< these two are only used for look-ups
  std::unordered_map<Function, Size, FunctionHash> functions_;
  std::unordered_map<std::int64_t, Size> constants_;
};

SizeTable::SizeTable() : storage_(std::make_unique<Storage>()) {}
SizeTable::~SizeTable() = default;

std::size_t SizeTable::count() const {
  return storage_->count();
}

Size SizeTable::symbol(std::int64_t least, std::string_view name) {
  SizeAtom& atom = storage_->make(Kind::symbol, least);
  atom.name = name;
  return storage_->of(this, atom);
}

Size SizeTable::constant(std::int64_t value) {
  if (value > kMaxNumber || value < -kMaxNumber) return nullptr;
  Size& made = storage_->constant(value);
  if (made != nullptr) return made;
  Terms terms;
  if (value != 0) terms.push_back(SizeTerm{.numerator = value, .denominator = 1, .factors = {}});
  return made = storage_->intern(this, std::move(terms));
}

Size SizeTable::sum(Size a, Size b) {
  if (a == nullptr || b == nullptr) return nullptr;
  Terms terms = a->terms;
  for (const SizeTerm& term : b->terms) {
    if (!add(terms, term)) return nullptr;
  }
  return storage_->intern(this, std::move(terms));
}

Size SizeTable::difference(Size a, Size b) {
  if (a == nullptr || b == nullptr) return nullptr;
  if (a == b) return constant(0);
  Terms terms = a->terms;
  for (SizeTerm term : b->terms) {
    term.numerator = -term.numerator;
    if (!add(terms, term)) return nullptr;
  }
  return storage_->intern(this, std::move(terms));
}

Size SizeTable::product(Size a, Size b) {
  if (a == nullptr || b == nullptr) return nullptr;
  Terms terms;
  for (const SizeTerm& left : a->terms) {
    for (const SizeTerm& right : b->terms) {
      const auto term = multiplied(left, right);
      if (!term || !add(terms, *term)) return nullptr;
    }
  }
  return storage_->intern(this, std::move(terms));
}

Size SizeTable::exact_quotient(Size a, Size b) {
  if (a == nullptr || b == nullptr || b->terms.empty()) return nullptr;
  // Polynomial division by the first term of the divisor.
  Terms rest = a->terms;
  Terms result;
  for (std::size_t step = 0; !rest.empty(); ++step) {
    if (step == kMaxTerms) return nullptr;
    const auto quotient = divided(rest.front(), b->terms.front());
    if (!quotient || !add(result, *quotient)) return nullptr;
    for (const SizeTerm& term : b->terms) {
      auto taken = multiplied(*quotient, term);
      if (!taken) return nullptr;
      taken->numerator = -taken->numerator;
      if (!add(rest, *taken)) return nullptr;
    }
  }
  return storage_->intern(this, std::move(result));
}

Size SizeTable::quotient(Size a, Size b) {
  if (a == nullptr || b == nullptr) return nullptr;
  if (const Size exact = exact_quotient(a, b)) return exact;
  return storage_->function(this, Kind::quotient, a, b, a->least() && b->least() ? 0 : kNoBound);
}

Size SizeTable::floor_quotient(Size a, Size b) {
  if (a == nullptr || b == nullptr || !is_integral(*a)) return nullptr;
  if (const Size exact = exact_quotient(a, b); exact != nullptr && is_integral(*exact)) return exact;
  const auto divisor = b->constant();
  if (!divisor || *divisor <= 0) return nullptr;
  // Multiples of the divisor move out of the function.
  Size whole = constant(0);
  Terms rest;
  for (const SizeTerm& term : a->terms) {
    const std::int64_t quotient = floor_divide(term.numerator, *divisor);
    SizeTerm multiple = term;
    multiple.numerator = quotient;
    SizeTerm remainder = term;
    remainder.numerator = term.numerator - quotient * *divisor;
    if (quotient != 0) whole = sum(whole, storage_->intern(this, {multiple}));
    if (remainder.numerator != 0) rest.push_back(std::move(remainder));
  }
  const Size left = storage_->intern(this, std::move(rest));
  if (left->terms.empty() || left->constant()) return whole;
  const auto least = left->least();
  return sum(whole, storage_->function(this, Kind::floor_quotient, left, b,
                                       least ? floor_divide(*least, *divisor) : kNoBound));
}

Size SizeTable::maximum(Size a, Size b) {
  if (a == nullptr || b == nullptr) return nullptr;
  if (a == b) return a;
  const Size more = difference(a, b);
  if (more != nullptr && more->least().value_or(-1) >= 0) return a;
  const Size less = difference(b, a);
  if (less != nullptr && less->least().value_or(-1) >= 0) return b;
  if (b->number < a->number) std::swap(a, b);
  return storage_->function(this, Kind::maximum, a, b,
                            std::max(a->least().value_or(kNoBound), b->least().value_or(kNoBound)));
}

Size SizeTable::minimum(Size a, Size b) {
  // a + b = minimum + maximum
  return difference(sum(a, b), maximum(a, b));
}

Size SizeTable::broadcast(Size a, Size b) {
  if (a == nullptr || b == nullptr) return nullptr;
  if (a == b) return a;
  const auto first = a->constant();
  const auto second = b->constant();
  if (first == 1 || (second && second != 1)) return b;
  if (second == 1 || first) return a;
  if (a->least().value_or(0) > 1) return a;
  if (b->least().value_or(0) > 1) return b;
  if (b->number < a->number) std::swap(a, b);
  return storage_->function(this, Kind::broadcast, a, b, 0);
}

Size SizeTable::nonzero_or(Size a, Size b) {
  if (a == nullptr || b == nullptr) return nullptr;
  if (a == b || a->least().value_or(0) > 0) return a;
  if (a->terms.empty()) return b;
  // If b is a multiple of a, both are 0 together.
  if (exact_quotient(b, a) != nullptr) return a;
  return storage_->function(this, Kind::nonzero_or, a, b, 0);
}

Size SizeTable::is_zero(Size a) {
  if (a == nullptr) return nullptr;
  if (const auto value = a->constant()) return constant(*value == 0 ? 1 : 0);
  if (a->least().value_or(0) > 0) return constant(0);
  const Size negated = product(constant(-1), a);
  if (negated != nullptr && negated->least().value_or(0) > 0) return constant(0);
  // Both signs give the same answer.
  if (a->terms.front().numerator < 0) a = negated;
  return a == nullptr ? nullptr : storage_->function(this, Kind::is_zero, a, nullptr, 0);
}

Size SizeTable::is_negative(Size a) {
  if (a == nullptr) return nullptr;
  if (a->least().value_or(-1) >= 0) return constant(0);
  const Size negated = product(constant(-1), a);
  if (negated != nullptr && negated->least().value_or(0) > 0) return constant(1);
  return storage_->function(this, Kind::is_negative, a, nullptr, 0);
}

Size SizeTable::without_zero_sizes(Size size) {
  if (size == nullptr || depth_of(size) == 0) return size;
  const auto replaced = [&](const SizeAtom& atom) -> Size {
    const Size a = without_zero_sizes(atom.a);
    switch (atom.kind) {
      case Kind::nonzero_or:
        return a;
      case Kind::is_zero:
        return is_zero(a);
      case Kind::is_negative:
        return is_negative(a);
      case Kind::quotient:
        return quotient(a, without_zero_sizes(atom.b));
      case Kind::floor_quotient:
        return floor_quotient(a, atom.b);
      case Kind::maximum:
        return maximum(a, without_zero_sizes(atom.b));
      case Kind::broadcast:
        return broadcast(a, without_zero_sizes(atom.b));
      case Kind::symbol:
        break;
    }
    return storage_->of(this, atom);
  };
  Size result = constant(0);
  for (const SizeTerm& term : size->terms) {
    Size product = storage_->intern(
        this, {SizeTerm{.numerator = term.numerator, .denominator = term.denominator, .factors = {}}});
    for (const SizeAtom* factor : term.factors) product = this->product(product, replaced(*factor));
    result = sum(result, product);
  }
  return result;
}

namespace {

std::string to_string(const SizeAtom& atom) {
  const auto call = [&](std::string_view function) {
    std::string text = std::string(function) + "(" + onnx2ir::ir::to_string(*atom.a);
    if (atom.b != nullptr) text += ", " + onnx2ir::ir::to_string(*atom.b);
    return text + ")";
  };
  switch (atom.kind) {
    case Kind::symbol:
      return atom.name.empty() ? "s" + std::to_string(atom.number) : atom.name;
    case Kind::quotient:
      return call("quotient");
    case Kind::floor_quotient:
      return call("floor_quotient");
    case Kind::maximum:
      return call("max");
    case Kind::broadcast:
      return call("broadcast");
    case Kind::nonzero_or:
      return call("nonzero_or");
    case Kind::is_zero:
      return call("is_zero");
    case Kind::is_negative:
      return call("is_negative");
  }
  return {};
}

}  // namespace

std::optional<std::string> sum_text(const SizeExpression& size, const FactorText& text_of) {
  if (size.terms.empty()) return "0";
  std::string text;
  for (const SizeTerm& term : size.terms) {
    const std::int64_t number = std::abs(term.numerator);
    if (text.empty()) {
      text += term.numerator < 0 ? "-" : "";
    } else {
      text += term.numerator < 0 ? " - " : " + ";
    }
    std::string product;
    if (number != 1 || term.factors.empty()) product = std::to_string(number);
    for (const SizeAtom* factor : term.factors) {
      const auto name = text_of(*factor);
      if (!name) return std::nullopt;
      if (!product.empty()) product += '*';
      product += *name;
    }
    text += product;
    if (term.denominator != 1) text += "/" + std::to_string(term.denominator);
  }
  return text;
}

std::string to_string(const SizeExpression& size) {
  return *sum_text(size, [](const SizeAtom& atom) { return to_string(atom); });
}

}  // namespace onnx2ir::ir
