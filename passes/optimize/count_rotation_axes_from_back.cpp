// Gives the axis -1 to the Concats along the last axis of a rotary embedding: the Concat of (-second half,
// first half) and, if only a part is rotated, the Concat of the rotated elements and the others. The CPU
// plugin fuses the embedding into a RoPE only in this form.
#include <iterator>

#include "ir/views/joining.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

ir::Value count_from_back(ir::Builder& builder, ir::ConcatView concat) {
  const ir::PartialShape& shape = concat.output(0).shape;
  const auto parts = concat.parts();
  if (parts.size() != 2 || !shape.has_rank() || concat.axis() != std::ssize(shape.dimensions()) - 1)
    return {};
  const bool joins_halves = parts[0].node->is(ops::Negative);
  // A sum, which may be the rotated elements, and a part of another value.
  const bool joins_rotated_part =
      parts[0].node->is(ops::Add) && parts[1].node->is_one_of({ops::Slice, ops::VariadicSplit});
  if (!joins_halves && !joins_rotated_part) return {};
  return builder.op(ops::Concat, {parts[0], parts[1]}, {{"axis", -1}});
}

}  // namespace

bool count_rotation_axes_from_back(ir::Model& model, PassContext&) {
  return rewrite_values(model, {ops::Concat}, count_from_back);
}

}  // namespace onnx2ir::passes
