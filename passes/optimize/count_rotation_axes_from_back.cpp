// Gives the Concat of a rotary embedding, (-second half, first half) along the last axis, the axis -1. The
// CPU plugin fuses the embedding into a RoPE only in this form.
#include "ir/inference.hpp"
#include "passes/passes.hpp"
#include "passes/rewrite.hpp"

namespace onnx2ir::passes {
namespace {

bool is_rotation(const ir::Node& concat) {
  const ir::PartialShape& shape = concat.output(0).shape;
  return concat.inputs().size() == 2 && concat.input(0).node->is(ops::Negative) && shape.has_rank() &&
         concat.integer("axis") == static_cast<std::int64_t>(shape.rank()) - 1;
}

ir::Value counted_from_back(ir::Builder& builder, const ir::Node& concat) {
  if (!is_rotation(concat)) return {};
  return builder.op(ops::Concat, {concat.input(0), concat.input(1)}, {{"axis", -1}});
}

}  // namespace

bool count_rotation_axes_from_back(ir::Model& model, PassContext&) {
  return rewrite_values(model, {ops::Concat}, counted_from_back);
}

}  // namespace onnx2ir::passes
