// The CPU plugin computes Abs of a concatenated vector in place even if the vector has other uses, which then
// read the absolute values (measured on 2026.4; other ranks and other operations are computed correctly).
#include "ir/views/reshaping.hpp"
#include "ir/views/unary.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

bool is_shared_concatenation(ir::Value value) {
  if (!value.shape().has_rank(1)) return false;
  bool is_shared = false;
  while (true) {
    is_shared = is_shared || value.node->output(value.index).uses.size() > 1;
    const auto identity = ir::match<ir::IdentityView>(value);
    if (!identity) break;
    value = identity->data();
  }
  return is_shared && value.node->is(ops::Concat);
}

bool reads_shared_concatenation(ir::AbsView abs) {
  return is_shared_concatenation(abs.data());
}

ir::Value decompose(ir::Builder& builder, ir::AbsView abs) {
  const ir::Value value = abs.data();
  return builder.op(ops::Maximum,
                    {value, builder.op(ops::Multiply, {value, builder.number_like(-1, value)})});
}

}  // namespace

Workaround decompose_in_place_abs() {
  return {.stage = Stage::kernels,
          .summary = "Decomposes Abs of a concatenated vector that has other uses",
          .rows = {row<reads_shared_concatenation, decompose>(Fault::abs_in_place, {ops::Abs})}};
}

}  // namespace onnx2ir::passes
