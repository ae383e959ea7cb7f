// Workaround for unsigned_bitwise_not: the CPU plugin computes in i32 and saturates negative results to 0.
// BitwiseXor with a constant of ones gives the same bits without negative numbers.
#include "passes/passes.hpp"
#include "passes/rewrite.hpp"

namespace onnx2ir::passes {
namespace {

ir::Value decompose(ir::Builder& builder, ir::Node& node) {
  constexpr std::int64_t kOnes = 0xffff;
  const ir::Value value = node.input(0);
  if (value.type() != ir::ElementType::u16) return {};
  return builder.op(ops::BitwiseXor, {value, builder.integer(kOnes, value.type())});
}

}  // namespace

bool decompose_unsigned_not(ir::Model& model, PassContext&) {
  return rewrite_values(model, {ops::BitwiseNot}, decompose);
}

}  // namespace onnx2ir::passes
