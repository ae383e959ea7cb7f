// The CPU plugin allocates outputs of an If that have dynamic sizes in memory shared with later nodes. If one
// of these grows, the memory is moved before the outputs have been read: their readers get uninitialised
// memory. Outputs of a Loop and Results of a graph are safe (measured on 2026.4:
// tests/conformance/test_branch_memory.py), so such an If goes into a Loop of one iteration. Strings have
// separate memory, and a Loop cannot carry them on some releases: there the Loop follows the If and copies
// its other outputs, and later nodes depend on the Loop.
#include <algorithm>
#include <array>
#include <map>
#include <unordered_set>
#include <utility>

#include "ir/inference.hpp"
#include "passes/passes.hpp"
#include "passes/support/run_time_values.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

/// Types of model outputs that the runtime returns without a conversion. A conversion is a reader.
constexpr std::array kOutputTypes = {ir::ElementType::f32, ir::ElementType::i32, ir::ElementType::u8,
                                     ir::ElementType::i8};

bool has_strings(const ir::Node& if_node) {
  constexpr auto kString = ir::ElementType::string;
  return std::ranges::any_of(if_node.inputs(), [](ir::Value input) { return input.type() == kString; }) ||
         std::ranges::any_of(if_node.outputs(),
                             [](const ir::Output& output) { return output.type == kString; });
}

/// Whether the loop has the form of run_in_loop(): its outputs are those of an If, and nothing else is
/// computed after the If. unsqueeze_empty_loop_values adds an Unsqueeze, which shares the memory of the If.
bool wraps_if(ir::LoopView loop) {
  const ir::LoopBody& body = loop.body();
  if (loop.iterations() != 1 || !body.carried.empty() || !body.scans.empty() || !body.sliced.empty())
    return false;
  const auto is_of_if = [](const ir::LastValue& last) {
    const ir::Node& given = *last.result->input(0).node;
    const ir::Node& source = given.is(ops::Unsqueeze) ? *given.input(0).node : given;
    return source.branches() != nullptr;
  };
  return loop.graph().control_flow().size() == 1 && std::ranges::all_of(body.last_values, is_of_if);
}

bool is_endangered(const ir::Node& if_node, bool is_main, bool is_copied) {
  return std::ranges::any_of(if_node.outputs(), [&](const ir::Output& output) {
    if (output.shape.is_static() || output.type == ir::ElementType::string) return false;
    const bool is_handed_out = std::ranges::find(kOutputTypes, output.type) != kOutputTypes.end();
    return std::ranges::any_of(output.uses, [&](const ir::Use& use) {
      // unsqueeze_empty_loop_values adds an Unsqueeze before the Loop of copy_in_loop(), and before a Result
      // of a body.
      const ir::Node* const reader = use.node->is(ops::Unsqueeze) ? only_reader(*use.node) : use.node;
      if (is_copied && reader != nullptr && reader->loop() != nullptr) return false;
      if (is_main) return !use.node->is(ops::Result) || !is_handed_out;
      return reader == nullptr || !reader->is(ops::Result);
    });
  });
}

/// Moves the If `if_node` into the body of `loop`, with its branches.
ir::Node& move_inside(ir::LoopView loop, ir::Node& if_node) {
  ir::Builder builder(loop.graph());
  std::map<std::pair<const ir::Node*, std::uint32_t>, ir::Value> moved;
  std::vector<ir::Value> inputs;
  for (const ir::Value outside : if_node.inputs()) {
    ir::Value& inside = moved[{outside.node, outside.index}];
    if (!inside) {
      inside = outside.node->constant() != nullptr ? builder.clone(*outside.node).value()
                                                   : ir::add_invariant(loop.node(), loop.body(), outside);
    }
    inputs.push_back(inside);
  }
  return ir::move_control_flow(builder, if_node, inputs);
}

/// A Loop of one iteration with an empty body and the name of `if_node`.
ir::LoopView add_single_iteration(ir::Node& if_node) {
  ir::Builder builder(if_node.graph());
  const ir::Value once = builder.integer(1);
  const ir::LoopView loop = ir::add_loop(builder, once, builder.boolean(true), if_node.graph().make_body());
  loop.node().name = if_node.name;
  ir::Builder inner(loop.graph());
  loop.body().condition = &inner.result(inner.boolean(true));
  return loop;
}

/// The caller removes `if_node`.
void run_in_loop(ir::Node& if_node) {
  const ir::LoopView loop = add_single_iteration(if_node);
  ir::Node& inside = move_inside(loop, if_node);
  for (const ir::Value value : inside.values()) loop.add_last_value(value);
  ir::infer(loop.node());
  ir::replace_all_uses(if_node, loop.node().values());
}

void copy_in_loop(ir::Node& if_node) {
  const ir::LoopView loop = add_single_iteration(if_node);
  ir::Builder inner(loop.graph());
  std::vector<std::pair<ir::Value, ir::Value>> copies;
  for (const ir::Value value : if_node.values()) {
    if (value.type() == ir::ElementType::string) continue;
    const ir::Value inside = ir::add_invariant(loop.node(), loop.body(), value);
    copies.emplace_back(value, loop.add_last_value(copy_opaquely(inner, inside)));
  }
  ir::infer(loop.node());
  for (const auto& [value, copy] : copies) ir::replace_uses_except(value, copy, loop.node());
}

}  // namespace

bool wrap_ifs_in_loops(ir::Model& model, PassContext& context) {
  const bool loops_take_strings = !context.has(Fault::loops_take_no_strings);
  std::unordered_set<const ir::Graph*> finished;
  for (const ir::LoopView loop : loops_of(model)) {
    if (wraps_if(loop)) finished.insert(&loop.graph());
  }
  bool modified = false;
  for (ir::Graph* graph : graphs_of(model)) {
    if (finished.contains(graph)) continue;
    const std::vector<ir::Node*> nodes = graph->control_flow();
    std::vector<ir::Node*> replaced;
    for (ir::Node* node : nodes) {
      if (node->branches() == nullptr) continue;
      const bool is_copied = !loops_take_strings && has_strings(*node);
      if (!is_endangered(*node, graph == &model.graph, is_copied)) continue;
      if (is_copied) {
        copy_in_loop(*node);
      } else {
        ir::IfView(*node).remove_unused_outputs();
        run_in_loop(*node);
        replaced.push_back(node);
      }
      modified = true;
    }
    // Not left to tidy(): `onnx2ir lint` reads the model before it, and cannot read nodes without bodies.
    graph->remove(replaced);
  }
  return modified;
}

}  // namespace onnx2ir::passes
