// Whether a maximum is minus infinity is asked of the elements: the CPU runtime's ReduceMax of elements that
// are all minus infinity gives the lowest finite number, its ReduceMin the highest (measured, 2026.4). ONNX's
// Attention finds wholly masked rows by such a comparison.
#include <cmath>

#include "ir/builder.hpp"
#include "ir/value_ranges.hpp"
#include "passes/graph_walk.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

bool is_all(ir::Value value, double wanted) {
  if (value.node->is("Convert")) value = value.node->input(0);
  const auto numbers = ir::exact_numbers(value);
  return numbers && numbers->size() == 1 && numbers->front() == wanted;
}

/// The ReduceMax or ReduceMin that `value` is, when `limit` is what that cannot return, else null.
const ir::Node* faulty_reduction(ir::Value value, ir::Value limit) {
  const ir::Node& node = *value.node;
  if (node.is("ReduceMax") && is_all(limit, -INFINITY)) return &node;
  if (node.is("ReduceMin") && is_all(limit, INFINITY)) return &node;
  return nullptr;
}

/// Whether comparing `value` with `limit`, which has one element, gives the shape of `value`.
bool adds_no_dimension(ir::Value limit, ir::Value value) {
  return limit.shape().has_rank() && value.shape().has_rank() && limit.shape().rank() <= value.shape().rank();
}

}  // namespace

bool compare_before_reducing(ir::Model& model, PassContext&) {
  bool modified = false;
  for (ir::Graph* graph : graphs_of(model)) {
    std::vector<ir::Node*> comparisons;
    for (const auto& node : graph->nodes()) {
      if (node->is("Equal")) comparisons.push_back(node.get());
    }
    for (ir::Node* node : comparisons) {
      for (const std::size_t side : {0, 1}) {
        const ir::Value limit = node->input(1 - side);
        const ir::Node* reduction = faulty_reduction(node->input(side), limit);
        if (reduction == nullptr || !adds_no_dimension(limit, node->input(side))) continue;
        ir::Builder builder(*graph);
        const bool is_maximum = reduction->is("ReduceMax");
        const ir::Value elements = builder.op(
            "Equal", {reduction->input(0), builder.number_like(is_maximum ? -INFINITY : INFINITY, limit)});
        builder.set_name(node->name);
        const ir::Value all = builder.op("ReduceLogicalAnd", {elements, reduction->input(1)},
                                         {{"keep_dims", reduction->boolean("keep_dims")}});
        ir::replace_all_uses(node->value(0), all);
        modified = true;
        break;
      }
    }
  }
  return modified;
}

}  // namespace onnx2ir::passes
