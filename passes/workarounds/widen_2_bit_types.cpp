// Releases before 2026.4 read u2 in an IR but cannot compute with it. Constants become u4, which all releases
// keep compressed in products; conversions to u2 become conversions to u8. Inputs and outputs of the model
// keep their types.
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "ir/views/unary.hpp"
#include "passes/legality/all_workarounds.hpp"

namespace onnx2ir::passes {
namespace {

constexpr unsigned kBits = 2;

/// Unpacks each byte of u2 elements to two bytes of u4 elements.
ir::ConstantData widened(std::span<const std::byte> packed, std::size_t elements) {
  std::vector<std::byte> bytes((elements + 1) / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto four = std::to_integer<unsigned>(packed[i / 2]) >> (i % 2 * 2 * kBits);
    bytes[i] = static_cast<std::byte>((four & 3U) | ((four >> kBits) & 3U) << 4U);
  }
  return ir::ConstantData(std::move(bytes));
}

bool is_affected(const ir::Node& node) {
  return node.output(0).type == ir::ElementType::u2 && !is_read_by(node, {ops::Result});
}

ir::Value widen(ir::Builder& builder, const ir::Node& node) {
  using enum ir::ElementType;
  if (const auto convert = ir::match<ir::ConvertView>(node)) return ir::convert(builder, convert->data(), u8);
  const auto sizes = node.output(0).shape.sizes();
  const std::size_t elements = *node.output(0).shape.element_count();
  return builder.constant(u4, *sizes, widened(node.constant()->bytes(), elements));
}

}  // namespace

Workaround widen_2_bit_types() {
  return {.stage = Stage::imported,
          .summary = "Stores constants of 2 bits in 4, and computes in 8 bits instead of 2",
          .rows = {row<is_affected, widen>(Fault::two_bit_types, {ops::Const, ops::Convert})}};
}

}  // namespace onnx2ir::passes
