#include "frontend/translators/com_microsoft/window_cache.hpp"

#include "frontend/translators/com_microsoft/attention_parts.hpp"
#include "frontend/translators/com_microsoft/operands.hpp"
#include "frontend/translators/onnx/translator_tools.hpp"

namespace onnx2ir::frontend {
namespace {

using Input = inputs::microsoft::GroupQueryAttention;
using Output = outputs::microsoft::GroupQueryAttention;

/// How many keys of a sequence of length `total` are in a cache of `capacity` elements. If it is full,
/// onnxruntime removes as many keys as the window does not need.
Value count_resident_keys(NodeContext& node, Value total, Value capacity) {
  const Value spare =
      node.op(ops::Subtract, {capacity, node.integer(node.integer_attribute("local_window_size"))});
  const Value group = node.op(ops::Add, {spare, node.integer(1)});
  const Value excess = node.op(ops::Add, {node.op(ops::Subtract, {total, capacity}), spare});
  const Value positive = node.op(ops::Maximum, {excess, node.integer(0)});
  const Value groups = divide(node, positive, group);
  return node.op(ops::Subtract, {total, node.op(ops::Multiply, {groups, group})});
}

}  // namespace

void check_window_cache(NodeContext& node) {
  if (node.integer_attribute("local_window_size", -1) < 1)
    node.fail("sliding_window_cache needs local_window_size");
  if (!node.has_input(Input::past_key)) node.fail("sliding_window_cache needs past_key and past_value");
  if (node.has_output(Output::output_qk))
    node.fail("the scores of a cache of the window (sliding_window_cache) are not converted",
              "export the model with a cache of the whole sequence");
}

WindowCache extend_window_cache(NodeContext& node, Value past, Value now, const Lengths& lengths) {
  const auto column = [&](Value value) { return unsqueeze(node, value, {1}); };
  const Value capacity = dimension_of(node, past, 2);
  const Value first_new = column(lengths.first_new);
  const Value stored = column(count_resident_keys(node, lengths.first_new, capacity));
  const Value first_stored = node.op(ops::Subtract, {first_new, stored});
  const Value rows = enumerate_along(node, past, 2);
  WindowCache cache;
  const Value old = node.op(ops::Select, {node.op(ops::Less, {rows, stored}),
                                          node.op(ops::Add, {first_stored, rows}), node.integer(kFarEnd)});
  cache.positions = concat(node, {old, node.op(ops::Add, {first_new, enumerate_along(node, now, 2)})}, 1);
  const Value total = column(lengths.total);
  const Value kept = column(count_resident_keys(node, lengths.total, capacity));
  const Value position = node.op(ops::Add, {node.op(ops::Subtract, {total, kept}), rows});
  const Value is_new = node.op(ops::GreaterEqual, {position, first_new});
  const Value place_of_first =
      node.op(ops::Select, {is_new, node.op(ops::Subtract, {first_new, capacity}), first_stored});
  // Elements after the last key are unspecified.
  const Value last =
      node.op(ops::Subtract, {node.op(ops::Add, {capacity, dimension_of(node, now, 2)}), node.integer(1)});
  cache.kept = node.op(ops::Minimum, {node.op(ops::Subtract, {position, place_of_first}), last});
  return cache;
}

Value select_window(NodeContext& node, Value bias, const WindowCache& cache, const Lengths& lengths) {
  if (!bias) return bias;
  const Value last = node.op(ops::Subtract, {lengths.longest, node.integer(1)});
  const Value columns = node.op(ops::Minimum, {cache.positions, last});
  const auto size = [&](std::int64_t axis) { return dimension_of(node, bias, axis); };
  const Value shape = concat(node, {dimension_of(node, columns, 0), size(1), size(2), size(3)});
  const Value of_rows = broadcast_to(node, bias, shape);
  return gather_in_rows(node, of_rows, columns, 3);
}

}  // namespace onnx2ir::frontend
