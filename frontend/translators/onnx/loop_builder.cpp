#include "frontend/translators/onnx/loop_builder.hpp"

#include "frontend/translators/onnx/shape_tools.hpp"
#include "ir/inference.hpp"

namespace onnx2ir::frontend {

Iterated iterate(Builder& outer, Value count, const Values& initial, const Values& invariants,
                 const BodyWriter& write) {
  ir::LoopBody loop;
  loop.graph = outer.graph().make_body();
  Builder body(*loop.graph);
  Values inputs{count, outer.boolean(true)};
  const Value iteration = body.parameter(ElementType::i64, PartialShape::scalar());
  Values states;
  for (const Value& value : initial) {
    states.push_back(body.parameter(value.type(), value.shape()));
    inputs.push_back(value);
  }
  Values inner;
  for (const Value& value : invariants) {
    inner.push_back(body.parameter(value.type(), value.shape()));
    inputs.push_back(value);
  }
  const Iteration next = write(body, iteration, states, inner);
  loop.condition = &body.result(body.boolean(true));
  std::uint32_t input = 2;
  std::uint32_t output = 0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    loop.carried.push_back({input++, states[i].node, &body.result(next.states[i]), output++});
  }
  for (const Value& parameter : inner) loop.invariants.push_back({input++, parameter.node});
  for (const Value& row : next.rows) {
    loop.scans.push_back({.result = &body.result(unsqueeze(body, row, {0})), .output = output++});
  }
  if (iteration.node->has_uses()) {
    loop.iteration = iteration.node;
  } else {
    loop.graph->remove(*iteration.node);
  }
  ir::Node& node = outer.graph().add(ir::find_op(ops::Loop), inputs, output);
  node.set_payload(std::move(loop));
  ir::infer(node);
  Iterated result;
  for (std::uint32_t i = 0; i < output; ++i) {
    (i < initial.size() ? result.states : result.scans).push_back(node.value(i));
  }
  return result;
}

}  // namespace onnx2ir::frontend
