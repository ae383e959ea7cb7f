// Outputs of an If whose elements are bytes and whose size only a run tells pass through i32: whenever such
// an output grows, the CPU runtime leaves its readers with the memory from before (measured on 2026.4;
// elements of 32 bits are right).
#include <algorithm>

#include "ir/builder.hpp"
#include "ir/inference.hpp"
#include "passes/graph_walk.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::passes {
namespace {

bool is_byte(ir::ElementType type) {
  return type == ir::ElementType::boolean || ir::info(type).bits == 8;
}

ir::Value converted(ir::Graph& graph, ir::Value value, ir::ElementType type) {
  ir::Builder builder(graph);
  builder.set_name(value.node->name);
  builder.set_origin(value.node->origin);
  return builder.op("Convert", {value}, {{"destination_type", type}});
}

/// Whether a branch hands on what a Loop made: a Convert between the two keeps a size from before.
bool comes_from_loop(const ir::Node& choice, std::size_t index) {
  const ir::IfBranches& branches = *choice.branches();
  return branches.then_branch.results[index]->input(0).node->loop() != nullptr ||
         branches.else_branch.results[index]->input(0).node->loop() != nullptr;
}

void widen(ir::Node& choice, std::size_t index) {
  const ir::ElementType type = choice.output(index).type;
  for (ir::Branch* branch : {&choice.branches()->then_branch, &choice.branches()->else_branch}) {
    ir::Node& result = *branch->results[index];
    result.set_input(0, converted(*branch->graph, result.input(0), ir::ElementType::i32));
  }
  const ir::Value wide = choice.value(index);
  ir::infer(choice);
  const ir::Value narrow = converted(choice.graph(), wide, type);
  ir::replace_all_uses(wide, narrow);
  narrow.node->set_input(0, wide);
}

}  // namespace

bool widen_branch_outputs(ir::Model& model, PassContext&) {
  bool modified = false;
  for (ir::Graph* graph : graphs_of(model)) {
    for (ir::Node* node : graph->control_flow()) {
      if (node->branches() == nullptr) continue;
      for (std::size_t i = 0; i < node->outputs().size(); ++i) {
        const ir::Output& output = node->output(i);
        if (!is_byte(output.type) || output.shape.is_static() || output.uses.empty()) continue;
        if (comes_from_loop(*node, i) &&
            std::ranges::all_of(output.uses, [](const ir::Use& use) { return use.node->is("Result"); }))
          continue;
        widen(*node, i);
        modified = true;
      }
    }
  }
  return modified;
}

}  // namespace onnx2ir::passes
