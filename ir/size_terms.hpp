// Arithmetic with the terms of expressions of sizes.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/size_expression.hpp"

namespace onnx2ir::ir {

/// The most terms of an expression.
inline constexpr std::size_t kMaxSizeTerms = 8;
/// The largest numerator and denominator of a term.
inline constexpr std::int64_t kMaxSizeNumber = std::int64_t{1} << 60;

/// No value if a number is too large, or if there are too many factors.
std::optional<SizeTerm> product_of(const SizeTerm& a, const SizeTerm& b);
/// No value if `b` has a factor that `a` does not have, or if a number is too large.
std::optional<SizeTerm> quotient_of(const SizeTerm& a, const SizeTerm& b);
/// Adds `term` to sorted terms; false if there are too many, or if a number is too large.
bool add_term(SizeTerms& terms, const SizeTerm& term);
/// False if a term grows without limit, as far as its form tells: the sum then has no upper bound.
bool may_have_upper_bound(const SizeTerms& terms);

}  // namespace onnx2ir::ir
