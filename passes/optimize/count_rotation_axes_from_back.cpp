// Gives the axis -1 to the Concats along the last axis of a rotary embedding: the Concat of (-second half,
// first half) and, if only a part is rotated, the Concat of the rotated elements and the others. The CPU
// plugin fuses the embedding into a RoPE only in this form.
#include "ir/views/joining.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether `concat` joins the negative second half and the first one.
bool joins_halves(ir::ConcatView concat) {
  return concat.parts()[0].node->is(ops::Negative);
}

/// Whether `concat` joins a sum, which may be the rotated elements, and a part of another value.
bool joins_rotated_part(ir::ConcatView concat) {
  return concat.parts()[0].node->is(ops::Add) &&
         concat.parts()[1].node->is_one_of({ops::Slice, ops::VariadicSplit});
}

bool is_rotation(ir::ConcatView concat) {
  const ir::PartialShape& shape = concat.output(0).shape;
  return concat.parts().size() == 2 && shape.has_rank() &&
         concat.axis() == static_cast<std::int64_t>(shape.rank()) - 1 &&
         (joins_halves(concat) || joins_rotated_part(concat));
}

ir::Value count_from_back(ir::Builder& builder, ir::ConcatView concat) {
  if (!is_rotation(concat)) return {};
  return builder.op(ops::Concat, {concat.parts()[0], concat.parts()[1]}, {{"axis", -1}});
}

}  // namespace

bool count_rotation_axes_from_back(ir::Model& model, PassContext&) {
  return rewrite_values(model, {ops::Concat}, count_from_back);
}

}  // namespace onnx2ir::passes
