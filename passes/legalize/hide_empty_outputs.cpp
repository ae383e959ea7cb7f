// A model output of type i64 that is empty and has a static shape ends the process at compile time
// (empty_i64_output). Such an output becomes a Slice with equal begin and end that are known only at run
// time, so that its shape is dynamic.
#include <algorithm>
#include <vector>

#include "passes/passes.hpp"
#include "passes/support/run_time_values.hpp"

namespace onnx2ir::passes {
namespace {

constexpr std::int64_t kMaxElements = 1 << 16;  ///< of the sliced constant

std::vector<std::int64_t> at_least_one(const ir::PartialShape& shape) {
  std::vector<std::int64_t> sizes;
  for (const ir::Dimension& size : shape) sizes.push_back(std::max<std::int64_t>(size.size(), 1));
  return sizes;
}

bool is_static_empty(ir::Value value) {
  const ir::PartialShape& shape = value.shape();
  return value.type() == ir::ElementType::i64 && shape.is_static() && !value.node->is(ops::Parameter) &&
         shape.has(0) && ir::PartialShape(at_least_one(shape)).element_count() <= kMaxElements;
}

/// An empty tensor with the sizes of `shape`, where sizes of 0 are dynamic. `position`: [1], a value known
/// only at run time.
ir::Value emit_empty(ir::Builder& builder, const ir::PartialShape& shape, ir::Value position) {
  std::vector<std::int64_t> axes;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (shape[i] == ir::Dimension(0)) axes.push_back(static_cast<std::int64_t>(i));
  }
  const std::vector<std::int64_t> sizes = at_least_one(shape);
  const std::vector<double> zeros(static_cast<std::size_t>(*ir::PartialShape(sizes).element_count()), 0);
  const ir::Value data = builder.numbers(zeros, sizes, ir::ElementType::i64);
  if (axes.size() > 1)
    position = builder.op(ops::Concat, std::vector<ir::Value>(axes.size(), position), {{"axis", 0}});
  const std::vector<std::int64_t> steps(axes.size(), 1);
  return builder.op(ops::Slice, {data, position, position, builder.integers(steps), builder.integers(axes)});
}

}  // namespace

bool hide_empty_outputs(ir::Model& model, PassContext&) {
  ir::Builder builder(model.graph);
  ir::Value position;
  for (ir::Node* result : model.graph.results()) {
    const ir::Value value = result->input(0);
    if (!is_static_empty(value)) continue;
    builder.set_name(value.node->name);
    if (!position) {
      // 0 or 1, from an input if possible: a random number ends the process in the GPU plugin.
      const ir::Value source = run_time_source(model.graph);
      position = source ? emit_zero_or_one(builder, source)
                        : ir::convert(builder, emit_run_time_truth(builder), ir::ElementType::i64);
      position = ir::unsqueeze(builder, position, {0});
    }
    ir::replace_results(value, emit_empty(builder, value.shape(), position));
  }
  return static_cast<bool>(position);
}

}  // namespace onnx2ir::passes
