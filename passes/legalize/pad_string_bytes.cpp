// Appends an unused byte to the bytes of a StringTensorPack if they may be empty: the CPU plugin does not run
// an operation with an empty input, although the strings may all be "" (empty_string_bytes).
#include <array>

#include "ir/shape_tools.hpp"
#include "passes/passes.hpp"
#include "passes/rewrite.hpp"

namespace onnx2ir::passes {
namespace {

ir::Value padded(ir::Builder& builder, const ir::Node& pack) {
  const ir::Value bytes = pack.input(2);
  if (bytes.shape()[0].min > 0) return {};
  const ir::Value more = ir::concat(builder, {bytes, builder.integers({0}, ir::ElementType::u8)});
  return builder.clone(pack, std::array{pack.input(0), pack.input(1), more}).value();
}

}  // namespace

bool pad_string_bytes(ir::Model& model, PassContext&) {
  return rewrite_values(model, {ops::StringTensorPack}, padded);
}

}  // namespace onnx2ir::passes
