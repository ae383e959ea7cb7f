#include "ir/size_expression.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <functional>
#include <limits>
#include <unordered_map>
#include <utility>

#include "base/memory_budget.hpp"
#include "ir/checked_arithmetic.hpp"
#include "ir/size_terms.hpp"

namespace onnx2ir::ir {
namespace {

using Kind = SizeAtom::Kind;

constexpr std::uint32_t kMaxDepth = 16;
constexpr std::int64_t kNoBound = std::numeric_limits<std::int64_t>::min();

bool is_integral(const SizeExpression& size) {
  return std::ranges::all_of(size.terms, [](const SizeTerm& term) { return term.denominator == 1; });
}

std::size_t combine(std::size_t hash, std::size_t more) {
  return hash * 1000003 ^ more;
}

bool is_one_factor(const SizeTerms& terms) {
  if (terms.size() != 1) return false;
  const SizeTerm& term = terms.front();
  return term.numerator == 1 && term.denominator == 1 && term.factors.size() == 1;
}

/// Whether `size` is `part`, or one of the sizes that are broadcast together to `size` is. It looks through
/// `levels` broadcasts: expressions share subexpressions, so the time is exponential in the depth.
bool is_broadcast_from(Size size, Size part, int levels = 4) {
  if (size == part) return true;
  if (levels == 0 || !is_one_factor(size->terms)) return false;
  const SizeAtom& factor = *size->terms.front().factors.front();
  return factor.kind == SizeAtom::Kind::broadcast &&
         (is_broadcast_from(factor.a, part, levels - 1) || is_broadcast_from(factor.b, part, levels - 1));
}

std::size_t hash_of(const SizeTerms& terms) {
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

struct SizeTable::Storage {
  Size intern(SizeTable* table, SizeTerms terms) {
    if (is_one_factor(terms)) return terms.front().factors.front()->size;
    const std::size_t hash = hash_of(terms);
    const auto [first, last] = by_hash.equal_range(hash);
    for (auto at = first; at != last; ++at) {
      if (at->second->terms == terms) return at->second;
    }
    const Size made = make(table, std::move(terms));
    by_hash.emplace(hash, made);
    return made;
  }

  /// A new factor.
  SizeAtom& make(SizeTable* table, Kind kind, std::int64_t least) {
    base::charge_permanently(sizeof(SizeAtom) + 64);
    SizeAtom& atom = atoms.emplace_back();
    atom.kind = kind;
    atom.number = static_cast<std::uint32_t>(atoms.size() - 1);
    atom.least = least;
    SizeTerms terms;
    terms.emplace_back().factors.push_back(&atom);
    atom.size = make(table, std::move(terms));
    return atom;
  }

  /// The size `kind` of `a` and `b`, which may be null; null if it has too many functions in functions.
  Size function(SizeTable* table, Kind kind, Size a, Size b, std::int64_t least) {
    const auto [found, is_new] = functions.try_emplace({kind, a, b}, nullptr);
    if (!is_new) return found->second;
    const std::uint32_t depth = std::max(depth_of(a), b == nullptr ? 0 : depth_of(b)) + 1;
    if (depth > kMaxDepth) return nullptr;
    SizeAtom& atom = make(table, kind, least);
    atom.depth = depth;
    atom.a = a;
    atom.b = b;
    return found->second = atom.size;
  }

  Size make(SizeTable* table, SizeTerms terms) {
    base::charge_permanently(sizeof(SizeExpression) + 64 + terms.size() * sizeof(SizeTerm));
    return &expressions.emplace_back(
        SizeExpression{table, static_cast<std::uint32_t>(expressions.size()), std::move(terms)});
  }

  std::deque<SizeExpression> expressions;
  std::deque<SizeAtom> atoms;
  std::unordered_multimap<std::size_t, Size> by_hash;  ///< the maps are only used for look-ups
  std::unordered_map<Function, Size, FunctionHash> functions;
  std::unordered_map<std::int64_t, Size> constants;
  std::unordered_map<Size, Size> without_zero_sizes;  ///< results of that function
};

SizeTable::SizeTable() : storage_(std::make_unique<Storage>()) {}
SizeTable::~SizeTable() = default;

std::size_t SizeTable::count() const {
  return storage_->expressions.size();
}

Size SizeTable::symbol(std::int64_t least, std::string_view name) {
  SizeAtom& atom = storage_->make(this, Kind::symbol, least);
  atom.name = name;
  return atom.size;
}

Size SizeTable::constant(std::int64_t value) {
  if (value > kMaxSizeNumber || value < -kMaxSizeNumber) return nullptr;
  Size& made = storage_->constants[value];
  if (made != nullptr) return made;
  SizeTerms terms;
  if (value != 0) terms.push_back(SizeTerm{.numerator = value, .denominator = 1, .factors = {}});
  return made = storage_->intern(this, std::move(terms));
}

Size SizeTable::sum(Size a, Size b) {
  if (a == nullptr || b == nullptr) return nullptr;
  if (a->terms.empty()) return b;
  if (b->terms.empty()) return a;
  SizeTerms terms = a->terms;
  for (const SizeTerm& term : b->terms) {
    if (!add_term(terms, term)) return nullptr;
  }
  return storage_->intern(this, std::move(terms));
}

Size SizeTable::difference(Size a, Size b) {
  if (a == nullptr || b == nullptr) return nullptr;
  if (a == b) return constant(0);
  if (b->terms.empty()) return a;
  SizeTerms terms = a->terms;
  for (SizeTerm term : b->terms) {
    term.numerator = -term.numerator;
    if (!add_term(terms, term)) return nullptr;
  }
  return storage_->intern(this, std::move(terms));
}

Size SizeTable::product(Size a, Size b) {
  if (a == nullptr || b == nullptr) return nullptr;
  if (a->constant() == 1) return b;
  if (b->constant() == 1) return a;
  SizeTerms terms;
  for (const SizeTerm& left : a->terms) {
    for (const SizeTerm& right : b->terms) {
      const auto term = product_of(left, right);
      if (!term || !add_term(terms, *term)) return nullptr;
    }
  }
  return storage_->intern(this, std::move(terms));
}

Size SizeTable::exact_quotient(Size a, Size b) {
  if (a == nullptr || b == nullptr || b->terms.empty()) return nullptr;
  // Polynomial division by the first term of the divisor.
  SizeTerms rest = a->terms;
  SizeTerms result;
  for (std::size_t step = 0; !rest.empty(); ++step) {
    if (step == kMaxSizeTerms) return nullptr;
    const auto quotient = quotient_of(rest.front(), b->terms.front());
    if (!quotient || !add_term(result, *quotient)) return nullptr;
    for (const SizeTerm& term : b->terms) {
      auto taken = product_of(*quotient, term);
      if (!taken) return nullptr;
      taken->numerator = -taken->numerator;
      if (!add_term(rest, *taken)) return nullptr;
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
  SizeTerms rest;
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

bool SizeTable::is_at_least(Size a, Size b) {
  const auto least = a->least();
  if (const auto number = b->constant()) return least && *least >= *number;
  if (a->constant() && !may_have_upper_bound(b->terms)) return false;
  const Size more = difference(a, b);
  return more != nullptr && more->least().value_or(-1) >= 0;
}

Size SizeTable::maximum(Size a, Size b) {
  if (a == nullptr || b == nullptr) return nullptr;
  if (a == b || is_at_least(a, b)) return a;
  if (is_at_least(b, a)) return b;
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
  if (is_broadcast_from(a, b)) return a;
  if (is_broadcast_from(b, a)) return b;
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

bool SizeTable::is_below_zero(Size a) {
  if (!may_have_upper_bound(a->terms)) return false;
  const Size negated = product(constant(-1), a);
  return negated != nullptr && negated->least().value_or(0) > 0;
}

Size SizeTable::is_zero(Size a) {
  if (a == nullptr) return nullptr;
  if (const auto value = a->constant()) return constant(*value == 0 ? 1 : 0);
  if (a->least().value_or(0) > 0 || is_below_zero(a)) return constant(0);
  // Both signs give the same answer.
  if (a->terms.front().numerator < 0) a = product(constant(-1), a);
  return a == nullptr ? nullptr : storage_->function(this, Kind::is_zero, a, nullptr, 0);
}

Size SizeTable::is_negative(Size a) {
  if (a == nullptr) return nullptr;
  if (a->least().value_or(-1) >= 0) return constant(0);
  if (is_below_zero(a)) return constant(1);
  return storage_->function(this, Kind::is_negative, a, nullptr, 0);
}

Size SizeTable::without_zero_sizes(Size size) {
  if (size == nullptr || depth_of(size) == 0) return size;
  // Expressions share subexpressions: without memoization, the time is exponential in the depth.
  const auto known = storage_->without_zero_sizes.find(size);
  if (known != storage_->without_zero_sizes.end()) return known->second;
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
    return atom.size;
  };
  Size result = constant(0);
  for (const SizeTerm& term : size->terms) {
    Size product = storage_->intern(
        this, {SizeTerm{.numerator = term.numerator, .denominator = term.denominator, .factors = {}}});
    for (const SizeAtom* factor : term.factors) product = this->product(product, replaced(*factor));
    result = sum(result, product);
  }
  base::charge_permanently(64);
  storage_->without_zero_sizes.emplace(size, result);
  return result;
}

namespace {

/// The names of functions, in the order of SizeAtom::Kind, which begins with symbols.
constexpr std::array<std::string_view, 8> kFunctions = {
    "", "quotient", "floor_quotient", "max", "broadcast", "nonzero_or", "is_zero", "is_negative"};

std::string to_string(const SizeAtom& atom) {
  if (atom.kind == SizeAtom::Kind::symbol)
    return atom.name.empty() ? "s" + std::to_string(atom.number) : atom.name;
  std::string text(kFunctions[static_cast<std::size_t>(atom.kind)]);
  text += '(' + onnx2ir::ir::to_string(*atom.a);
  if (atom.b != nullptr) text += ", " + onnx2ir::ir::to_string(*atom.b);
  return text + ')';
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
