#include "ir/einsum_equation.hpp"

#include <map>

#include "base/joined.hpp"
#include "ir/inference.hpp"

namespace onnx2ir::ir {
namespace {

constexpr std::string_view kEllipsis = "...";

std::string compact(std::string_view term) {
  std::string labels;
  for (std::size_t i = 0; i < term.size(); ++i) {
    if (term[i] == ' ') continue;
    if (term[i] == '.') {
      require(term.substr(i).starts_with(kEllipsis),
              "a '.' in an Einsum equation is not part of an ellipsis");
      require(labels.find('.') == std::string::npos, "an Einsum term has two ellipses");
      i += kEllipsis.size() - 1;
    }
    labels += term[i];
  }
  return labels;
}

std::string implicit_output(const std::vector<std::string>& inputs) {
  std::map<char, int> counts;
  for (const std::string& labels : inputs) {
    for (const char label : labels) ++counts[label];
  }
  std::string output(counts.contains('.') ? "." : "");
  for (const auto& [label, count] : counts) {
    if (label != '.' && count == 1) output += label;
  }
  return output;
}

/// A term as it is in an equation.
std::string term_text(std::string labels) {
  const std::size_t dot = labels.find('.');
  return dot == std::string::npos ? labels : labels.replace(dot, 1, kEllipsis);
}

}  // namespace

EinsumEquation parse_einsum(std::string_view text) {
  EinsumEquation equation;
  const std::size_t arrow = text.find("->");
  std::string_view left = text.substr(0, arrow);
  for (std::size_t comma = left.find(','); comma != std::string_view::npos; comma = left.find(',')) {
    equation.inputs.push_back(compact(left.substr(0, comma)));
    left.remove_prefix(comma + 1);
  }
  equation.inputs.push_back(compact(left));
  equation.output =
      arrow == std::string_view::npos ? implicit_output(equation.inputs) : compact(text.substr(arrow + 2));
  return equation;
}

std::string to_string(const EinsumEquation& equation) {
  return base::joined(equation.inputs, ",", term_text) + "->" + term_text(equation.output);
}

}  // namespace onnx2ir::ir
