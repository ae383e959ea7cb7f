// Without bf16 instructions the CPU plugin computes bf16 in f32, and changes infinities in bf16 constants to
// the largest finite numbers (bf16_constant_infinity in tests/faults). Elementwise operations that read such
// a constant are computed in f32, which keeps infinities.
#include <algorithm>
#include <cmath>

#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

// Larger constants are weights and masks, in which the largest finite number serves as well.
constexpr std::int64_t kMaxElements = 1 << 16;

bool has_infinity(ir::Value constant) {
  const auto count = constant.shape().element_count();
  const auto numbers = count && *count <= kMaxElements ? ir::exact_numbers(constant) : std::nullopt;
  return numbers && std::ranges::any_of(*numbers, [](double number) { return std::isinf(number); });
}

/// Whether OpenVINO folds a value into a bf16 constant with infinities.
bool is_infinite_bf16_constant(ir::Value value) {
  if (value.type() != ir::ElementType::bf16) return false;
  constexpr ir::OperationSet kFolded = {ops::Reshape, ops::Unsqueeze, ops::Squeeze, ops::Broadcast,
                                        ops::Convert};
  while (value.node->is_one_of(kFolded)) value = value.node->input(0);
  return value.node->is(ops::Const) && ir::is_floating(value.type()) && has_infinity(value);
}

bool reads_infinity(const ir::Node& node) {
  return std::ranges::any_of(node.inputs(), is_infinite_bf16_constant);
}

ir::Value widen(ir::Builder& builder, const ir::Node& node) {
  std::vector<ir::Value> inputs;
  for (const ir::Value input : node.inputs()) {
    const bool is_bf16 = input.type() == ir::ElementType::bf16;
    inputs.push_back(is_bf16 ? ir::convert(builder, input, ir::ElementType::f32) : input);
  }
  return ir::convert(builder, builder.clone(node, inputs).value(), node.output(0).type);
}

}  // namespace

Workaround widen_infinite_constants() {
  return {.stage = Stage::kernels,
          .summary = "Computes operations on bf16 constants with infinities in f32",
          .rows = {row<reads_infinity, widen>(
              Fault::bf16_constant_infinity,
              {ops::Add, ops::Subtract, ops::Multiply, ops::Divide, ops::Maximum, ops::Minimum, ops::Equal,
               ops::NotEqual, ops::Less, ops::LessEqual, ops::Greater, ops::GreaterEqual, ops::Select})}};
}

}  // namespace onnx2ir::passes
