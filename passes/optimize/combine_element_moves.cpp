// Replaces several operations that move the elements of a short list of integers by one Gather. PyTorch's
// exporters reorder the pads of each dynamic Pad with Reshape, Slice, Transpose and Reshape.
#include <optional>
#include <vector>

#include "ir/element_moves.hpp"
#include "ir/size_rules.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// The operations that are followed: bounds the time for long chains.
constexpr int kMostOperations = 16;

/// The list from which a value takes all its elements.
struct Source {
  ir::Value list;
  std::vector<std::int64_t> positions;  ///< in the list, of each element of the value
  int operations = 0;                   ///< between the list and the value, without those that only reshape
};

bool is_short_list(ir::Value value) {
  return ir::tracked_count(value.output()) && value.shape().has_rank(1);
}

/// The earliest list that holds the elements of `value`; no value if an index is out of range.
std::optional<Source> source_of(ir::Value value) {
  std::vector<std::int64_t> positions(*ir::tracked_count(value.output()));
  for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<std::int64_t>(i);
  std::optional<Source> found;
  int operations = 0;
  for (int i = 0; i < kMostOperations && value.node->is_one_of(ir::kElementMoves); ++i) {
    if (!ir::tracked_count(value.node->input(0).output())) break;
    const auto moved = ir::moved_from(*value.node, value.index, ir::exact_values);
    if (!moved) break;
    for (std::int64_t& position : positions) {
      position = (*moved)[static_cast<std::size_t>(position)];
      if (position < 0) return std::nullopt;
    }
    if (!value.node->op().traits.reshapes) ++operations;
    value = value.node->input(0);
    if (is_short_list(value)) found = Source{value, positions, operations};
  }
  return found;
}

bool keeps_all(const Source& source) {
  for (std::size_t i = 0; i < source.positions.size(); ++i) {
    if (source.positions[i] != static_cast<std::int64_t>(i)) return false;
  }
  return source.list.shape().element_count() == static_cast<std::int64_t>(source.positions.size());
}

ir::Value gather_at_once(ir::Builder& builder, ir::Node& node) {
  if (node.outputs().size() != 1 || !is_short_list(node.value())) return {};
  const auto source = source_of(node.value());
  if (!source || source->operations < 2) return {};
  if (keeps_all(*source)) return source->list;
  return ir::gather(builder, source->list, builder.integers(source->positions));
}

}  // namespace

bool combine_element_moves(ir::Model& model, PassContext&) {
  return rewrite_values(model, ir::kElementMoves, gather_at_once);
}

}  // namespace onnx2ir::passes
