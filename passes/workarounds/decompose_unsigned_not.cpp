// Workaround for unsigned_bitwise_not: the CPU plugin computes in i32 and saturates negative results to 0.
// BitwiseXor with a constant of ones gives the same bits without negative numbers.
#include "ir/views/unary.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

bool is_of_words(ir::BitwiseNotView inversion) {
  return inversion.data().type() == ir::ElementType::u16;
}

ir::Value decompose(ir::Builder& builder, ir::BitwiseNotView inversion) {
  constexpr std::int64_t kOnes = 0xffff;
  const ir::Value value = inversion.data();
  return builder.op(ops::BitwiseXor, {value, builder.integer(kOnes, value.type())});
}

}  // namespace

Workaround decompose_unsigned_not() {
  return {.stage = Stage::imported,
          .summary = "Replaces BitwiseNot of u16 by BitwiseXor",
          .rows = {row<is_of_words, decompose>(Fault::unsigned_bitwise_not, {ops::BitwiseNot})}};
}

}  // namespace onnx2ir::passes
