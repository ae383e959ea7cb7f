// Sizes as expressions: normalised sums of products of symbols. Equal expressions have the same address, so
// that equality of sizes is a comparison of pointers. docs/architecture.md describes the rules.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/small_vector.hpp"

namespace onnx2ir::ir {

class SizeTable;
struct SizeAtom;
struct SizeExpression;

/// An integer that is known only at run time; null if nothing is known of it. Owned by a SizeTable.
using Size = const SizeExpression*;

/// numerator / denominator * factors. The fraction is reduced, and the factors are in the order of creation.
struct SizeTerm {
  std::int64_t numerator = 1;
  std::int64_t denominator = 1;
  base::SmallVector<const SizeAtom*, 2> factors;

  friend bool operator==(const SizeTerm&, const SizeTerm&) = default;
};

/// Few sizes are sums of more than two terms.
using SizeTerms = base::SmallVector<SizeTerm, 2>;

/// A factor that is not a sum of products: a symbol, or a function of two sizes.
struct SizeAtom {
  enum class Kind : std::uint8_t {
    symbol,          ///< a dimension or an element of unknown origin
    quotient,        ///< a / b without remainder, which the model requires
    floor_quotient,  ///< a / b rounded down; b is a positive constant
    maximum,
    broadcast,    ///< the size of axes of sizes a and b that are broadcast together
    nonzero_or,   ///< a, or b if a is 0: a Reshape copies the dimension b then
    is_zero,      ///< 1 if a is 0, otherwise 0
    is_negative,  ///< 1 if a is below 0, otherwise 0
  };

  Kind kind = Kind::symbol;
  std::uint32_t number = 0;  ///< the order of creation
  std::uint32_t depth = 0;   ///< of functions in functions
  std::int64_t least = 0;    ///< a lower bound; the least int64 if there is none
  Size a = nullptr;
  Size b = nullptr;
  Size size = nullptr;  ///< this factor alone
  std::string name;     ///< of a symbol; may be empty
};

/// A sum of terms with different factors; the empty sum is 0.
struct SizeExpression {
  SizeTable* table = nullptr;
  std::uint32_t number = 0;  ///< the order of creation
  SizeTerms terms;

  /// The value if it is a constant integer.
  std::optional<std::int64_t> constant() const;
  /// A lower bound of the value; no value if none is known.
  std::optional<std::int64_t> least() const;
};

/// Owns the expressions of the graphs of a model. An expression that would be too large has no value (null):
/// its owner becomes a new symbol. Null operands give null. Not thread-safe.
class SizeTable {
 public:
  SizeTable();
  SizeTable(const SizeTable&) = delete;
  SizeTable& operator=(const SizeTable&) = delete;
  ~SizeTable();

  /// A symbol that differs from all others. `name` is for messages: symbols of the same name may differ.
  Size symbol(std::int64_t least, std::string_view name = {});
  Size constant(std::int64_t value);
  Size sum(Size a, Size b);
  Size difference(Size a, Size b);
  Size product(Size a, Size b);
  /// a / b, of which the model requires that it has no remainder, and that b is not 0.
  Size quotient(Size a, Size b);
  /// The same if each term of `a` has the factors of `b`; otherwise null.
  Size exact_quotient(Size a, Size b);
  Size floor_quotient(Size a, Size b);
  Size maximum(Size a, Size b);
  Size minimum(Size a, Size b);
  /// The size of axes of sizes a and b that are broadcast together.
  Size broadcast(Size a, Size b);
  /// `a`, or `b` if a is 0.
  Size nonzero_or(Size a, Size b);
  /// 1 or 0.
  Size is_zero(Size a);
  Size is_negative(Size a);

  /// `size` for runs in which no size is 0: a Reshape then copies no dimension instead of a size.
  Size without_zero_sizes(Size size);

  /// The number of expressions (for tests).
  std::size_t count() const;

 private:
  struct Storage;
  /// Whether the bounds show that a >= b in every run.
  bool is_at_least(Size a, Size b);
  /// Whether the bounds show that a < 0 in every run.
  bool is_below_zero(Size a);
  std::unique_ptr<Storage> storage_;
};

/// Whether both are known and equal in every run.
inline bool are_equal(Size a, Size b) {
  return a != nullptr && a == b;
}

/// Gives a factor its text; no value for a factor that has no name.
using FactorText = std::function<std::optional<std::string>(const SizeAtom& factor)>;
/// "2*batch*length + 1"; no value if a factor has no text.
std::optional<std::string> sum_text(const SizeExpression& size, const FactorText& text_of);
/// The same with the texts of all factors; symbols without names are s0, s1 and so on, in the order of their
/// creation.
std::string to_string(const SizeExpression& size);

}  // namespace onnx2ir::ir
