// Workaround for unsigned_bitwise_not: the CPU plugin computes in i32 and saturates negative results to 0.
// BitwiseXor with a constant of ones gives the same bits without negative numbers.
#include "passes/legality/all_workarounds.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

bool is_of_words(const ir::Node& node) {
  return node.input(0).type() == ir::ElementType::u16;
}

ir::Value decompose(ir::Builder& builder, const ir::Node& node) {
  constexpr std::int64_t kOnes = 0xffff;
  const ir::Value value = node.input(0);
  return builder.op(ops::BitwiseXor, {value, builder.integer(kOnes, value.type())});
}

}  // namespace

Workaround decompose_unsigned_not() {
  return {.name = "decompose_unsigned_not",
          .stage = Stage::imported,
          .summary = "Replaces BitwiseNot of u16 by BitwiseXor",
          .rows = {LegalizationRow{
              Fault::unsigned_bitwise_not, {ops::BitwiseNot}, is_of_words, replace<decompose>}}};
}

}  // namespace onnx2ir::passes
