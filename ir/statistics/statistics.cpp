#include "ir/statistics/statistics.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

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

/// Adds the arithmetic of a layer, or of several; the largest number instead of an overflow.
template <typename Cost>
void add_cost(OperatorCount& sum, const Cost& cost, std::uint64_t times) {
  sum.multiply_adds = saturated_sum(sum.multiply_adds, saturated_product(cost.multiply_adds, times));
  sum.flops = saturated_sum(sum.flops, saturated_product(cost.flops, times));
}

/// Adds the counts of a body; `times`: how often it runs in one inference.
void add(OperatorCounts& to, const OperatorCounts& body, std::uint64_t times) {
  for (const auto& [type, counts] : body) {
    OperatorCount& sum = to[type];
    sum.count += counts.count;
    sum.in_bodies += counts.count;
    sum.without_sizes += counts.without_sizes;
    add_cost(sum, counts, times);
  }
}

std::uint64_t flops_of(const OperatorCounts& layers) {
  std::uint64_t sum = 0;
  for (const auto& [type, counts] : layers) sum = saturated_sum(sum, counts.flops);
  return sum;
}

class Counter {
 public:
  explicit Counter(const Constants& known) : known_(&known) {}

  OperatorCounts count(Graph& graph) {
    OperatorCounts layers;
    for (const auto& node : graph.nodes()) {
      OperatorCount& counts = layers[std::string(node->op().name)];
      ++counts.count;
      if (node->is(ops::Const)) add_constant(*node);
      if (!known_->contains(node.get())) {
        if (const auto cost = cost_of(*node)) {
          add_cost(counts, *cost, 1);
        } else {
          ++counts.without_sizes;
        }
      }
      if (node->loop() != nullptr) add_loop(layers, *node);
      if (node->branches() != nullptr) add_if(layers, *node);
    }
    return layers;
  }

  ConstantCounter constants;
  std::uint64_t open_loops = 0;

 private:
  void add_constant(const Node& node) {
    const ConstantData& data = *node.constant();
    if (!seen_.emplace(data.place(), data.size(), data.narrowing()).second) return;
    const Output& output = node.output(0);
    const auto elements = static_cast<std::uint64_t>(output.shape.element_count().value_or(0));
    constants.add(info(output.type).name, elements, data.written_size(), holds_parameters(output.type));
  }

  void add_loop(OperatorCounts& layers, Node& node) {
    const LoopView loop(node);
    const auto iterations = loop.iterations();
    if (!iterations) ++open_loops;
    add(layers, count(loop.graph()), static_cast<std::uint64_t>(iterations.value_or(1)));
  }

  /// One of the branches runs: the more expensive one is counted.
  void add_if(OperatorCounts& layers, Node& node) {
    const IfView if_view(node);
    const OperatorCounts then_layers = count(*if_view.then_branch().graph);
    const OperatorCounts else_layers = count(*if_view.else_branch().graph);
    const bool is_then_larger = flops_of(then_layers) >= flops_of(else_layers);
    add(layers, then_layers, is_then_larger ? 1 : 0);
    add(layers, else_layers, is_then_larger ? 0 : 1);
  }

  using Place = std::tuple<std::pair<const void*, std::uint64_t>, std::uint64_t, Narrowing>;
  const Constants* known_;
  std::set<Place> seen_;
};

/// The bytes of the outputs of `node`; no value if a size is dynamic. Strings count as nothing: their sizes
/// are known at run time only.
std::optional<std::uint64_t> bytes_of(const Output& output) {
  if (output.type == ElementType::string) return 0;
  const auto count = output.shape.element_count();
  if (!count) return std::nullopt;
  return packed_size(output.type, static_cast<std::uint64_t>(*count)).value_or(UINT64_MAX);
}

/// The largest sum of the sizes of values that are in use at the same time.
struct Peak {
  std::uint64_t bytes = 0;
  std::string layer;  ///< the path of the layer that runs then
};

/// Finds the peak if each layer runs in the order of the nodes, each value is kept from its layer to the last
/// layer that reads it, and Reshape, Squeeze and Unsqueeze share the memory of their inputs. Constants need
/// no memory here. No value if a size is dynamic.
class Liveness {
 public:
  Liveness(Graph& graph, const Constants& constants) : graph_(&graph), constants_(&constants) {}

  std::optional<Peak> peak(const std::string& path, const std::unordered_set<const Node*>& captured) {
    captured_ = &captured;
    find_last_uses();
    Peak peak;
    std::uint64_t now = 0;
    for (std::size_t at = 0; at < graph_->nodes().size(); ++at) {
      Node& node = *graph_->nodes()[at];
      const auto own = new_bytes(node);
      const auto inner = inner_peak(node, path);
      if (!own || !inner) return std::nullopt;
      now = saturated_sum(now, *own);
      if (const std::uint64_t all = saturated_sum(now, inner->bytes); all > peak.bytes) {
        peak.bytes = all;
        peak.layer = inner->layer.empty() ? path + node.name : inner->layer;
      }
      now -= std::min(now, freed_after_[at]);
    }
    return peak;
  }

