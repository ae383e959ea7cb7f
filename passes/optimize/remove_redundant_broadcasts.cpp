// Removes a Broadcast before elementwise operations if another operand has the requested sizes: the operation
// itself broadcasts its operands. Exporters emit Expand to the shape of the other operand.
#include "ir/size_rules.hpp"
#include "ir/views/joining.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// Whether broadcasting `value` to `sizes` has no effect.
bool has_sizes(ir::Value value, ir::Value sizes) {
  const ir::PartialShape& shape = value.shape();
  const auto count = sizes.shape().element_count();
  if (!shape.has_rank() || !count || static_cast<std::size_t>(*count) > shape.rank()) return false;
  const auto known = ir::known_values(sizes);
  const std::size_t missing = shape.rank() - static_cast<std::size_t>(*count);
  for (std::size_t i = 0; i < static_cast<std::size_t>(*count); ++i) {
    const ir::Dimension& size = shape[missing + i];
    const bool is_known = known && (*known)[i].is_exact() &&
                          ((*known)[i].min == 1 || (size.is_static() && (*known)[i].min == size.size()));
    if (!is_known && !ir::is_size_of(sizes, i, value, missing + i)) return false;
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

bool remove_redundant(const ir::Builder&, ir::BroadcastView broadcast) {
  const auto uses = broadcast.output(0).uses;
  return edit_each(uses, [&](const ir::Use& use) {
    if (!is_redundant(use, broadcast.shape())) return false;
    use.node->set_input(use.index, broadcast.data());
    return true;
  });
}

}  // namespace

bool remove_redundant_broadcasts(ir::Model& model, PassContext&) {
  return edit_nodes(model, {ops::Broadcast}, remove_redundant);
}

}  // namespace onnx2ir::passes
