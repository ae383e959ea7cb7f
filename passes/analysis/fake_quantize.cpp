#include "passes/analysis/fake_quantize.hpp"

#include "passes/analysis/constant_values.hpp"
#include "passes/analysis/dequantized_weights.hpp"
#include "passes/analysis/uses.hpp"

namespace onnx2ir::passes {

std::optional<Grid> grid_of(ir::FakeQuantizeView rounded) {
  const auto low = source_number(rounded.output_low());
  const auto high = source_number(rounded.output_high());
  if (!low || !high || *low >= *high) return std::nullopt;
  return Grid{*low, *high, rounded.levels()};
}

bool keeps_bounds(ir::FakeQuantizeView rounded) {
  return are_equal(rounded.input_low(), rounded.output_low()) &&
         are_equal(rounded.input_high(), rounded.output_high());
}

bool are_equal_roundings(ir::FakeQuantizeView a, ir::FakeQuantizeView b) {
  return a.data() == b.data() && a.levels() == b.levels() && are_equal(a.input_low(), b.input_low()) &&
         are_equal(a.input_high(), b.input_high()) && are_equal(a.output_low(), b.output_low()) &&
         are_equal(a.output_high(), b.output_high());
}

bool is_rounding(const ir::Use& use) {
  return use.node->is(ops::FakeQuantize) && use.index == ir::FakeQuantizeView::Input::data &&
         !is_read_by(*use.node, {ops::Convert});
}

}  // namespace onnx2ir::passes
