// Workaround for many_live_values: the CPU plugin compiles elementwise operations of static shape into one
// kernel, which keeps each value in a register. If an operand is computed after many others that are still
// needed, as in t1 + (t2 + (t3 + ...)), there are not enough registers, and the model does not compile. Here
// a Roll by 0 ends the kernel, because it cannot be a part of it.
#include <algorithm>
#include <cstddef>
#include <unordered_map>

#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// AVX2 has 16 registers, of which a kernel uses some for its constants and inputs.
constexpr int kMostLive = 10;

bool is_in_kernel(const ir::Node& node) {
  const ir::Traits& traits = node.op().traits;
  // OpenVINO computes what is constant before it makes kernels.
  return !node.is_computed_from_constants() && (traits.broadcasts || traits.keeps_shape) &&
         !traits.rearranges && !traits.is_kept && node.outputs().size() == 1 &&
         node.output(0).shape.is_static() && ir::is_floating(node.output(0).type);
}

/// Whether the graph has enough operations with several operands for a kernel with more than kMostLive
/// values: each such operation adds one value for each operand but the first.
bool may_exceed_limit(const ir::Graph& graph) {
  std::ptrdiff_t most = 1;
  for (const auto& node : graph.nodes()) {
    const auto& inputs = node->inputs();
    if (inputs.size() < 2 || !is_in_kernel(*node)) continue;
    const auto constants =
        std::ranges::count_if(inputs, [](ir::Value input) { return ir::is_computed_from_constants(input); });
    most += static_cast<std::ptrdiff_t>(inputs.size()) - constants - 1;
    if (most > kMostLive) return true;
  }
  return false;
}

/// The numbers of registers that results need if the operand that needs the most is computed last.
using LiveValues = std::unordered_map<const ir::Node*, int>;

int count_live_values(const ir::Node& node, const LiveValues& live) {
  int most = 0;
  int operands = 0;
  for (std::size_t i = 0; i < node.inputs().size(); ++i) {
    const auto found = live.find(node.input(i).node);
    const bool is_repeated = i > 0 && node.input(i) == node.input(0);
    if (found == live.end() || is_repeated) continue;
    most = std::max(most, found->second);
    ++operands;
  }
  return std::max(1, most + std::max(0, operands - 1));
}

/// Lets the readers of the node read a copy that ends the kernel.
void end_kernel(ir::Builder& builder, ir::Node& node) {
  builder.set_name(node.name);
  const ir::Value value = node.value();
  const ir::Value zero = builder.integer(0);
  if (!value.shape().is_scalar()) {
    const ir::Value copy = builder.op(ops::Roll, {value, zero, zero});
    ir::replace_uses_except(value, copy, *copy.node);
    return;
  }
  const ir::Value vector = ir::flatten(builder, value);
  const ir::Value copy = builder.op(ops::Squeeze, {builder.op(ops::Roll, {vector, zero, zero}), zero});
  ir::replace_uses_except(value, copy, *vector.node);
}

}  // namespace

bool limit_live_values(ir::Model& model, PassContext&) {
  return edit_each(graphs_of(model), [](ir::Graph* graph) {
    if (!may_exceed_limit(*graph)) return false;
    ir::Builder builder(*graph);
    LiveValues live;
    return edit_present_nodes(*graph, [&](ir::Node& node) {
      if (!is_in_kernel(node)) return false;
      const int needed = count_live_values(node, live);
      const bool is_read_in_kernel = std::ranges::any_of(
          node.output(0).uses, [](const ir::Use& use) { return is_in_kernel(*use.node); });
      if (needed <= kMostLive || !is_read_in_kernel) {
        live[&node] = needed;
        return false;
      }
      end_kernel(builder, node);
      return true;
    });
  });
}

}  // namespace onnx2ir::passes
