#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "ir/size_expression.hpp"

namespace onnx2ir::ir {
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
