// Workaround for einsum_labels: removes ellipses, repeated labels in a term, and scalars from an Einsum. An
// ellipsis becomes unused labels, a repeated label becomes a diagonal, and scalars are multiplied afterwards.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "ir/einsum_equation.hpp"
#include "ir/views/linear_algebra.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

using ir::Value;

struct Term {
  std::string labels;  ///< one letter for each axis of the value; '.' stands for an ellipsis
  Value value;
};

struct Equation {
  std::vector<Term> terms;
  std::string output;
};

Equation parse(ir::EinsumView einsum) {
  ir::EinsumEquation parsed = ir::parse_einsum(einsum.equation());
  Equation equation{{}, std::move(parsed.output)};
  for (std::size_t i = 0; i < parsed.inputs.size(); ++i)
    equation.terms.push_back({std::move(parsed.inputs[i]), einsum.terms()[i]});
  return equation;
}

bool has_ellipsis(const std::string& labels) {
  return labels.find('.') != std::string::npos;
}

/// The first label that occurs more than once; `labels.end()` if all labels differ.
auto repeated_label(const std::string& labels) {
  return std::ranges::find_if(labels, [&](char label) { return std::ranges::count(labels, label) > 1; });
}

bool is_supported(const Equation& equation) {
  return std::ranges::none_of(equation.terms, [](const Term& term) {
    return term.labels.empty() || has_ellipsis(term.labels) ||
           repeated_label(term.labels) != term.labels.end();
  });
}

/// `count` letters that the equation does not use; no value if too few letters are left.
std::optional<std::string> unused_letters(const Equation& equation, std::size_t count) {
  std::string used = equation.output;
  for (const Term& term : equation.terms) used += term.labels;
  std::string letters;
  for (const char letter : std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
    if (letters.size() < count && used.find(letter) == std::string::npos) letters += letter;
  }
  return letters.size() == count ? std::optional(letters) : std::nullopt;
}

/// The axes that the ellipsis of `term` stands for: {first, count}.
std::pair<std::size_t, std::size_t> ellipsis_axes(const Term& term) {
  const std::size_t first = term.labels.find('.');
  return {first, term.value.shape().rank() - (term.labels.size() - 1)};
}

/// The size of the terms that are not broadcast along an axis: 1 if all are of size 1. No value if the sizes
/// may have to be broadcast at run time.
std::optional<ir::Dimension> common_size(const Equation& equation, char letter) {
  std::optional<ir::Dimension> common;
  for (const Term& term : equation.terms) {
    const std::size_t axis = term.labels.find(letter);
    if (axis == std::string::npos) continue;
    const ir::Dimension size = term.value.shape()[axis];
    if (size == ir::Dimension(1)) continue;
    if (common && (size.is_dynamic() || size != *common)) return std::nullopt;
    common = size;
  }
  return common.value_or(ir::Dimension(1));
}

/// Removes axes of size 1 that are broadcast.
void remove_broadcast_axes(ir::Builder& builder, Equation& equation, const std::string& letters) {
  for (const char letter : letters) {
    if (common_size(equation, letter) == ir::Dimension(1)) continue;
    for (Term& term : equation.terms) {
      const std::size_t axis = term.labels.find(letter);
      if (axis == std::string::npos || term.value.shape()[axis] != ir::Dimension(1)) continue;
      term.value = ir::squeeze(builder, term.value, {static_cast<std::int64_t>(axis)});
      term.labels.erase(axis, 1);
    }
  }
}

