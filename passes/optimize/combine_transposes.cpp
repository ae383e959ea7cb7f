// Replaces a Transpose of a Transpose by one Transpose. (If that has no effect, remove_no_ops removes it.)
#include "ir/views/reshaping.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

ir::Value combine(ir::Builder& builder, ir::TransposeView outer) {
  const auto inner = ir::match<ir::TransposeView>(outer.data());
  if (!inner) return {};
  const auto first = ir::exact_order(*inner);
  const auto second = ir::exact_order(outer);
  if (!first || !second) return {};
  std::vector<std::int64_t> order;
  for (const std::int64_t axis : *second) order.push_back((*first)[static_cast<std::size_t>(axis)]);
  return ir::transpose(builder, inner->data(), order);
}

}  // namespace

bool combine_transposes(ir::Model& model, PassContext&) {
  return rewrite_values(model, {ops::Transpose}, combine);
}

}  // namespace onnx2ir::passes
