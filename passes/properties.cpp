#include "passes/properties.hpp"

#include <algorithm>
#include <array>

#include "passes/analysis/foldable.hpp"
#include "passes/analysis/uses.hpp"
#include "passes/graph_walk.hpp"

namespace onnx2ir::passes {
namespace {

bool has_foldable_value(ir::Node& node) {
  for (std::size_t i = 0; i < node.outputs().size(); ++i) {
    if (foldable_elements(node.value(i))) return true;
  }
  return false;
}

/// Whether `kHolds` is true for a state of the Loop `node`.
template <auto kHolds>
bool any_state(ir::Node& node) {
  return node.loop() != nullptr && std::ranges::any_of(node.loop()->carried, kHolds);
}

bool has_unused_output(ir::Node& node) {
  return node.op().traits.has_bodies &&
         std::ranges::any_of(node.outputs(), [](const ir::Output& output) { return output.uses.empty(); });
}

bool has_unused_capture(ir::Node& node) {
  return std::ranges::any_of(ir::bodies(node), [](const ir::Body* body) {
    return std::ranges::any_of(
        body->invariants, [](const ir::Invariant& invariant) { return !invariant.parameter->has_uses(); });
  });
}

bool has_guarded_output(ir::Node& node) {
  return any_state<&ir::Carried::is_guarded>(node) ||
         (node.loop() != nullptr && std::ranges::any_of(node.loop()->scans, &ir::Scan::is_guarded));
}

bool has_open_condition(ir::Node& node) {
  if (node.loop() == nullptr) return false;
  const ir::LoopView loop(node);
  const auto continues = ir::known_scalar(loop.next_condition());
  return continues && (*continues == 0 || !ir::known_scalar(loop.condition()));
}

using enum Property;

constexpr std::array kProperties = {
    PropertyInfo{no_unused_nodes, "no_unused_nodes",
                 "Each node except inputs and outputs has uses. The pipeline removes others after each pass.",
                 [](ir::Node& node) { return is_unused(node); }},
    PropertyInfo{no_captured_constants, "no_captured_constants",
                 "Bodies hold the constants that they read; none is captured.", captures_constant},
    PropertyInfo{
        no_foldable_values, "no_foldable_values",
        "Small tensors are constants if inference knows their elements, and tensors without elements "
        "are.",
        has_foldable_value},
    PropertyInfo{no_known_conditions, "no_known_conditions",
                 "The condition of each If is known only at run time.",
                 [](ir::Node& node) { return known_branch(node) != nullptr; }},
    PropertyInfo{no_unchanged_states, "no_unchanged_states",
                 "The next value of a state is not always its present value.", any_state<is_unchanged>},
    PropertyInfo{no_unused_outputs, "no_unused_outputs", "Each output of a Loop or an If has uses.",
                 has_unused_output},
    PropertyInfo{no_unused_captures, "no_unused_captures", "Each captured value has uses in its body.",
                 has_unused_capture},
    PropertyInfo{no_guarded_outputs, "no_guarded_outputs",
                 "No output of a Loop is guarded for runs of zero iterations: its uses read it directly.",
                 has_guarded_output},
    PropertyInfo{no_open_conditions, "no_open_conditions",
                 "A Loop whose body condition is constant ends by its trip count, and its initial condition "
                 "is constant.",
                 has_open_condition},
    PropertyInfo{no_passed_through_states, "no_passed_through_states",
                 "No state becomes the next value of another state without an operation between them.",
                 any_state<is_passed_through>},
};

}  // namespace

std::span<const PropertyInfo> all_properties() {
  return kProperties;
}

std::vector<std::string_view> names_of(const PropertySet& properties) {
  std::vector<std::string_view> names;
  for (const PropertyInfo& info : kProperties) {
    if (properties.contains(info.property)) names.push_back(info.name);
  }
  return names;
}

std::string broken_property(ir::Model& model, const PropertySet& properties) {
  for (const ir::Graph* graph : graphs_of(model)) {
    for (const auto& node : graph->nodes()) {
      for (const PropertyInfo& info : kProperties) {
        if (!properties.contains(info.property) || !info.is_broken_by(*node)) continue;
        return std::string(info.name) + " does not hold: " + std::string(node->op().name) + " '" +
               node->name + "' breaks it";
      }
    }
  }
  return {};
}

}  // namespace onnx2ir::passes
