// A model with one loop, for tests of the passes over loops.
#pragma once

#include "catch.hpp"
#include "ir/builder.hpp"
#include "ir/inference.hpp"
#include "passes/passes.hpp"

namespace onnx2ir::test {

using ir::Value;
using PassFunction = bool (*)(ir::Model&, passes::PassContext&);
constexpr auto f32 = ir::ElementType::f32;

/// A model with one loop. The test fills body and states, then calls finish().
struct OneLoop {
  ir::Model model;
  ir::Builder builder{model.graph};
  std::unique_ptr<ir::Graph> graph = model.graph.make_body();
  ir::Builder body{*graph};
  std::vector<Value> inputs;
  std::size_t outputs = 0;
  ir::LoopBody loop;
  ir::Node* node = nullptr;

  OneLoop(Value (*trip_count)(ir::Builder&), Value (*condition)(ir::Builder&)) {
    inputs = {trip_count(builder), condition(builder)};
  }
  std::uint32_t add_input(Value outer) {
    inputs.push_back(outer);
    return static_cast<std::uint32_t>(inputs.size() - 1);
  }
  /// A state of its initial value; give it its next value with set_next.
  Value state(Value initial) {
    const Value parameter = body.parameter(initial.type(), initial.shape());
    loop.carried.push_back({add_input(initial), parameter.node, nullptr, std::nullopt});
    return parameter;
  }
  void set_next(std::size_t state, Value next, bool is_read = true) {
    loop.carried[state].result = &body.result(next);
    if (is_read) loop.carried[state].output = static_cast<std::uint32_t>(outputs++);
  }
  Value invariant(Value outer) {
    const Value parameter = body.parameter(outer.type(), outer.shape());
    loop.invariants.push_back({add_input(outer), parameter.node});
    return parameter;
  }
  void scan(Value row) {
    const Value rows = body.op("Unsqueeze", {row, body.integers({0})});
    loop.scans.push_back({&body.result(rows), static_cast<std::uint32_t>(outputs++)});
  }
  void finish(Value next_condition) {
    loop.condition = &body.result(next_condition);
    node = &model.graph.add(ir::find_op("Loop"), inputs, outputs);
    loop.graph = std::move(graph);
    node->set_payload(std::move(loop));
    ir::infer(*node);
    for (std::size_t i = 0; i < outputs; ++i) builder.result(node->value(i));
  }
  /// Runs `pass`, twice: the second time it must change nothing.
  bool run(PassFunction pass) {
    passes::PassContext context;
    const bool modified = pass(model, context);
    ir::infer(model.graph);
    CHECK_FALSE(pass(model, context));
    return modified;
  }
  const ir::Node& source(std::size_t output) const { return *model.graph.results()[output]->input(0).node; }
  const ir::LoopBody& after() const { return *node->loop(); }
};

template <std::int64_t kCount>
Value times(ir::Builder& builder) {
  return builder.integer(kCount);
}
inline Value any_times(ir::Builder& builder) {
  return builder.parameter(ir::ElementType::i64, ir::PartialShape::of_rank(0));
}
inline Value yes(ir::Builder& builder) {
  return builder.boolean(true);
}
inline Value no(ir::Builder& builder) {
  return builder.boolean(false);
}
inline Value perhaps(ir::Builder& builder) {
  return builder.parameter(ir::ElementType::boolean, ir::PartialShape::of_rank(0));
}

}  // namespace onnx2ir::test
