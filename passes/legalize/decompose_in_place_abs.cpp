// The CPU plugin computes Abs of a concatenated vector in place even if the vector has other uses, which then
// read the absolute values (measured on 2026.4; other ranks and other operations are computed correctly).
#include "passes/passes.hpp"
#include "passes/rewrite.hpp"

namespace onnx2ir::passes {
namespace {

bool is_shared_concatenation(ir::Value value) {
  if (!value.shape().has_rank() || value.shape().rank() != 1) return false;
  bool is_shared = false;
  while (true) {
    is_shared = is_shared || value.node->output(value.index).uses.size() > 1;
    if (!value.node->is(ops::Identity)) break;
    value = value.node->input(0);
  }
  return is_shared && value.node->is(ops::Concat);
}

ir::Value decompose(ir::Builder& builder, const ir::Node& node) {
  const ir::Value value = node.input(0);
  if (!is_shared_concatenation(value)) return {};
  return builder.op(ops::Maximum,
                    {value, builder.op(ops::Multiply, {value, builder.number_like(-1, value)})});
}

}  // namespace

bool decompose_in_place_abs(ir::Model& model, PassContext&) {
  return rewrite_values(model, {ops::Abs}, decompose);
}

}  // namespace onnx2ir::passes
