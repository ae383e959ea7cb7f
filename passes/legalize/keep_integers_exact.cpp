// Workaround for rounded_sizes: where the runtime computes in bf16, the default of CPUs with AMX, or in f16,
// it also rounds the floating-point numbers from which sizes, indices, other integers, trip counts and
// conditions are computed: 1001 becomes 1000. This pass marks the nodes that compute them as `precise`: they
// compute in their own type.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "passes/analysis/dequantized_weights.hpp"
#include "passes/analysis/fused_chain.hpp"
#include "passes/analysis/operation_groups.hpp"
#include "passes/analysis/port_sources.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

/// The most elements of a value that is taken for a list of sizes.
constexpr std::int64_t kMostSizes = 32;
/// The most elements of a table of constants. Embeddings and weights have more.
constexpr std::int64_t kMostConstants = 256;
/// The most nodes between integers and a number that is computed from them alone.
constexpr std::size_t kMostNodes = 64;

/// Of an angle of 1,000, bf16 has no fraction left.
constexpr ir::OperationSet kOfAngles = {ops::Sin, ops::Cos};

bool has_at_most(ir::Value value, std::int64_t elements) {
  const auto count = value.shape().element_count();
  return count && *count <= elements;
}

bool is_float(ir::Value value) {
  return ir::is_floating(value.type());
}

bool has_floats(const ir::Node& node) {
  return std::ranges::any_of(node.inputs(), is_float) ||
         std::ranges::any_of(node.outputs(),
                             [](const ir::Output& output) { return ir::is_floating(output.type); });
}

/// Returns whether the node had no mark.
bool mark(ir::Node& node) {
  if (node.marks.contains(ir::Mark::precise)) return false;
  node.marks.add(ir::Mark::precise);
  return true;
}

/// Marks the nodes that compute sizes, indices, bounds and conditions from values of at most kMostSizes
/// elements. `scratch` of a node: 1 if it has been visited.
class SizeMarker {
 public:
  explicit SizeMarker(ir::Model& model) : graphs_(graphs_of(model)), ports_(graphs_) {
    for_each_node(graphs_, [](ir::Node& node) { node.scratch = 0; });
  }

  bool run() {
    for_each_node(graphs_, [&](ir::Node& node) {
      const ir::Traits& traits = node.op().traits;
      for (const ir::InputRange range : {traits.sizes, traits.indices}) {
        for (std::size_t i = range.first; i <= range.last && i < node.inputs().size(); ++i)
          visit(node.input(i));
      }
      if (traits.has_bodies) visit_conditions(node);
    });
    bool modified = false;
    while (!pending_.empty()) {
      const ir::Value value = pending_.back();
      pending_.pop_back();
      modified = mark_and_visit_inputs(value) || modified;
    }
    return modified;
  }

 private:
  void visit_conditions(ir::Node& node) {
    for (std::size_t i = 0; i < ir::own_input_count(node); ++i) visit(node.input(i));
    if (node.loop() != nullptr) visit(ir::LoopView(node).next_condition());
  }

  void visit(ir::Value value) {
    ir::Node& node = *value.node;
    const bool is_port = !ports_.of(value).empty();
    if (!is_port && (node.scratch != 0 || node.is_computed_from_constants())) return;
    if (!has_at_most(value, kMostSizes) || (is_port && !visited_ports_.insert(value).second)) return;
    node.scratch = 1;
    pending_.push_back(value);
  }

  /// Returns whether a mark was added.
  bool mark_and_visit_inputs(ir::Value value) {
    for (const ir::Value source : ports_.of(value)) visit(source);
    ir::Node& node = *value.node;
    // The CPU plugin rounds the outputs of an If, too, but not those of a Loop.
    if (node.is(ops::If)) return is_float(value) && mark(node);
    if (node.is_one_of({ops::Loop, ops::Parameter, ops::ShapeOf})) return false;
    for (const ir::Value input : node.inputs()) visit(input);
    return has_floats(node) && mark(node);
  }

  std::vector<ir::Graph*> graphs_;
  PortSources ports_;
  ValueSet visited_ports_;
  std::vector<ir::Value> pending_;
};

/// Whether an operation on integers may be computed by `node` in floating point.
bool may_compute_integers(const ir::Node& node) {
  if (node.is(ops::FakeQuantize)) return false;
  if (is_elementwise(node)) return true;
  const bool moves = moves_elements(node) || node.is_one_of({ops::Broadcast, ops::Tile, ops::Range});
  const bool sums = node.op().traits.is_reduction || node.is_one_of(kIntegerProducts) ||
                    node.is_one_of({ops::AvgPool, ops::CumSum});
  return (moves || sums) && std::ranges::all_of(node.inputs(), [](ir::Value input) {
           return !is_float(input) || !ir::is_computed_from_constants(input) || converted_integers(input) ||
                  has_at_most(input, kMostConstants);
         });
}

/// The nodes that compute `value` from integers, constants and Parameters of `inputs`, which may be null;
/// none if it depends on other numbers.
std::vector<ir::Node*> nodes_from_integers(ir::Value value, const ir::Graph* inputs) {
  std::vector<ir::Node*> nodes;
  const auto add = [&](ir::Value from) {
    if (!is_float(from) || ir::is_computed_from_constants(from) ||
        std::ranges::find(nodes, from.node) != nodes.end())
      return;
    nodes.push_back(from.node);
  };
  add(value);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const ir::Node& node = *nodes[i];
    if (node.is(ops::Parameter) && &node.graph() == inputs) continue;
    if (nodes.size() > kMostNodes || node.inputs().size() > kMostNodes || !may_compute_integers(node))
      return {};
    for (const ir::Value input : node.inputs()) add(input);
  }
  return nodes;
}

/// Marks `node`, whose inputs are floating-point numbers, and what computes these from integers and
/// Parameters of `inputs`. Returns whether a mark was added.
bool mark_computed_inputs(ir::Node& node, const ir::Graph* inputs) {
  std::vector<ir::Node*> all;
  for (const ir::Value input : node.inputs()) {
    if (!is_float(input)) return false;
    if (ir::is_computed_from_constants(input)) continue;
    const std::vector<ir::Node*> nodes = nodes_from_integers(input, inputs);
    if (nodes.empty()) return false;
    all.insert(all.end(), nodes.begin(), nodes.end());
  }
  if (all.empty()) return false;
  all.push_back(&node);
  return edit_each(all, [](ir::Node* at) { return !at->is(ops::Parameter) && mark(*at); });
}

/// Marks what makes integers or truths of numbers, and functions of angles.
bool mark_integers(ir::Node& node, const ir::Graph& main) {
  const bool is_conversion = node.is(ops::Convert) && !ir::is_floating(node.output(0).type);
  if (node.is_one_of(kComparisons) || is_conversion) return mark_computed_inputs(node, nullptr);
  return node.is_one_of(kOfAngles) && mark_computed_inputs(node, &main);
}

}  // namespace

bool keep_integers_exact(ir::Model& model, PassContext&) {
  ir::OperationSet makers = kComparisons;
  makers.add(kOfAngles);
  makers.add(ops::Convert);
  const bool modified = SizeMarker(model).run();
  const auto mark_inputs = [&](ir::Node* node) { return mark_integers(*node, model.graph); };
  return edit_each(nodes_of(model, makers), mark_inputs) || modified;
}

}  // namespace onnx2ir::passes
