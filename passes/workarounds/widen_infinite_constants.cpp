// Without bf16 instructions the CPU plugin computes bf16 in f32, and changes infinities in bf16 constants to
// the largest finite numbers (bf16_constant_infinity in tests/faults). Elementwise operations that read such
// a constant are computed in f32, which keeps infinities.
#include <algorithm>
#include <cmath>

#include "ir/shape_tools.hpp"
#include "passes/legality/all_workarounds.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

// Larger constants are weights and masks, in which the largest finite number serves as well.
constexpr std::int64_t kMaxElements = 1 << 16;

bool has_infinity(const ir::Node& node) {
  const ir::ConstantData* const data = node.constant();
  const auto count = node.output(0).shape.element_count();
  if (data == nullptr || !count || *count > kMaxElements) return false;
  const auto numbers =
      ir::decode_numbers(node.output(0).type, data->bytes(), static_cast<std::size_t>(*count));
  return numbers && std::ranges::any_of(*numbers, [](double number) { return std::isinf(number); });
}

/// Whether OpenVINO folds a value into a bf16 constant with infinities.
bool is_infinite_bf16_constant(ir::Value value) {
  if (value.type() != ir::ElementType::bf16) return false;
  while (value.node->is(ops::Reshape) || value.node->is(ops::Unsqueeze) || value.node->is(ops::Squeeze) ||
         value.node->is(ops::Broadcast) || value.node->is(ops::Convert)) {
    value = value.node->input(0);
  }
  return value.node->is(ops::Const) && ir::is_floating(value.type()) && has_infinity(*value.node);
}

bool reads_infinity(const ir::Node& node) {
  return std::ranges::any_of(node.inputs(), is_infinite_bf16_constant);
}

ir::Value widened(ir::Builder& builder, const ir::Node& node) {
  base::SmallVector<ir::Value, 3> inputs;
  for (const ir::Value input : node.inputs()) {
    const bool is_bf16 = input.type() == ir::ElementType::bf16;
    inputs.push_back(is_bf16 ? ir::convert(builder, input, ir::ElementType::f32) : input);
  }
  const std::span<const ir::Value> wide_inputs(inputs.data(), inputs.size());
  const ir::Value result = builder.node(node.op().id, wide_inputs, node.attributes()).value();
  const ir::ElementType type = node.output(0).type;
  return ir::convert(builder, result, type);
}

}  // namespace

Workaround widen_infinite_constants() {
  return {.name = "widen_infinite_constants",
          .stage = Stage::kernels,
          .summary = "Computes operations on bf16 constants with infinities in f32",
          .rows = {LegalizationRow{
              Fault::bf16_constant_infinity,
              {ops::Add, ops::Subtract, ops::Multiply, ops::Divide, ops::Maximum, ops::Minimum, ops::Equal,
               ops::NotEqual, ops::Less, ops::LessEqual, ops::Greater, ops::GreaterEqual, ops::Select},
              reads_infinity,
              replace<widened>}}};
}

}  // namespace onnx2ir::passes
