// Workaround for unsigned_right_shift: the CPU plugin computes in i32, and a shift to the right copies the
// sign.
#include "ir/views/elementwise.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

constexpr std::int64_t kBits = 32;
constexpr std::int64_t kLargest = 0x7fffffff;

/// Whether `mask` has no ones where a shift by `count` copies the sign.
bool clears_sign(ir::Value mask, ir::Value count) {
  const auto places = ir::known_scalar(count);
  const auto ones = ir::known_scalar(mask);
  if (places && ones) return *places >= 0 && *places < kBits && (*ones >> (kBits - *places)) == 0;
  const auto sum = ir::match<ir::BitwiseOrView>(mask);
  const auto doubled = sum ? ir::match<ir::BitwiseLeftShiftView>(sum->a()) : std::nullopt;
  const auto shifted = doubled ? ir::match<ir::BitwiseRightShiftView>(doubled->a()) : std::nullopt;
  return shifted && shifted->b() == count && ir::known_scalar(shifted->a()) == kLargest;
}

bool copies_sign(ir::BitwiseRightShiftView shift) {
  if (shift.a().type() != ir::ElementType::u32 || ir::is_computed_from_constants(shift.a())) return false;
  const auto& uses = shift.output(0).uses;
  const auto masked = uses.size() == 1 ? ir::match<ir::BitwiseAndView>(*uses[0].node) : std::nullopt;
  return !masked || !clears_sign(masked->b(), shift.b());
}

/// Clears the upper bits of the result. The mask is computed without a sign: ((2^31 - 1) >> count) * 2 + 1.
ir::Value clear_upper_bits(ir::Builder& builder, ir::BitwiseRightShiftView shift) {
  const ir::Value x = shift.a();
  const ir::Value count = shift.b();
  const auto places = ir::known_scalar(count);
  if (places == 0 && x.shape() == shift.output(0).shape) return x;
  ir::Value mask;
  if (places && *places > 0 && *places < kBits) {
    mask = builder.integer((std::int64_t{1} << (kBits - *places)) - 1, x.type());
  } else {
    const ir::Value one = builder.integer(1, x.type());
    const ir::Value half = builder.op(ops::BitwiseRightShift, {builder.integer(kLargest, x.type()), count});
    mask = builder.op(ops::BitwiseOr, {builder.op(ops::BitwiseLeftShift, {half, one}), one});
  }
  return builder.op(ops::BitwiseAnd, {builder.op(ops::BitwiseRightShift, {x, count}), mask});
}

}  // namespace

Workaround decompose_unsigned_shifts() {
  return {
      .stage = Stage::operations,
      .summary = "Clears the bits of the sign that shifts of u32 to the right copy",
      .rows = {row<copies_sign, clear_upper_bits>(Fault::unsigned_right_shift, {ops::BitwiseRightShift})}};
}

}  // namespace onnx2ir::passes
