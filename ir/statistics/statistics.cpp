#include "ir/statistics/statistics.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "ir/control_flow.hpp"

namespace onnx2ir::ir {
namespace {

using Constants = std::unordered_set<const Node*>;

bool is_constant(const Node& node, const Constants& constants) {
  if (node.inputs().empty()) return node.is(ops::Const);
  return !node.is(ops::Result) && !node.op().traits.is_volatile && !node.op().traits.has_bodies &&
         std::ranges::all_of(node.inputs(),
                             [&](const Value& input) { return constants.contains(input.node); });
}

/// Adds the nodes of `graph` and its bodies whose values are computed from constants alone. Captured
/// constants are constants in bodies, too.
void collect_constants(Graph& graph, Constants& constants) {
  for (const auto& node : graph.nodes()) {
    if (is_constant(*node, constants)) constants.insert(node.get());
    for (Body* body : bodies(*node)) {
      for (const Invariant& invariant : body->invariants) {
        if (constants.contains(node->input(invariant.input).node)) constants.insert(invariant.parameter);
      }
      collect_constants(*body->graph, constants);
    }
  }
}

using ByType = std::map<std::string_view, LayerCounts>;

LayerCost total(const ByType& layers) {
  LayerCost sum;
  for (const auto& [type, counts] : layers) add(sum, counts.cost);
  return sum;
}

/// Adds the counts of a body; `times`: how often it runs in one inference.
void add(ByType& to, const ByType& body, std::uint64_t times) {
  for (const auto& [type, counts] : body) {
    LayerCounts& sum = to[type];
    sum.layers += counts.layers;
    sum.in_bodies += counts.layers;
    sum.without_sizes += counts.without_sizes;
    add(sum.cost, counts.cost, times);
  }
}

class Counter {
 public:
  explicit Counter(const Constants& known) : known_(&known) {}

  ByType count(Graph& graph) {
    ByType layers;
    for (const auto& node : graph.nodes()) {
      LayerCounts& counts = layers[node->op().name];
      ++counts.layers;
      if (node->is(ops::Const)) add_constant(*node);
      if (!known_->contains(node.get())) {
        if (const auto cost = cost_of(*node)) {
          ir::add(counts.cost, *cost);
        } else {
          ++counts.without_sizes;
        }
      }
      if (node->loop() != nullptr) add_loop(layers, *node);
      if (node->branches() != nullptr) add_if(layers, *node);
    }
    return layers;
  }

  std::map<ElementType, ConstantCounts> constants;
  std::uint64_t open_loops = 0;

 private:
  void add_constant(const Node& node) {
    const ConstantData& data = *node.constant();
    if (!seen_.emplace(data.place(), data.size(), data.narrowing()).second) return;
    const Output& output = node.output(0);
    ConstantCounts& counts = constants[output.type];
    ++counts.constants;
    counts.elements += static_cast<std::uint64_t>(output.shape.element_count().value_or(0));
    counts.bytes += data.written_size();
  }

  void add_loop(ByType& layers, Node& node) {
    const LoopView loop(node);
    const auto iterations = loop.iterations();
    if (!iterations) ++open_loops;
    add(layers, count(loop.graph()), static_cast<std::uint64_t>(iterations.value_or(1)));
  }

  /// One of the branches runs: the more expensive one is counted.
  void add_if(ByType& layers, Node& node) {
    const IfView if_view(node);
    const ByType then_layers = count(*if_view.then_branch().graph);
    const ByType else_layers = count(*if_view.else_branch().graph);
    const bool is_then_larger = total(then_layers).flops >= total(else_layers).flops;
    add(layers, then_layers, is_then_larger ? 1 : 0);
    add(layers, else_layers, is_then_larger ? 0 : 1);
  }

  using Place = std::tuple<std::pair<const void*, std::uint64_t>, std::uint64_t, Narrowing>;
  const Constants* known_;
  std::set<Place> seen_;
};

}  // namespace

Statistics statistics_of(Model& model) {
  Constants constants;
  collect_constants(model.graph, constants);
  Counter counter(constants);
  Statistics result;
  result.layers = counter.count(model.graph);
  result.constants = std::move(counter.constants);
  result.open_loops = counter.open_loops;
  result.peak = peak_memory(model.graph, constants);
  return result;
}

std::size_t node_count(const Graph& graph) {
  std::size_t count = graph.nodes().size();
  for (Node* node : graph.control_flow()) {
    for (const Body* body : bodies(*node)) count += node_count(*body->graph);
  }
  return count;
}

bool holds_parameters(ElementType type) {
  constexpr unsigned kBits = 8;
  return is_floating(type) || (is_integral(type) && info(type).bits <= kBits);
}

}  // namespace onnx2ir::ir
