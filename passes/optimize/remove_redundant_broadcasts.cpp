// Removes a Broadcast before elementwise operations if another operand has the requested sizes: the operation
// itself broadcasts its operands. Exporters emit Expand to the shape of the other operand.
#include <algorithm>
#include <iterator>
#include <vector>

#include "ir/views/joining.hpp"
#include "passes/analysis/axes.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether broadcasting `value` to `sizes` has no effect.
bool has_sizes(ir::Value value, ir::Value sizes) {
  const ir::PartialShape& shape = value.shape();
  const auto count = sizes.shape().element_count();
  if (!shape.has_rank() || !count || static_cast<std::size_t>(*count) > shape.rank()) return false;
  const std::size_t missing = shape.rank() - static_cast<std::size_t>(*count);
  for (std::size_t i = 0; i < static_cast<std::size_t>(*count); ++i) {
    if (!keeps_size(sizes, i, value, missing + i)) return false;
  }
  return true;
}

bool is_redundant(const ir::Use& use, ir::Value sizes) {
  const ir::Node& reader = *use.node;
  if (!reader.op().traits.broadcasts) return false;
  for (std::size_t i = 0; i < reader.inputs().size(); ++i) {
    if (reader.input(i) != reader.input(use.index) && has_sizes(reader.input(i), sizes)) return true;
  }
  return false;
}

bool remove_redundant(const ir::Builder&, ir::Node& node) {
  const ir::BroadcastView broadcast = node;
  std::vector<ir::Use> uses;
  std::ranges::copy_if(node.output(0).uses, std::back_inserter(uses),
                       [&](const ir::Use& use) { return is_redundant(use, broadcast.shape()); });
  ir::move_uses(uses, node.value(), broadcast.data());
  return !uses.empty();
}

}  // namespace

bool remove_redundant_broadcasts(ir::Model& model, PassContext&) {
  return edit_nodes(model, {ops::Broadcast}, remove_redundant);
}

}  // namespace onnx2ir::passes
