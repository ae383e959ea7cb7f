// The equation of an Einsum.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace onnx2ir::ir {

/// One letter for each axis, without spaces; '.' stands for an ellipsis.
struct EinsumEquation {
  std::vector<std::string> inputs;
  std::string output;
};

/// Without an arrow, the output has the labels that occur once, sorted, after the ellipsis. Throws Failure
/// (invalid_node) if a '.' is not part of an ellipsis, or if a term has two of them.
EinsumEquation parse_einsum(std::string_view text);

/// The equation with an arrow.
std::string to_string(const EinsumEquation& equation);

}  // namespace onnx2ir::ir