/// Replaces ellipses by labels, and returns these. No value if the sizes of their axes may have to be
/// broadcast at run time.
std::optional<std::string> expand_ellipses(Equation& equation) {
  std::size_t most = 0;
  for (const Term& term : equation.terms) {
    if (!term.value.shape().has_rank()) return std::nullopt;
    if (has_ellipsis(term.labels)) most = std::max(most, ellipsis_axes(term).second);
  }
  const auto letters = unused_letters(equation, most);
  if (!letters) return std::nullopt;
  for (Term& term : equation.terms) {
    if (!has_ellipsis(term.labels)) continue;
    const auto [first, count] = ellipsis_axes(term);
    term.labels.replace(first, 1, letters->substr(most - count));
  }
  if (has_ellipsis(equation.output)) equation.output.replace(equation.output.find('.'), 1, *letters);
  const bool is_broadcast_known =
      std::ranges::all_of(*letters, [&](char letter) { return common_size(equation, letter).has_value(); });
  return is_broadcast_known ? letters : std::nullopt;
}

/// Takes the diagonal of two axes of size n: moves the two axes to the end, joins them into one, and takes
/// every (n + 1)-th element.
void take_diagonal(ir::Builder& builder, Term& term, std::size_t first, std::size_t second) {
  const auto rank = static_cast<std::int64_t>(term.labels.size());
  std::vector<std::int64_t> order;
  std::string labels;
  for (std::size_t axis = 0; axis < term.labels.size(); ++axis) {
    if (axis == first || axis == second) continue;
    order.push_back(static_cast<std::int64_t>(axis));
    labels += term.labels[axis];
  }
  order.push_back(static_cast<std::int64_t>(first));
  order.push_back(static_cast<std::int64_t>(second));
  labels += term.labels[first];
  const Value last = ir::transpose(builder, term.value, order);
  const Value shape = ir::compute_shape_of(builder, last);
  const auto part = [&](std::int64_t begin, std::int64_t end) {
    return ir::slice(builder, shape, begin, end, 0);
  };
  const Value size = part(rank - 1, rank);
  const Value square = builder.op(ops::Multiply, {size, size});
  const Value joined =
      ir::reshape(builder, last, rank == 2 ? square : ir::concat(builder, {part(0, rank - 2), square}));
  const Value step = builder.op(ops::Add, {size, builder.integers({1})});
  term.value =
      builder.op(ops::Slice, {joined, builder.integers({0}), square, step, builder.integers({rank - 2})});
  term.labels = labels;
}

void take_diagonals(ir::Builder& builder, Term& term) {
  for (auto repeated = repeated_label(term.labels); repeated != term.labels.end();
       repeated = repeated_label(term.labels)) {
    const auto first = static_cast<std::size_t>(repeated - term.labels.begin());
    take_diagonal(builder, term, first, term.labels.find(*repeated, first + 1));
  }
}

/// The product of the scalars and the Einsum of all other terms.
Value multiply_terms(ir::Builder& builder, const Equation& equation) {
  std::string text;
  std::vector<Value> inputs;
  std::vector<Value> scalars;
  for (const Term& term : equation.terms) {
    if (term.labels.empty()) {
      scalars.push_back(term.value);
      continue;
    }
    text += (inputs.empty() ? "" : ",") + term.labels;
    inputs.push_back(term.value);
  }
  Value result;
  if (inputs.size() == 1 && equation.terms.size() == 1 && text == equation.output) {
    result = inputs.front();
  } else if (!inputs.empty()) {
    result = builder.op(ops::Einsum, inputs, {{"equation", text + "->" + equation.output}});
  }
  for (const Value scalar : scalars) result = result ? builder.op(ops::Multiply, {result, scalar}) : scalar;
  return result;
}

bool is_affected(const ir::Node& node) {
  Equation equation = parse(node);
  return !is_supported(equation) && expand_ellipses(equation);
}

Value decompose(ir::Builder& builder, const ir::Node& node) {
  Equation equation = parse(node);
  remove_broadcast_axes(builder, equation, *expand_ellipses(equation));
  for (Term& term : equation.terms) take_diagonals(builder, term);
  return multiply_terms(builder, equation);
}

}  // namespace

Workaround decompose_einsum_labels() {
  return {.summary = "Decomposes ellipses, repeated labels and scalars of Einsum",
          .stages = {{Stage::imported, {row<is_affected, decompose>(Fault::einsum_labels, {ops::Einsum})}}}};
}

}  // namespace onnx2ir::passes
