// Workaround for many_live_terms: the CPU plugin compiles static elementwise operations into one kernel, and a
// sum of many products needs more vector registers than there are: 31 terms with AVX-512, 15 with AVX2. Here a
// Gather of all elements, which the plugin does not put into the kernel, divides long sums.
#include <algorithm>
#include <numeric>
#include <vector>

#include "passes/graph_walk.hpp"
#include "passes/passes.hpp"
#include "passes/scalar_pattern.hpp"

namespace onnx2ir::passes {
namespace {

/// The terms that are computed in one kernel.
constexpr std::int64_t kMostTerms = 8;
/// Vectors are cheap: shapes and the like.
constexpr std::size_t kLeastRank = 1;

bool is_elementwise(const ir::Node& node) {
  const ir::Traits& traits = node.op().traits;
  return traits.is_arithmetic || (traits.keeps_shape && node.inputs().size() == 1);
}

/// Whether a term is computed in the kernel that adds it.
bool is_term(ir::Value value) {
  return is_elementwise(*value.node) && is_used_once(value);
}

bool is_static_number(const ir::Node& node) {
  const ir::Output& output = node.output(0);
  return ir::is_floating(output.type) && output.shape.is_static() && output.shape.rank() >= kLeastRank;
}

/// All elements of `value`, gathered along its shortest axis.
ir::Value gathered(ir::Builder& builder, ir::Value value) {
  const ir::Integers sizes = *value.shape().sizes();
  const auto shortest = std::ranges::min_element(sizes);
  std::vector<std::int64_t> all(static_cast<std::size_t>(*shortest));
  std::iota(all.begin(), all.end(), 0);
  return builder.op(ops::Gather, {value, builder.integers(all), builder.integer(shortest - sizes.begin())},
                    {{"batch_dims", 0}});
}

/// Counts in `scratch` of each node the terms of the chain that ends there, and divides long chains.
bool limit_terms(ir::Graph& graph) {
  bool modified = false;
  ir::Builder builder(graph);
  const std::size_t count = graph.nodes().size();
  for (std::size_t i = 0; i < count; ++i) {
    ir::Node& node = *graph.nodes()[i];
    node.scratch = 0;
    if (!is_elementwise(node) || !is_static_number(node)) continue;
    std::int64_t longest = 0;
    for (const ir::Value input : node.inputs()) longest = std::max(longest, input.node->scratch);
    const bool adds_term = node.inputs().size() == 2 && std::ranges::all_of(node.inputs(), is_term);
    node.scratch = longest + (adds_term ? 1 : 0);
    if (node.scratch < kMostTerms) continue;
    node.scratch = 0;
    builder.set_name(node.name);
    const ir::Value copy = gathered(builder, node.value());
    ir::replace_uses_except(node.value(), copy, *copy.node);
    modified = true;
  }
  return modified;
}

}  // namespace

bool limit_live_terms(ir::Model& model, PassContext&) {
  bool modified = false;
  for (ir::Graph* graph : graphs_of(model)) modified = limit_terms(*graph) || modified;
  return modified;
}

}  // namespace onnx2ir::passes
