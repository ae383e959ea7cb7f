// Replaces a Transpose of a Transpose by one Transpose. (If that has no effect, remove_no_ops removes it.)
#include "ir/shape_tools.hpp"
#include "passes/passes.hpp"
#include "passes/rewrite.hpp"

namespace onnx2ir::passes {
namespace {

ir::Value combine(ir::Builder& builder, const ir::Node& outer) {
  if (!outer.input(0).node->is(ops::Transpose)) return {};
  const ir::Node& inner = *outer.input(0).node;
  const auto first = ir::exact_order(inner);
  const auto second = ir::exact_order(outer);
  if (!first || !second) return {};
  std::vector<std::int64_t> order;
  for (const std::int64_t axis : *second) order.push_back((*first)[static_cast<std::size_t>(axis)]);
  return ir::transpose(builder, inner.input(0), order);
}

}  // namespace

bool combine_transposes(ir::Model& model, PassContext&) {
  return rewrite_values(model, {ops::Transpose}, combine);
}

}  // namespace onnx2ir::passes
