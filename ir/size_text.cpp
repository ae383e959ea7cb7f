#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "ir/size_expression.hpp"

namespace onnx2ir::ir {
namespace {

using Kind = SizeAtom::Kind;

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
