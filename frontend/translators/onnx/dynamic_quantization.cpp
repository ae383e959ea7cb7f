// DynamicQuantizeLinear. With exact quantisation it is expanded into the function body that ONNX defines.
#include "frontend/translators/families.hpp"
#include "frontend/translators/onnx/numeric.hpp"
#include "frontend/translators/onnx/quantization_steps.hpp"
#include "frontend/translators/onnx/shape_tools.hpp"

namespace onnx2ir::frontend {
namespace {

constexpr double kSteps = 255;

Value in_range(NodeContext& node, Value x) {
  return node.op(ops::Clamp, {x}, {{"min", 0.0}, {"max", kSteps}});
}

Value rounded(NodeContext& node, Value x) {
  return node.op(ops::Round, {x}, {{"mode", std::string("half_to_even")}});
}

/// DynamicQuantizeLinear 11: 256 steps between 0 and the extremes of x. The integers are marked, so that
/// products can be computed on x (leave_rounding_to_runtime).
Values dynamic_quantize_linear_11(NodeContext& node) {
  const Value x = node.input(0);
  const Value flattened = flat(node, x);
  const auto zero = [&] { return node.number_like(0, x); };
  const auto extreme = [&](ir::Op reduction, ir::Op choice) {
    const Value found = reduce(node, reduction, flattened, {0});
    return node.op(choice, {found, zero()});
  };
  const Value low = extreme(ops::ReduceMin, ops::Minimum);
  const Value high = extreme(ops::ReduceMax, ops::Maximum);
  const Value range = node.op(ops::Subtract, {high, low});
  const Value is_flat = node.op(ops::Equal, {range, zero()});
  const Value step = divide(node, range, node.number_like(kSteps, x));
  const Value scale = node.op(ops::Select, {is_flat, node.number_like(1, x), step});
  const Value offset = node.op(ops::Subtract, {zero(), exact_quotient(node, low, scale)});
  const Value zero_point = rounded(node, in_range(node, offset));
  const Value steps = rounded(node, quotient_to_round(node, x, scale));
  const Value shifted = in_range(node, node.op(ops::Add, {steps, zero_point}));
  const Value integers =
      node.op(ops::Convert, {shifted}, {{"destination_type", ElementType::u8}, {"covers_range", true}});
  return {integers, scale, convert(node, zero_point, ElementType::u8)};
}

}  // namespace

std::vector<TranslatorRow> dynamic_quantization_translators() {
  return {{.name = "DynamicQuantizeLinear",
           .since = 11,
           .translate = dynamic_quantize_linear_11,
           .is_for_fast_quantization = true}};
}

}  // namespace onnx2ir::frontend
