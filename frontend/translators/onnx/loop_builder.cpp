#include "frontend/translators/onnx/loop_builder.hpp"

#include "frontend/translators/onnx/shape_tools.hpp"
#include "ir/control_flow.hpp"
#include "ir/inference.hpp"

namespace onnx2ir::frontend {

LoopOutputs iterate(Builder& outer, Value count, const Values& initial, const Values& invariants,
                    const BodyWriter& write) {
  auto graph = outer.graph().make_body();
  Builder body(*graph);
  const Value starts = outer.boolean(true);
  ir::Node& iteration = *body.parameter(ElementType::i64, PartialShape::scalar()).node;
  const auto parameters = [&](const Values& values) {
    Values inside;
    for (const Value& value : values) inside.push_back(body.parameter(value.type(), value.shape()));
    return inside;
  };
  const Values states = parameters(initial);
  const Values inner = parameters(invariants);
  const Iteration next = write(body, iteration.value(), states, inner);
  const ir::LoopView loop = ir::add_loop(outer, count, starts, std::move(graph));
  loop.body().condition = &body.result(next.condition ? next.condition : body.boolean(true));
  LoopOutputs result;
  for (std::size_t i = 0; i < states.size(); ++i) {
    ir::Carried& state = loop.add_state(initial[i], *states[i].node, body.result(next.states[i]));
    result.states.push_back(loop.add_output(state));
  }
  for (std::size_t i = 0; i < inner.size(); ++i) {
    ir::connect_invariant(loop.node(), loop.body(), invariants[i], *inner[i].node);
  }
  for (const Value& row : next.rows) {
    result.scans.push_back(loop.output(loop.add_scan(body.result(unsqueeze(body, row, {0})), 0)));
  }
  if (iteration.has_uses()) {
    loop.body().iteration = &iteration;
  } else {
    loop.graph().remove(iteration);
  }
  ir::infer(loop.node());
  return result;
}

}  // namespace onnx2ir::frontend
