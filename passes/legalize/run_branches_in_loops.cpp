// An If whose outputs have sizes that only a run tells goes into a Loop of one iteration. The CPU runtime
// keeps such outputs in memory that they share with what later nodes make, and moves that memory when one of
// these grows, before the outputs have been read: their readers find anything there. A Loop keeps its
// outputs, and the Results of a graph are safe (measured on 2026.4: tests/conformance/test_branch_memory.py).
// A Loop takes and gives no strings, which have memory of their own; where there are some, the Loop stands
// behind the If and copies the rest of what it gives: what follows waits for the Loop.
#include <algorithm>
#include <array>

#include "ir/builder.hpp"
#include "ir/inference.hpp"
#include "passes/graph_walk.hpp"
#include "passes/loop_ports.hpp"
#include "passes/passes.hpp"
#include "target/faults.hpp"

namespace onnx2ir::passes {
namespace {

/// Types of model outputs that the runtime hands out as they are; others pass a conversion, which is a
/// reader.
constexpr std::array kOutputTypes = {ir::ElementType::f32, ir::ElementType::i32, ir::ElementType::u8,
                                     ir::ElementType::i8};

bool has_strings(const ir::Node& choice) {
  constexpr auto kString = ir::ElementType::string;
  return std::ranges::any_of(choice.inputs(), [](ir::Value input) { return input.type() == kString; }) ||
         std::ranges::any_of(choice.outputs(),
                             [](const ir::Output& output) { return output.type == kString; });
}

bool is_endangered(const ir::Node& choice, bool is_main, bool is_copied) {
  return std::ranges::any_of(choice.outputs(), [&](const ir::Output& output) {
    if (output.shape.is_static() || output.type == ir::ElementType::string) return false;
    const bool is_handed_out = std::ranges::find(kOutputTypes, output.type) != kOutputTypes.end();
    return std::ranges::any_of(output.uses, [&](const ir::Use& use) {
      if (is_copied && use.node->loop() != nullptr) return false;
      return !use.node->is(ops::Result) || (is_main && !is_handed_out);
    });
  });
}

/// An If in the body of `loop` for the one outside, whose branches it takes.
ir::Node& moved_inside(ir::Node& loop, ir::Node& choice) {
  ir::Graph& body = *loop.loop()->graph;
  ir::Builder builder(body);
  std::vector<ir::Value> inputs;
  for (std::size_t i = 0; i < choice.inputs().size(); ++i) {
    const ir::Value outside = choice.input(i);
    const auto before = std::ranges::find(choice.inputs().first(i), outside);
    const auto position = static_cast<std::size_t>(before - choice.inputs().begin());
    builder.set_name(outside.node->name);
    if (position < i) {
      inputs.push_back(inputs[position]);
    } else if (outside.node->constant() != nullptr) {
      inputs.push_back(builder.copy_of(*outside.node));
    } else {
      inputs.push_back(add_invariant(loop, outside));
    }
  }
  ir::Node& inside = body.add(choice.op(), inputs, choice.outputs().size());
  inside.name = choice.name;
  inside.set_payload(choice.take_payload());
  ir::infer(inside);
  return inside;
}

/// A Loop of one iteration, with nothing in its body, that is called as `choice` is.
ir::Node& add_single_iteration(ir::Node& choice, std::size_t output_count) {
  ir::Builder builder(choice.graph());
  const ir::Value once[] = {builder.integer(1), builder.boolean(true)};
  ir::Node& loop = choice.graph().add(ir::find_op(ops::Loop), once, output_count);
  loop.name = choice.name;
  ir::LoopBody body;
  body.graph = choice.graph().make_body();
  ir::Builder inner(*body.graph);
  body.condition = &inner.result(inner.boolean(true));
  loop.set_payload(std::move(body));
  return loop;
}

void run_in_loop(ir::Node& choice) {
  ir::Node& loop = add_single_iteration(choice, choice.outputs().size());
  ir::Node& inside = moved_inside(loop, choice);
  ir::Builder inner(inside.graph());
  for (std::uint32_t i = 0; i < inside.outputs().size(); ++i) {
    loop.loop()->last_values.push_back({&inner.result(inside.value(i)), i});
  }
  ir::infer(loop);
  for (std::uint32_t i = 0; i < loop.outputs().size(); ++i) {
    ir::replace_all_uses(choice.value(i), loop.value(i));
  }
  choice.graph().remove(choice);
}

void copy_in_loop(ir::Node& choice) {
  std::vector<std::uint32_t> copied;
  for (std::uint32_t i = 0; i < choice.outputs().size(); ++i) {
    if (choice.value(i).type() != ir::ElementType::string) copied.push_back(i);
  }
  ir::Node& loop = add_single_iteration(choice, copied.size());
  ir::Builder inner(*loop.loop()->graph);
  std::vector<std::vector<ir::Use>> readers;
  for (std::uint32_t i = 0; i < copied.size(); ++i) {
    const auto& uses = choice.output(copied[i]).uses;
    readers.emplace_back(uses.begin(), uses.end());
    const ir::Value copy = copy_of(inner, add_invariant(loop, choice.value(copied[i])));
    loop.loop()->last_values.push_back({&inner.result(copy), i});
  }
  ir::infer(loop);
  for (std::uint32_t i = 0; i < copied.size(); ++i) {
    for (const ir::Use& use : readers[i]) use.node->set_input(use.index, loop.value(i));
  }
}

}  // namespace

bool run_branches_in_loops(ir::Model& model, PassContext& context) {
  const bool loops_take_strings = !context.target.has(Fault::loops_take_no_strings);
  bool modified = false;
  for (ir::Graph* graph : graphs_of(model)) {
    const std::vector<ir::Node*> nodes = graph->control_flow();
    for (ir::Node* node : nodes) {
      if (node->branches() == nullptr) continue;
      const bool is_copied = !loops_take_strings && has_strings(*node);
      if (!is_endangered(*node, graph == &model.graph, is_copied)) continue;
      is_copied ? copy_in_loop(*node) : run_in_loop(*node);
      modified = true;
    }
  }
  return modified;
}

}  // namespace onnx2ir::passes
