// Workaround for halved_filters: oneDNN halves the filters of a Convolution of signed integers of 8 bits on
// CPUs without VNNI, so that its sums of 16 bits cannot overflow, and the filters lose their last bit. A
// FakeQuantize that changes no number makes the integers unsigned. They stay integers on all CPUs.
#include <algorithm>
#include <optional>

#include "ir/views/elementwise.hpp"
#include "ir/views/unary.hpp"
#include "passes/analysis/fused_chain.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

/// (integers of i8 - zero point) * scale
struct SignedIntegers {
  double zero_point;
  double scale;
};

/// The integers that `multiply` scales; no value if it scales something else, or by several numbers.
std::optional<SignedIntegers> signed_integers(const ir::Node& multiply) {
  const ir::Value scaled = variable_operand(multiply);
  const ir::Value factor = constant_operand(multiply);
  const auto scale = scaled && factor ? ir::exact_number(factor) : std::nullopt;
  if (!scale || *scale <= 0) return std::nullopt;
  ir::Value integers = scaled;
  std::optional<double> zero_point = 0;
  if (const auto difference = ir::match<ir::SubtractView>(integers)) {
    zero_point = ir::exact_number(difference->b());
    integers = difference->a();
  }
  const auto convert = ir::match<ir::ConvertView>(integers);
  if (!zero_point || !convert || convert->data().type() != ir::ElementType::i8) return std::nullopt;
  return SignedIntegers{*zero_point, *scale};
}

/// Fault::halved_filters. OpenVINO computes with integers only in a model with a FakeQuantize.
bool precedes_convolution(const ir::Node& node) {
  if (!node.graph().may_hold(kConvolutions) || !signed_integers(node)) return false;
  const auto& uses = node.output(0).uses;
  const auto is_rounding = [](const ir::Use& use) { return use.node->is(ops::FakeQuantize); };
  return !std::ranges::all_of(uses, is_rounding) && any_is_one_of(readers_past_moves(node), kConvolutions);
}

void round_to_integers(ir::Builder& builder, ir::Node& node) {
  constexpr std::int64_t kLevels = 256;
  constexpr double kLeast = -128;
  constexpr double kMost = 127;
  const SignedIntegers integers = *signed_integers(node);
  const ir::Value numbers = node.value();
  const ir::Value low = builder.number_like((kLeast - integers.zero_point) * integers.scale, numbers);
  const ir::Value high = builder.number_like((kMost - integers.zero_point) * integers.scale, numbers);
  const ir::Value rounded =
      builder.op(ops::FakeQuantize, {numbers, low, high, low, high}, {{"levels", kLevels}});
  ir::replace_uses_except(numbers, rounded, *rounded.node);
}

}  // namespace

Workaround round_signed_inputs() {
  return {.stage = Stage::kernels,
          .summary = "Puts a FakeQuantize without effect between integers of i8 and a Convolution",
          .rows = {row<precedes_convolution, round_to_integers>(Fault::halved_filters, {ops::Multiply},
                                                                kIfQuantized)}};
}

}  // namespace onnx2ir::passes
