// Workaround for truncated_quotients: the CPU plugin rounds quotients of integers toward zero, also with
// m_pythondiv, which means toward minus infinity. The remainder is subtracted first, so that nothing is
// rounded.
#include "ir/views/elementwise.hpp"
#include "passes/analysis/constant_values.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

bool rounds_negative_quotients_down(ir::DivideView divide) {
  return ir::is_signed_integral(divide.a().type()) && divide.m_pythondiv().value_or(true) &&
         !(are_at_least(divide.a(), 0) && are_at_least(divide.b(), 0));
}

ir::Value divide_whole(ir::Builder& builder, ir::DivideView divide) {
  const ir::Value rest = builder.op(ops::FloorMod, {divide.a(), divide.b()});
  const ir::Value whole = builder.op(ops::Subtract, {divide.a(), rest});
  return builder.op(ops::Divide, {whole, divide.b()}, {{"m_pythondiv", false}});
}

}  // namespace

Workaround round_quotients_down() {
  return {
      .stage = Stage::operations,
      .summary = "Subtracts the remainder before a division of integers that rounds down",
      .rows = {row<rounds_negative_quotients_down, divide_whole>(Fault::truncated_quotients, {ops::Divide})}};
}

}  // namespace onnx2ir::passes
