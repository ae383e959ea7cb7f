// Appends an unused byte to the bytes of a StringTensorPack if they may be empty: the CPU plugin does not run
// an operation with an empty input, although the strings may all be "" (empty_string_bytes).

#include "ir/views/string.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

bool may_have_no_bytes(ir::StringTensorPackView pack) {
  return pack.bytes().shape()[0].min == 0;
}

ir::Value pad_bytes(ir::Builder& builder, ir::StringTensorPackView pack) {
  const ir::Value bytes = pack.bytes();
  const ir::Value more = ir::concat(builder, {bytes, builder.integers({0}, ir::ElementType::u8)});
  return ir::clone_with_input(builder, pack, ir::StringTensorPackView::Input::bytes, more);
}

}  // namespace

Workaround pad_string_bytes() {
  return {.stage = Stage::operations,
          .summary = "Appends a byte to the bytes of strings if they may be empty",
          .rows = {row<may_have_no_bytes, pad_bytes>(Fault::empty_string_bytes, {ops::StringTensorPack})}};
}

}  // namespace onnx2ir::passes
