#include "passes/constant_values.hpp"

#include <algorithm>

namespace onnx2ir::passes {

bool is_folded(ir::Value value, int depth) {
  if (value.node->is(ops::Const)) return true;
  const auto inputs = value.node->inputs();
  if (depth == 0 || inputs.empty() || value.node->has_payload()) return false;
  return std::ranges::all_of(inputs, [&](ir::Value input) { return is_folded(input, depth - 1); });
}

}  // namespace onnx2ir::passes
