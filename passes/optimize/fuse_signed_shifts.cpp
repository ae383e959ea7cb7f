// PyTorch's exporter writes x >> k of signed integers, which ONNX's BitShift does not have, as a shift of
// unsigned ones and bits of the sign: x < 0 ? (unsigned(x) >> k) | sign : unsigned(x) >> k. OpenVINO shifts
// signed integers, and the CPU plugin has no unsigned ones of 32 bits and more.
#include <cstdint>

#include "ir/element_bits.hpp"
#include "ir/views/elementwise.hpp"
#include "passes/passes.hpp"
#include "passes/pattern.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether `value` is a constant of one element with ones in the upper `count` bits and zeros below.
bool has_upper_bits(ir::Value value, std::int64_t count) {
  const ir::ConstantData* const data = value.node->constant();
  const std::int64_t bits = ir::info(value.type()).bits;
  if (data == nullptr || value.shape().element_count() != 1 || count < 1 || count >= bits) return false;
  const std::uint64_t all = ~std::uint64_t{0} >> static_cast<unsigned>(64 - bits);
  const std::uint64_t upper = all & (all << static_cast<unsigned>(bits - count));
  return ir::element_bits(value.type(), data->bytes(), 0) == upper;
}

ir::Value fuse(ir::Builder& builder, ir::SelectView select) {
  ir::Value x;
  ir::Value zero;
  ir::Value words;
  ir::Value count;
  ir::Value shifted;
  ir::Value sign;
  const auto shift = op(ops::BitwiseRightShift, any(words, op(ops::Convert, same(x))), any(count));
  if (!matches(select.condition(), op(ops::Less, any(x), any(zero))) || ir::known_scalar(zero) != 0)
    return {};
  if (!matches(select.else_value(), op(ops::Convert, any(shifted, shift)))) return {};
  if (!matches(select.then_value(), op(ops::Convert, commutative(ops::BitwiseOr, same(shifted), any(sign)))))
    return {};
  const ir::ElementType type = select.output(0).type;
  const auto places = ir::known_scalar(count);
  const bool has_bits = ir::is_signed_integral(type) && x.type() == type &&
                        !ir::is_signed_integral(words.type()) &&
                        ir::info(words.type()).bits == ir::info(type).bits;
  if (!has_bits || !places || !has_upper_bits(sign, *places)) return {};
  const ir::Value result = builder.op(ops::BitwiseRightShift, {x, builder.integer(*places, type)});
  return result.shape() == select.output(0).shape ? result : ir::Value{};
}

}  // namespace

bool fuse_signed_shifts(ir::Model& model, PassContext&) {
  return rewrite_values(model, {ops::Select}, fuse);
}

}  // namespace onnx2ir::passes