 private:
  bool needs_memory(const Node& node) const {
    return !constants_->contains(&node) && !captured_->contains(&node) && !node.is(ops::Result);
  }

  bool is_view(const Node& node) const { return node.op().traits.reshapes && needs_memory(node); }

  /// The value whose memory `value` is in.
  Value owner(Value value) const {
    const auto found = is_view(*value.node) ? owners_.find(value.node) : owners_.end();
    return found == owners_.end() ? value : found->second;
  }

  void find_last_uses() {
    const auto& nodes = graph_->nodes();
    std::unordered_map<const Node*, std::vector<std::size_t>> last;
    for (std::size_t at = 0; at < nodes.size(); ++at) {
      Node& node = *nodes[at];
      last[&node].assign(node.outputs().size(), at);
      if (is_view(node)) owners_.emplace(&node, owner(node.input(0)));
      for (const Value& input : node.inputs()) {
        if (!input) continue;
        const Value memory = owner(input);
        // Results of the model and of a body are kept to the end.
        std::size_t& end = last[memory.node][memory.index];
        end = std::max(end, node.is(ops::Result) ? nodes.size() - 1 : at);
      }
    }
    freed_after_.assign(nodes.size(), 0);
    for (const auto& node : nodes) {
      if (!needs_memory(*node) || is_view(*node)) continue;
      for (std::size_t i = 0; i < node->outputs().size(); ++i) {
        std::uint64_t& freed = freed_after_[last[node.get()][i]];
        freed = saturated_sum(freed, bytes_of(node->output(i)).value_or(0));
      }
    }
  }

  std::optional<std::uint64_t> new_bytes(const Node& node) const {
    if (!needs_memory(node)) return 0;
    std::uint64_t sum = 0;
    for (const Output& output : node.outputs()) {
      const auto bytes = bytes_of(output);
      if (!bytes) return std::nullopt;
      if (!is_view(node)) sum = saturated_sum(sum, *bytes);
    }
    return sum;
  }

  /// The peak of the bodies of `node`. Captured values have the memory of the outer values.
  std::optional<Peak> inner_peak(Node& node, const std::string& path) const {
    Peak largest;
    const auto all = bodies(node);
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::unordered_set<const Node*> captured;
      for (const Invariant& invariant : all[i]->invariants) captured.insert(invariant.parameter);
      const char* name = node.loop() != nullptr ? "/body/" : i == 0 ? "/then_branch/" : "/else_branch/";
      auto peak = Liveness(*all[i]->graph, *constants_).peak(path + node.name + name, captured);
      if (!peak) return std::nullopt;
      if (peak->bytes > largest.bytes) largest = *std::move(peak);
    }
    return largest;
  }

  Graph* graph_;
  const Constants* constants_;
  const std::unordered_set<const Node*>* captured_ = nullptr;
  std::unordered_map<const Node*, Value> owners_;
  std::vector<std::uint64_t> freed_after_;
};

}  // namespace

void ConstantCounter::add(std::string_view type, std::uint64_t elements, std::uint64_t bytes,
                          bool holds_parameters) {
  WeightCount& sum = by_type_[std::string(type)];
  ++sum.constants;
  sum.elements = saturated_sum(sum.elements, elements);
  sum.bytes = saturated_sum(sum.bytes, bytes);
  if (holds_parameters) parameters_ = saturated_sum(parameters_, elements);
}

GraphCounts ConstantCounter::counts_with(const OperatorCounts& operators) const {
  GraphCounts counts;
  counts.parameters = parameters_;
  for (const auto& [type, row] : operators) {
    counts.operators.push_back(row);
    counts.operators.back().type = type;
    counts.operator_count = saturated_sum(counts.operator_count, row.count);
  }
  for (const auto& [type, row] : by_type_) {
    counts.weights.push_back({type, row.constants, row.elements, row.bytes});
    counts.weight_bytes = saturated_sum(counts.weight_bytes, row.bytes);
  }
  std::ranges::sort(counts.operators, [](const OperatorCount& a, const OperatorCount& b) {
    return std::tuple(b.flops, b.count, std::string_view(a.type)) <
           std::tuple(a.flops, a.count, std::string_view(b.type));
  });
  std::ranges::sort(counts.weights, [](const WeightCount& a, const WeightCount& b) {
    return std::tuple(b.bytes, std::string_view(a.element_type)) <
           std::tuple(a.bytes, std::string_view(b.element_type));
  });
  return counts;
}

Statistics statistics_of(Model& model) {
  Constants constants;
  collect_constants(model.graph, constants);
  Counter counter(constants);
  const OperatorCounts layers = counter.count(model.graph);
  Statistics result;
  result.counts = counter.constants.counts_with(layers);
  Costs& costs = result.costs;
  for (const auto& [type, row] : layers) {
    costs.multiply_adds = saturated_sum(costs.multiply_adds, row.multiply_adds);
    costs.flops = saturated_sum(costs.flops, row.flops);
    costs.without_sizes += row.without_sizes;
  }
  costs.open_loops = counter.open_loops;
  if (const auto peak = Liveness(model.graph, constants).peak({}, {})) {
    costs.peak_bytes = peak->bytes;
    costs.peak_layer = peak->layer;
  }
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
